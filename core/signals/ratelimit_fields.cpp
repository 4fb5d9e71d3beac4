// SPDX-License-Identifier: Apache-2.0
#include "core/signals/ratelimit_fields.h"

#include <algorithm>
#include <array>
#include <limits>

namespace throttlescope::signals {

namespace {

struct NamedSpan {
    std::string_view name;
    Duration length;
};
constexpr std::array<NamedSpan, 4> kSaiaWindows{{{"minute", std::chrono::minutes{1}}, {"hour", std::chrono::hours{1}}, {"day", std::chrono::hours{24}}, {"month", std::chrono::hours{24 * 30}}}};
constexpr std::int64_t kEpochFrom = 1'000'000'000;
constexpr std::size_t kMostWindows = 64; ///< a hostile field may list more

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool startsWithName(std::string_view name, std::string_view prefix)
{
    return name.size() >= prefix.size() && sameHeaderName(name.substr(0, prefix.size()), prefix);
}

/// Cuts the first part off `rest`, up to `separator` outside a quoted string.
std::string_view cut(std::string_view &rest, char separator)
{
    bool quoted = false;
    std::size_t i = 0;
    for (; i < rest.size() && (quoted || rest[i] != separator); ++i) {
        if (rest[i] == '"')
            quoted = !quoted;
        else if (rest[i] == '\\' && quoted)
            ++i;
    }
    i = std::min(i, rest.size());
    const std::string_view part = trimmed(rest.substr(0, i));
    rest.remove_prefix(std::min(rest.size(), i + 1));
    return part;
}

std::optional<std::uint64_t> count(std::string_view text)
{
    const auto number = digits(trimmed(text));
    return number ? std::optional{static_cast<std::uint64_t>(*number)} : std::nullopt;
}

std::optional<std::uint64_t> countOf(const Headers &headers, std::string_view name)
{
    const std::string *value = findHeader(headers, name);
    return value ? count(*value) : std::nullopt;
}

/// By magnitude: 1e9 and more is epoch seconds, and one in the past is 0; else delta seconds.
std::optional<Duration> reset(std::string_view text, WallTime now)
{
    const auto number = digits(trimmed(text));
    if (!number)
        return std::nullopt;
    if (*number < kEpochFrom)
        return std::chrono::seconds{*number};
    if (*number >= kEpochFrom * 100)
        return std::nullopt;
    const WallTime moment{std::chrono::seconds{*number}};
    return moment > now ? moment - now : Duration::zero();
}

/// `name;q=1;w=60` or `limit=10`: calls back with the bare item and each parameter.
template <typename OnParameter>
std::string_view parameters(std::string_view member, OnParameter onParameter)
{
    const std::string_view item = cut(member, ';');
    while (!member.empty()) {
        std::string_view parameter = cut(member, ';');
        const std::size_t equals = parameter.find('=');
        if (equals != std::string_view::npos)
            onParameter(trimmed(parameter.substr(0, equals)), trimmed(parameter.substr(equals + 1)));
    }
    return item;
}

std::string unquoted(std::string_view item)
{
    if (item.size() >= 2 && item.front() == '"' && item.back() == '"')
        return std::string{item.substr(1, item.size() - 2)};
    return std::string{item};
}

/// drafts 08-10: "name";r=50;t=30, a member a window.
bool readList(std::string_view value, RateLimitState &state)
{
    std::vector<Window> windows;
    while (!value.empty() && windows.size() < kMostWindows) {
        Window window;
        const std::string_view item = parameters(cut(value, ','), [&window](std::string_view key, std::string_view number) {
            if (key == "r")
                window.remaining = count(number);
            else if (key == "q")
                window.limit = count(number);
            else if (const auto seconds = digits(number); key == "t" && seconds)
                window.reset = saturatingMultiply(Duration{1'000'000}, *seconds);
        });
        if (item.empty() || item.find('=') != std::string_view::npos || !window.remaining)
            return false;
        window.name = unquoted(item);
        windows.push_back(std::move(window));
    }
    state.windows.insert(state.windows.end(), windows.begin(), windows.end());
    return !windows.empty();
}

/// draft 07: limit=100, remaining=50, reset=5.
bool readDictionary(std::string_view value, RateLimitState &state)
{
    Window window;
    while (!value.empty()) {
        const std::string_view member = cut(value, ',');
        const std::size_t equals = member.find('=');
        if (equals == std::string_view::npos)
            return false;
        const std::string_view key = trimmed(member.substr(0, equals));
        const std::string_view number = member.substr(equals + 1);
        if (key == "limit")
            window.limit = count(number);
        else if (key == "remaining")
            window.remaining = count(number);
        else if (const auto seconds = digits(trimmed(number)); key == "reset" && seconds)
            window.reset = saturatingMultiply(Duration{1'000'000}, *seconds);
    }
    if (!window.limit || !window.reset)
        return false;
    state.windows.push_back(std::move(window));
    return true;
}

/// RateLimit-Policy, and the quota policies behind the first member of drafts 00-03's RateLimit-Limit: fills in what the
/// windows lack, by name or, for the one unnamed window, by its limit.
void readPolicies(std::string_view value, RateLimitState &state)
{
    for (std::size_t members = 0; !value.empty() && members < kMostWindows; ++members) {
        std::optional<std::uint64_t> quota;
        std::optional<Duration> length;
        const std::string_view item = parameters(cut(value, ','), [&](std::string_view key, std::string_view number) {
            if (key == "q")
                quota = count(number);
            else if (const auto seconds = digits(number); key == "w" && seconds)
                length = saturatingMultiply(Duration{1'000'000}, *seconds);
        });
        const bool named = !item.empty() && item.front() == '"';
        if (!named)
            quota = count(item);
        for (Window &window : state.windows) {
            if (named ? window.name == unquoted(item) : window.limit == quota && !window.length) {
                window.limit = window.limit ? window.limit : quota;
                window.length = window.length ? window.length : length;
                break;
            }
        }
    }
}

bool readSaia(const Headers &headers, WallTime now, RateLimitState &state)
{
    const std::size_t before = state.windows.size();
    for (const auto &[name, length] : kSaiaWindows) {
        Window window;
        window.limit = countOf(headers, std::string{"x-ratelimit-limit-"}.append(name));
        window.remaining = countOf(headers, std::string{"x-ratelimit-remaining-"}.append(name));
        if (!window.limit && !window.remaining)
            continue;
        window.name = name;
        window.length = length;
        if (const std::string *text = findHeader(headers, "ratelimit-reset"); text && state.windows.size() == before)
            window.reset = reset(*text, now); // told once: the shortest window's, in practice the minute's
        state.windows.push_back(std::move(window));
    }
    return state.windows.size() > before;
}

void readTriple(const Headers &headers, std::string_view prefix, WallTime now, RateLimitState &state)
{
    const std::string start{prefix};
    Window window;
    const std::string *limit = findHeader(headers, start + "Limit");
    if (limit) {
        std::string_view rest = *limit;
        window.limit = count(cut(rest, ','));
    }
    window.remaining = countOf(headers, start + "Remaining");
    if (const std::string *text = findHeader(headers, start + "Reset"))
        window.reset = reset(*text, now);
    if (!window.limit && !window.remaining)
        return;
    if (const std::string *resource = findHeader(headers, start + "Resource"))
        window.name = *resource;
    state.windows.push_back(std::move(window));
    if (limit) {
        std::string_view policies = *limit;
        cut(policies, ',');
        readPolicies(policies, state);
    }
}

} // namespace

std::optional<std::int64_t> digits(std::string_view text)
{
    if (text.empty())
        return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9')
            return std::nullopt;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
            value = std::numeric_limits<std::int64_t>::max() / 10 * 10; // saturates; the rest is still checked for digits
    }
    return value;
}

