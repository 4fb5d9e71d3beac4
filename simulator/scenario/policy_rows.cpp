// SPDX-License-Identifier: Apache-2.0
#include "core/journal/json_line.h"
#include "simulator/scenario/policy_fields.h"
#include "simulator/scenario/policy_text.h"

namespace throttlescope {

namespace {

void appendRows(const Schema &schema, const std::string &prefix, const Node *defaults, std::vector<PolicyRow> &rows)
{
    for (const Schema::Field &row : schema.fields) {
        const std::string path = prefix.empty() ? row.key : prefix + '.' + row.key;
        const Node *written = defaults ? defaults->find(row.key) : nullptr;
        if (row.schema->kind == Schema::Kind::Record)
            appendRows(*row.schema, path, written, rows);
        else
            rows.push_back({path, row.schema->expected, written ? flowText(*written) : "", row.doc, row.schema->kind, row.schema->words,
                row.schema->least, row.schema->most});
    }
}

void appendNodeJson(std::string &out, const Node &node)
{
    switch (node.kind) {
    case Node::Kind::Null: out += "null"; break;
    case Node::Kind::Scalar:
        if (node.quoted)
            journal::appendJsonText(out, node.text);
        else
            out += node.text;
        break;
    case Node::Kind::Sequence:
        out += '[';
        for (const Node &item : node.items) {
            if (out.back() != '[')
                out += ',';
            appendNodeJson(out, item);
        }
        out += ']';
        break;
    case Node::Kind::Map:
        out += '{';
        for (const Node::Entry &entry : node.entries) {
            if (out.back() != '{')
                out += ',';
            journal::appendJsonText(out, entry.key);
            out += ':';
            appendNodeJson(out, entry.value);
        }
        out += '}';
        break;
    }
}

/// What a plain scalar in a flow map cannot hold, or would be read as something else.
bool needsQuotes(std::string_view text)
{
    constexpr std::string_view indicators = "-?:,[]{}#&*!|>'\"%@`~ ";
    const auto special = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f
            || std::string_view{",[]{}\"'#&*!|>@`\\"}.find(c) != std::string_view::npos;
    };
    return text.empty() || indicators.find(text.front()) != std::string_view::npos || text.back() == ' ' || text.back() == ':'
        || text.find(": ") != std::string_view::npos || text == "null" || text == "Null" || text == "NULL"
        || std::any_of(text.begin(), text.end(), special);
}

std::string quotedText(const std::string &text)
{
    std::string out;
    journal::appendJsonText(out, text); // JSON's escapes are among those of YAML
    return out;
}

} // namespace

std::vector<PolicyRow> policyRows()
{
    std::vector<PolicyRow> rows;
    const Node defaults = policyCodec().write(Policy{});
    appendRows(*policyCodec().schema, "", &defaults, rows);
    return rows;
}

const Node *nodeAt(const Node &root, std::string_view path)
{
    const Node *node = &root;
    for (std::size_t from = 0; node && from <= path.size();) {
        const std::size_t dot = std::min(path.find('.', from), path.size());
        node = node->find(path.substr(from, dot - from));
        from = dot + 1;
    }
    return node;
}

std::string policyValue(const Policy &policy, std::string_view path)
{
    const Node values = policyCodec().write(policy);
    const Node *value = nodeAt(values, path);
    return value ? flowText(*value) : "";
}

tl::expected<void, std::string> setPolicyValue(Policy &policy, std::string_view path, std::string_view text)
{
    const auto rows = policyRows();
    if (std::none_of(rows.begin(), rows.end(), [path](const PolicyRow &row) { return row.path == path; }))
        return tl::unexpected(fmt::format("'{}' is no key of a policy, expected one such as rate_limit.max_wait", shown(path)));
    Problems problems;
    Node value;
    const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (!blank && !parseYaml(text, std::make_shared<const std::string>(path), value, problems))
        return tl::unexpected(problems.sorted().front().text);
    Node written = policyCodec().write(policy);
    const std::size_t dot = path.rfind('.');
    const std::string_view key = path.substr(dot == std::string_view::npos ? 0 : dot + 1);
    Node *map = &written;
    if (const std::string record{path.substr(0, dot == std::string_view::npos ? 0 : dot)}; !record.empty()) {
        for (std::size_t from = 0; from <= record.size();) {
            const std::size_t end = std::min(record.find('.', from), record.size());
            const std::string part = record.substr(from, end - from);
            map = map->find(part) ? map->find(part) : &map->set(part, Node{});
            map->kind = Node::Kind::Map;
            from = end + 1;
        }
    }
    // The two say the same thing of a backoff: what is set last drops the other.
    if (path == "backoff.sequence")
        map->erase("kind");
    if (path == "backoff.kind" && value.text != "sequence")
        map->erase("sequence");
    map->erase(key);
    if (value.kind != Node::Kind::Null)
        map->set(key, std::move(value));
    Policy changed;
    if (!policyCodec().read(written, changed, problems))
        return tl::unexpected(problems.sorted().front().text);
    changed.name = policy.name;
    if (path != "rate_limit.extractor" && !changed.rateLimit.extractor)
        changed.rateLimit.extractor = policy.rateLimit.extractor; // one in code has no text
    policy = std::move(changed);
    return {};
}

std::string flowText(const Node &node)
{
    std::vector<std::string> parts;
    switch (node.kind) {
    case Node::Kind::Null: return "null";
    case Node::Kind::Scalar: return node.quoted && needsQuotes(node.text) ? quotedText(node.text) : node.text;
    case Node::Kind::Sequence:
        for (const Node &item : node.items)
            parts.push_back(flowText(item));
        return fmt::format("[{}]", fmt::join(parts, ", "));
    case Node::Kind::Map:
        for (const Node::Entry &entry : node.entries)
            parts.push_back(fmt::format("{}: {}", entry.key, flowText(entry.value)));
        return fmt::format("{{{}}}", fmt::join(parts, ", "));
    }
    return {};
}

std::string policyJson(const Policy &policy)
{
    std::string out;
    appendNodeJson(out, policyCodec().write(policy));
    return out;
}

std::string policyYaml(const Policy &policy)
{
    std::string out;
    const Node written = policyCodec().write(policy);
    for (const Node::Entry &entry : written.entries)
        out += fmt::format("{}: {}\n", entry.key, flowText(entry.value));
    return out;
}

std::string policiesJson(const std::map<std::string, std::shared_ptr<const Policy>> &policies)
{
    std::string out = "{";
    for (const auto &[name, policy] : policies) {
        if (out.back() != '{')
            out += ',';
        journal::appendJsonText(out, name);
        out += ':' + policyJson(*policy);
    }
    return out + '}';
}

} // namespace throttlescope
