// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/codec.h"
#include "simulator/scenario/loader.h"
#include "simulator/scenario/presets.h"

#include <array>

namespace throttlescope {

namespace {

constexpr std::array<std::string_view, 3> kNameKeys{"name", "operation", "label"};
/// The flat keys of a policy and the keys of rate_limit that they stand for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kShorthand{
    {{"max_wait", "max_wait"}, {"rate_limit_on", "statuses"}, {"retry_after", "extractor"}}};

std::vector<std::string> split(std::string_view path)
{
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t dot = std::min(path.find('.', from), path.size());
        parts.emplace_back(path.substr(from, dot - from));
        from = dot + 1;
    }
    return parts;
}

std::vector<std::string> namesIn(const Node &node)
{
    std::vector<std::string> names;
    for (const Node::Entry &entry : node.entries)
        names.push_back(entry.key);
    for (const Node &item : node.items) {
        for (const std::string_view key : kNameKeys) {
            if (const Node *name = item.find(key))
                names.push_back(name->text);
        }
    }
    return names;
}

/// The value's columns as they stand in the whole option.
void shift(Node &node, int columns)
{
    node.mark.column += columns;
    for (Node &item : node.items)
        shift(item, columns);
    for (Node::Entry &entry : node.entries) {
        entry.mark.column += columns;
        shift(entry.value, columns);
    }
}

class Assignment {
public:
    Assignment(const std::string &text, Problems &problems)
        : m_text(text)
        , m_origin(std::make_shared<const std::string>("--set " + text))
        , m_problems(problems)
    {
    }

    bool apply(Node &document, std::map<std::string, Node> &policySets)
    {
        const std::size_t equals = m_text.find('=');
        if (equals == std::string::npos || equals == 0)
            return wrong("no assignment, expected PATH=VALUE such as policies.batch.rate_limit.max_wait=30s");
        m_value.origin = m_origin;
        m_value.mark = {1, 1};
        if (m_text.find_first_not_of(" \t", equals + 1) == std::string::npos) // a variable that was not set, perhaps
            return wrong("no value after '=', expected one; null unsets");
        if (!parseYaml(std::string_view{m_text}.substr(equals + 1), m_origin, m_value, m_problems))
            return false;
        shift(m_value, static_cast<int>(equals) + 1);
        m_parts = split(std::string_view{m_text}.substr(0, equals));
        if (std::any_of(m_parts.begin(), m_parts.end(), [](const std::string &part) { return part.empty(); }))
            return wrong("an empty name in the path, expected names between the dots");
        if (m_parts[0] == "throttlescope")
            return wrong("the version is the file's own, expected another key");
        if (m_parts[0] == "policies" && m_parts.size() > 2)
            return toPolicy(document.find("policies"), policySets);
        return to(document, 0);
    }

private:
    bool wrong(std::string text)
    {
        m_problems.add(*m_origin, {1, 1}, std::move(text));
        return false;
    }

    /// The name that begins at a part: names may have dots in them, so the longest that is there.
    template <typename Known>
    std::pair<std::string, std::size_t> name(std::size_t at, const Known &known) const
    {
        for (std::size_t end = m_parts.size(); end > at + 1; --end) {
            std::string joined = fmt::format("{}",
                fmt::join(m_parts.begin() + static_cast<std::ptrdiff_t>(at), m_parts.begin() + static_cast<std::ptrdiff_t>(end), "."));
            if (known(joined))
                return {std::move(joined), end};
        }
        return {m_parts[at], at + 1};
    }

    /// Policies are set apart, as the layer above a workload row's.
    bool toPolicy(const Node *policies, std::map<std::string, Node> &policySets)
    {
        const auto known = [policies](const std::string &policy) { return (policies && policies->find(policy)) || findPreset(policy); };
        const auto [policy, next] = name(1, known);
        if (!known(policy)) {
            std::vector<std::string> names = policies ? namesIn(*policies) : std::vector<std::string>{};
            for (const Preset &preset : presets())
                names.emplace_back(preset.name);
            return wrong(fmt::format("unknown policy '{}'{}", policy, suggestion(policy, names)));
        }
        if (next == m_parts.size())
            return wrong(fmt::format("'{}' is the name of a policy, expected a key of it", policy));
        Node &set = policySets[policy];
        set.kind = Node::Kind::Map;
        set.origin = m_origin;
        set.mark = {1, 1};
        if (!set.find("rate_limit")) // so that a flat key and a key of the map may both be set
            map(set, "rate_limit");
        return to(set, next);
    }

    bool to(Node &node, std::size_t at)
    {
        if (node.kind == Node::Kind::Sequence)
            return toItems(node, at);
        if (node.isScalar())
            return wrong(fmt::format("'{}' is a single value, expected a path that ends there", m_parts[at - 1]));
        auto [key, next] = name(at, [&node](const std::string &joined) { return node.find(joined) != nullptr; });
        // The flat keys of a policy are shorthand; where the map is written they mean the keys in it.
        if (Node *rules = node.find("rate_limit"); rules && next == m_parts.size()) {
            for (const auto &[flat, full] : kShorthand) {
                if (key == flat && rules->isMap())
                    return place(*rules, std::string{full});
            }
        }
        if (next == m_parts.size())
            return place(node, key);
        Node *child = node.find(key);
        const bool part = at == 0 || (at == 1 && m_parts[0] == "servers");
        if (!child && part)
            return wrong(fmt::format("nothing is called '{}'{}", key, suggestion(key, namesIn(node))));
        return to(child ? *child : map(node, key), next);
    }

    bool toItems(Node &list, std::size_t at)
    {
        std::vector<Node *> items;
        const auto named = [&list](const std::string &joined) {
            std::vector<Node *> found;
            for (Node &item : list.items) {
                const bool bears = std::any_of(kNameKeys.begin(), kNameKeys.end(), [&](std::string_view key) {
                    const Node *text = item.find(key);
                    return text && text->text == joined;
                });
                if (bears)
                    found.push_back(&item);
            }
            return found;
        };
        const auto [item, next] = name(at, [&named](const std::string &joined) { return !named(joined).empty(); });
        items = named(item);
        if (const auto index = parseInteger(item);
            items.empty() && index && *index >= 0 && static_cast<std::size_t>(*index) < list.items.size())
            items.push_back(&list.items[static_cast<std::size_t>(*index)]);
        if (items.empty())
            return wrong(fmt::format("nothing is called '{}'{}", item, suggestion(item, namesIn(list))));
        for (Node *each : items) {
            if (next == m_parts.size())
                *each = m_value;
            else if (!to(*each, next))
                return false;
        }
        return true;
    }

    /// A map that is not written yet; its key is checked when it is bound.
    Node &map(Node &node, const std::string &key)
    {
        Node empty;
        empty.kind = Node::Kind::Map;
        empty.origin = m_origin;
        empty.mark = {1, 1};
        return node.set(key, std::move(empty));
    }

    bool place(Node &node, const std::string &key)
    {
        node.erase(key); // the key's place is the option's, too
        node.set(key, m_value);
        node.entries.back().mark = {1, 1};
        return true;
    }

    const std::string &m_text;
    Origin m_origin;
    Problems &m_problems;
    Node m_value;
    std::vector<std::string> m_parts;
};

} // namespace

bool applySet(Node &document, std::map<std::string, Node> &policySets, const std::string &assignment, Problems &problems)
{
    return Assignment{assignment, problems}.apply(document, policySets);
}

} // namespace throttlescope