std::optional<double> decimalNumber(std::string_view text)
{
    const std::size_t dot = text.find('.');
    const auto whole = digits(text.substr(0, dot));
    if (!whole || dot == std::string_view::npos)
        return whole ? std::optional{static_cast<double>(*whole)} : std::nullopt;
    const std::string_view fraction = text.substr(dot + 1);
    if (!digits(fraction))
        return std::nullopt;
    double value = static_cast<double>(*whole);
    double scale = 0.1;
    for (const char c : fraction.substr(0, 18)) {
        value += (c - '0') * scale;
        scale /= 10;
    }
    return value;
}

bool isRateLimitField(std::string_view name)
{
    return startsWithName(name, "RateLimit") || startsWithName(name, "X-RateLimit-");
}

const HeaderField *resetField(const Headers &headers)
{
    for (const std::string_view name : {"ratelimit-reset", "x-ratelimit-reset", "RateLimit"}) {
        const auto found = std::find_if(headers.begin(), headers.end(), [name](const HeaderField &field) { return sameHeaderName(field.name, name); });
        if (found != headers.end())
            return &*found;
    }
    return nullptr;
}

void readRateLimitFields(const Headers &headers, WallTime now, RateLimitState &state)
{
    if (const std::string *combined = findHeader(headers, "RateLimit")) {
        // 'default;r=0;t=5' parses as both: the List comes first.
        if (!readList(*combined, state) && !readDictionary(*combined, state))
            state.unreadable.push_back({"RateLimit", *combined, "neither the list of drafts 08-10 nor the dictionary of draft 07"});
    }
    if (!readSaia(headers, now, state)) {
        readTriple(headers, "RateLimit-", now, state);
        readTriple(headers, "X-RateLimit-", now, state);
    }
    if (const std::string *policy = findHeader(headers, "RateLimit-Policy"))
        readPolicies(*policy, state);
}

} // namespace throttlescope::signals
