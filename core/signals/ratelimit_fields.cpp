// SPDX-License-Identifier: Apache-2.0
#include "core/signals/ratelimit_fields.h"

#include "core/signals/structured_fields.h"

#include <algorithm>

namespace throttlescope::signals {

namespace {

/// No server's list of windows comes near it, and a hostile one must not make us build a tree of a million members.
constexpr std::size_t kLongestField = 65'536;

std::optional<std::uint64_t> count(const sf::BareItem *value)
{
    const auto *number = value ? std::get_if<sf::Integer>(value) : nullptr;
    return number && *number >= 0 ? std::optional{static_cast<std::uint64_t>(*number)} : std::nullopt;
}

std::optional<Duration> seconds(const sf::BareItem *value)
{
    const auto number = count(value);
    return number ? std::optional{saturatingMultiply(Duration{1'000'000}, static_cast<std::int64_t>(*number))} : std::nullopt;
}

/// A String; a Token leniently, as the drafts' own examples have it.
const std::string *text(const sf::BareItem *value)
{
    if (const auto *string = value ? std::get_if<sf::String>(value) : nullptr)
        return &string->text;
    const auto *token = value ? std::get_if<sf::Token>(value) : nullptr;
    return token ? &token->text : nullptr;
}

std::string partition(const sf::Parameters &parameters)
{
    const sf::BareItem *value = sf::find(parameters, "pk");
    const auto *bytes = value ? std::get_if<sf::ByteSequence>(value) : nullptr;
    return bytes ? bytes->bytes : std::string{};
}

/// An optional parameter of the wrong type or sign makes its field malformed.
template <typename Value>
bool malformed(const sf::Parameters &parameters, std::string_view key, const std::optional<Value> &read)
{
    return !read && sf::find(parameters, key) != nullptr;
}

std::optional<Window> stateMember(const sf::Member &member)
{
    const auto *item = std::get_if<sf::Item>(&member);
    const std::string *name = item ? text(&item->value) : nullptr;
    if (!name)
        return std::nullopt;
    Window window;
    window.name = *name;
    window.remaining = count(sf::find(item->parameters, "r"));
    window.reset = seconds(sf::find(item->parameters, "t"));
    window.limit = count(sf::find(item->parameters, "q")); // drafts in between had it here
    window.partition = partition(item->parameters);
    if (!window.remaining || malformed(item->parameters, "t", window.reset))
        return std::nullopt;
    return window;
}

std::optional<StateField> stateList(std::string_view value)
{
    const auto list = sf::parseList(value);
    if (!list || list->empty())
        return std::nullopt;
    StateField field{true, {}};
    field.windows.reserve(list->size());
    for (const sf::Member &member : *list) {
        auto window = stateMember(member);
        if (!window)
            return std::nullopt;
        field.windows.push_back(std::move(*window));
    }
    return field;
}

const sf::BareItem *bareValue(const sf::Dictionary &dictionary, std::string_view key)
{
    const sf::Member *member = sf::find(dictionary, key);
    const auto *item = member ? std::get_if<sf::Item>(member) : nullptr;
    return item ? &item->value : nullptr;
}

std::optional<StateField> stateDictionary(std::string_view value)
{
    const auto dictionary = sf::parseDictionary(value);
    if (!dictionary)
        return std::nullopt;
    Window window;
    window.limit = count(bareValue(*dictionary, "limit"));
    window.reset = seconds(bareValue(*dictionary, "reset"));
    const sf::BareItem *remaining = bareValue(*dictionary, "remaining");
    window.remaining = count(remaining);
    if (!window.limit || !window.reset || (remaining && !window.remaining))
        return std::nullopt;
    return StateField{false, {std::move(window)}};
}

std::optional<QuotaPolicy> policyOf(const sf::Member &member)
{
    const auto *item = std::get_if<sf::Item>(&member);
    if (!item)
        return std::nullopt;
    const sf::Parameters &parameters = item->parameters;
    QuotaPolicy policy;
    if (const std::string *name = text(&item->value)) {
        policy.name = *name;
        policy.quota = count(sf::find(parameters, "q"));
    } else {
        policy.quota = count(&item->value);
        if (const std::string *given = text(sf::find(parameters, "name")))
            policy.name = *given;
    }
    policy.length = seconds(sf::find(parameters, "w"));
    if (!policy.quota || malformed(parameters, "w", policy.length) || policy.length == Duration::zero())
        return std::nullopt;
    if (const std::string *unit = text(sf::find(parameters, "qu")); unit && *unit != "requests")
        policy.unit = *unit;
    policy.partition = partition(parameters);
    return policy;
}

std::optional<std::vector<QuotaPolicy>> policiesOf(const sf::List &list, std::size_t from)
{
    std::vector<QuotaPolicy> policies;
    policies.reserve(list.size() - from);
    for (std::size_t i = from; i < list.size(); ++i) {
        auto policy = policyOf(list[i]);
        if (!policy)
            return std::nullopt;
        policies.push_back(std::move(*policy));
    }
    return policies;
}

bool fits(const QuotaPolicy &policy, const Window &window)
{
    if (!policy.partition.empty() && policy.partition != window.partition)
        return false;
    if (!policy.name.empty() && policy.name == window.name)
        return true;
    return window.name.empty() && window.limit == policy.quota && !window.length;
}

} // namespace

std::optional<StateField> readStateField(std::string_view value)
{
    if (value.size() > kLongestField)
        return std::nullopt;
    // 'default;r=0;t=5' parses as both, and as a dictionary it would say nothing: the List goes first.
    auto field = stateList(value);
    return field ? field : stateDictionary(value);
}

std::optional<std::vector<QuotaPolicy>> readPolicyField(std::string_view value)
{
    if (value.size() > kLongestField)
        return std::nullopt;
    const auto list = sf::parseList(value);
    return list ? policiesOf(*list, 0) : std::nullopt;
}

std::optional<LimitField> readLimitField(std::string_view value)
{
    if (value.size() > kLongestField)
        return std::nullopt;
    const auto list = sf::parseList(value);
    const auto *first = list && !list->empty() ? std::get_if<sf::Item>(&list->front()) : nullptr;
    const auto limit = first ? count(&first->value) : std::nullopt;
    if (!limit)
        return std::nullopt;
    auto policies = policiesOf(*list, 1);
    if (!policies)
        return std::nullopt;
    return LimitField{*limit, seconds(sf::find(first->parameters, "w")), std::move(*policies)};
}

void applyPolicies(const std::vector<QuotaPolicy> &policies, std::vector<Window> &windows, std::size_t most)
{
    for (const QuotaPolicy &policy : policies) {
        const auto known = std::find_if(windows.begin(), windows.end(), [&policy](const Window &window) { return fits(policy, window); });
        if (known != windows.end()) {
            known->name = known->name.empty() ? policy.name : known->name;
            known->limit = known->limit ? known->limit : policy.quota;
            known->length = known->length ? known->length : policy.length;
            known->unit = policy.unit;
        } else if (windows.size() < most) {
            windows.push_back(Window{policy.name, policy.length, policy.quota, std::nullopt, std::nullopt, policy.unit, policy.partition});
        }
    }
}

} // namespace throttlescope::signals
