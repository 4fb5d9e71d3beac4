// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/policy_layers.h"

#include "simulator/scenario/presets.h"

#include <array>

namespace throttlescope {

namespace {

const SchemaPtr kNoSchema;

SchemaPtr schemaOf(const Schema &record, std::string_view key)
{
    for (const Schema::Field &row : record.fields) {
        if (row.key == key)
            return row.schema;
    }
    return kNoSchema;
}

/// In one layer `kind` and `sequence` speak of the same thing: the upper layer's word drops the lower's.
void settleBackoffKind(Node &base, const Node &over)
{
    const auto written = [&over](std::string_view key) { // null unsets, it says nothing
        const Node *value = over.find(key);
        return value && value->kind != Node::Kind::Null ? value : nullptr;
    };
    const Node *kind = written("kind");
    const bool otherKind = kind && kind->text != "sequence";
    if (otherKind && !written("sequence"))
        base.erase("sequence");
    else if (written("sequence") && !kind)
        base.erase("kind");
}

void mergeInto(Node &base, const Node &over, const Schema &record)
{
    if (base.kind == Node::Kind::Null)
        base.kind = Node::Kind::Map;
    if (base.mark.line == 0 || over.mark.line != 0) {
        base.mark = over.mark;
        base.origin = over.origin;
    }
    for (const Node::Entry &entry : over.entries) {
        const SchemaPtr schema = schemaOf(record, entry.key);
        Node *below = base.find(entry.key);
        if (entry.value.kind == Node::Kind::Null) {
            base.erase(entry.key);
        } else if (below && below->isMap() && entry.value.isMap() && schema && !schema->fields.empty()) {
            if (entry.key == "backoff")
                settleBackoffKind(*below, entry.value);
            mergeInto(*below, entry.value, *schema);
        } else {
            base.erase(entry.key);
            base.entries.push_back(entry);
        }
    }
}

/// The flat keys are shorthand for keys of rate_limit, and an error beside it.
Node withoutShorthand(Node layer, Problems &problems)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> shorthand{
        {{"max_wait", "max_wait"}, {"rate_limit_on", "statuses"}, {"retry_after", "extractor"}}};
    const bool hasMap = layer.find("rate_limit") != nullptr;
    for (const auto &[flat, full] : shorthand) {
        const Node *written = layer.find(flat);
        if (!written)
            continue;
        const Node value = *written;
        if (hasMap) {
            const auto entry = std::find_if(
                layer.entries.begin(), layer.entries.end(), [flat = flat](const Node::Entry &each) { return each.key == flat; });
            problems.add(value.origin ? *value.origin : "", entry->mark,
                fmt::format("'{}' beside a rate_limit map, expected 'rate_limit: {{{}: …}}'", flat, full));
        } else {
            Node map;
            map.kind = Node::Kind::Map;
            map.mark = value.mark;
            map.origin = value.origin;
            Node &target = layer.find("rate_limit") ? *layer.find("rate_limit") : layer.set("rate_limit", map);
            target.set(full, value);
        }
        layer.erase(flat);
    }
    return layer;
}

bool writtenByHand(const Node &node)
{
    return node.origin && node.origin->rfind("preset ", 0) != 0;
}

std::string originText(const Node &node)
{
    if (!node.origin)
        return "default";
    return writtenByHand(node) && node.origin->rfind("--set", 0) != 0
        ? fmt::format("{}:{}:{}", *node.origin, node.mark.line, node.mark.column)
        : *node.origin;
}

} // namespace

PolicyLayers::PolicyLayers(const Node *policies, std::map<std::string, Node> sets, Problems &problems)
    : m_policies(policies)
    , m_sets(std::move(sets))
    , m_problems(problems)
{
}

bool PolicyLayers::known(const std::string &name) const
{
    return (m_policies && m_policies->find(name)) || findPreset(name);
}

std::vector<std::string> PolicyLayers::names() const
{
    std::vector<std::string> names;
    for (std::size_t i = 0; m_policies && i < m_policies->entries.size(); ++i)
        names.push_back(m_policies->entries[i].key);
    for (const Preset &preset : presets())
        names.emplace_back(preset.name);
    return names;
}

Node PolicyLayers::merged(const std::string &name, const Node *overlay)
{
    const Schema &table = *policyCodec().schema;
    Node result;
    result.kind = Node::Kind::Map;
    const Node *own = m_policies ? m_policies->find(name) : nullptr;
    const auto set = m_sets.find(name);
    Node layer = own ? *own : Node{};
    const Node *base = layer.isMap() ? layer.find("preset") : nullptr;
    if (const Node *replaced = set != m_sets.end() ? set->second.find("preset") : nullptr)
        base = replaced;
    const Preset *preset = findPreset(base ? base->text : own ? "" : name);
    if (base && !preset) {
        std::vector<std::string> known;
        for (const Preset &each : presets())
            known.emplace_back(each.name);
        refuse(*base, m_problems,
            fmt::format("unknown preset '{}'{}", shown(base->isScalar() ? base->text : std::string{base->kindName()}),
                suggestion(base->text, known)));
    }
    if (preset)
        mergeInto(result, withoutShorthand(presetNode(*preset), m_problems), table);
    if (own && !own->isMap() && own->kind != Node::Kind::Null)
        refuse(*own, m_problems, fmt::format("{}, expected a map of policy keys", own->kindName()));
    layer.erase("preset");
    if (layer.isMap())
        mergeInto(result, withoutShorthand(layer, m_problems), table);
    if (overlay)
        mergeInto(result, withoutShorthand(*overlay, m_problems), table);
    if (set != m_sets.end()) {
        Node last = set->second;
        last.erase("preset");
        mergeInto(result, withoutShorthand(last, m_problems), table);
    }
    return result;
}

bool PolicyLayers::bind(const Node &merged, const std::string &name, Policy &policy)
{
    policy.name = name;
    if (!policyFileCodec().read(merged, policy, m_problems))
        return false;
    const Node *rules = merged.find("rate_limit");
    for (const std::string_view key : {"max_wait", "extractor"}) {
        const Node *written = rules ? rules->find(key) : nullptr;
        if (written && writtenByHand(*written) && policy.rateLimit.statuses.empty())
            return refuse(
                *written, m_problems, fmt::format("{} where nothing counts as rate limited, expected a status in 'statuses'", key));
    }
    return true;
}

std::vector<ResolvedField> resolvedFields(const Node &merged, const Policy &policy)
{
    const Node values = policyCodec().write(policy);
    std::vector<ResolvedField> fields;
    for (const PolicyRow &row : policyRows()) {
        const Node *value = nodeAt(values, row.path);
        const Node *written = nodeAt(merged, row.path);
        if (!written && row.path == "backoff.kind")
            written = nodeAt(merged, "backoff.sequence"); // which says the kind, too
        if (written && written->kind == Node::Kind::Null)
            written = nullptr;
        fields.push_back({row.path, value ? flowText(*value) : "none", written ? originText(*written) : "default"});
    }
    return fields;
}

} // namespace throttlescope
