// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"

#include "simulator/scenario/presets.h"

namespace throttlescope {

namespace {

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

/// An item of a list by its name, operation or label, else by its index from 0.
Node *itemOf(Node &list, const std::string &part)
{
    for (Node &item : list.items) {
        for (const std::string_view key : {"name", "operation", "label"}) {
            const Node *name = item.find(key);
            if (name && name->text == part)
                return &item;
        }
    }
    const auto index = parseInteger(part);
    return index && *index >= 0 && static_cast<std::size_t>(*index) < list.items.size() ? &list.items[static_cast<std::size_t>(*index)] : nullptr;
}

std::vector<std::string> namesIn(const Node &node)
{
    std::vector<std::string> names;
    for (const Node::Entry &entry : node.entries)
        names.push_back(entry.key);
    for (const Node &item : node.items) {
        for (const std::string_view key : {"name", "operation", "label"}) {
            if (const Node *name = item.find(key))
                names.push_back(name->text);
        }
    }
    return names;
}

} // namespace

bool applySet(Node &document, std::map<std::string, Node> &policySets, const std::string &assignment, Problems &problems)
{
    const std::string origin = "--set " + assignment;
    const auto wrong = [&](std::string text) {
        problems.add(origin, {1, 1}, std::move(text));
        return false;
    };
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
        return wrong("no assignment, expected PATH=VALUE such as policies.batch.rate_limit.max_wait=30s");
    Node value;
    const Origin place = std::make_shared<const std::string>(origin);
    if (equals + 1 < assignment.size() && !parseYaml(std::string_view{assignment}.substr(equals + 1), place, value, problems))
        return false;
    value.mark = {1, static_cast<int>(equals) + 2};
    value.origin = place;
    std::vector<std::string> parts = split(assignment.substr(0, equals));
    Node *node = &document;
    std::size_t next = 0;
    if (parts[0] == "policies" && parts.size() > 2) {
        const Node *policies = document.find("policies");
        if (!(policies && policies->find(parts[1])) && !findPreset(parts[1]))
            return wrong(fmt::format("unknown policy '{}'{}", parts[1], suggestion(parts[1], policies ? namesIn(*policies) : std::vector<std::string>{})));
        node = &policySets[parts[1]];
        node->kind = Node::Kind::Map;
        node->origin = place;
        next = 2;
    }
    for (; next + 1 < parts.size(); ++next) {
        Node *child = node->kind == Node::Kind::Sequence ? itemOf(*node, parts[next]) : node->find(parts[next]);
        const bool named = next == 1 && (parts[0] == "servers" || parts[0] == "policies");
        if (!child && (named || node->kind == Node::Kind::Sequence || next == 0))
            return wrong(fmt::format("nothing is called '{}'{}", parts[next], suggestion(parts[next], namesIn(*node))));
        if (!child) { // a map that is not written yet; its key is checked when it is bound
            Node map;
            map.kind = Node::Kind::Map;
            map.origin = place;
            map.mark = {1, 1};
            child = &node->set(parts[next], map);
        }
        node = child;
    }
    if (node->kind == Node::Kind::Sequence) {
        Node *item = itemOf(*node, parts.back());
        if (!item)
            return wrong(fmt::format("nothing is called '{}'{}", parts.back(), suggestion(parts.back(), namesIn(*node))));
        *item = value;
        return true;
    }
    if (node->kind == Node::Kind::Scalar)
        return wrong(fmt::format("'{}' is a single value, expected a path to a key", parts[parts.size() - 2]));
    Node &written = node->set(parts.back(), value);
    written.mark = value.mark;
    return true;
}

} // namespace throttlescope
