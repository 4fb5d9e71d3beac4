// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/policy_save.h"

#include "simulator/scenario/policy_text.h"
#include "simulator/scenario/presets.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace throttlescope::dashboard {

namespace {

struct Document {
    Node root;
    std::map<std::string, Node> sets; ///< by policy
    const Node *policies() const { return root.find("policies"); }
};

Document documentOf(const PolicyDraft &draft)
{
    Document document;
    Problems problems{draft.file()};
    parseYaml(draft.text(), std::make_shared<const std::string>(draft.file()), document.root, problems);
    Node unsaved = document.root; // the other edits go nowhere
    for (const std::string &assignment : draft.assignments())
        applySet(unsaved, document.sets, assignment, problems);
    return document;
}

/// Leaves of what somebody wrote; what a preset says is left to it.
bool dropPresetValues(Node &node)
{
    if (!node.isMap())
        return node.origin && node.origin->rfind("preset ", 0) != 0;
    auto &entries = node.entries;
    entries.erase(
        std::remove_if(entries.begin(), entries.end(), [](Node::Entry &entry) { return !dropPresetValues(entry.value); }), entries.end());
    return !entries.empty();
}

/// The name in `preset:` of the policy with its edits, or nothing.
std::string presetOf(const Document &document, const std::string &policy)
{
    const auto set = document.sets.find(policy);
    if (const Node *chosen = set != document.sets.end() ? set->second.find("preset") : nullptr)
        return chosen->text;
    const Node *policies = document.policies();
    const Node *own = policies ? policies->find(policy) : nullptr;
    if (const Node *chosen = own && own->isMap() ? own->find("preset") : nullptr)
        return chosen->text;
    return !own && findPreset(policy) ? policy : std::string{};
}

/// What the policy's layer of the file would have to say.
Node shortLayer(const Document &document, const std::string &policy)
{
    Problems problems;
    PolicyLayers layers{document.policies(), document.sets, problems};
    Node layer = layers.merged(policy, nullptr);
    dropPresetValues(layer);
    if (const std::string preset = presetOf(document, policy); !preset.empty())
        layer.entries.insert(layer.entries.begin(), {"preset", {}, Node::scalar(preset)});
    return layer;
}

/// Does a file that says just this come to the same policy?
bool comesTo(const Node &layer, const Policy &expected)
{
    Node policies;
    policies.set(expected.name, layer);
    Problems problems;
    PolicyLayers layers{&policies, {}, problems};
    Policy policy;
    return layers.bind(layers.merged(expected.name, nullptr), expected.name, policy) && problems.none() && policy == expected;
}

/// The short layer, or every value without a preset where an edit unsets what the preset says.
Node layerOf(const PolicyDraft &draft, const Document &document, const std::string &policy)
{
    Node layer = shortLayer(document, policy);
    const auto &policies = draft.scenario()->scenario.policies;
    const auto resolved = policies.find(policy);
    return resolved == policies.end() || comesTo(layer, *resolved->second) ? layer : policyCodec().write(*resolved->second);
}

std::string blockText(const Node &layer, const std::string &indent)
{
    std::string text;
    for (const Node::Entry &entry : layer.entries)
        text += fmt::format("{}{}: {}\n", indent, entry.key, flowText(entry.value));
    return text;
}

std::size_t offsetOf(std::string_view text, const Mark &mark)
{
    std::size_t at = 0;
    for (int line = 1; line < mark.line; ++line)
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    for (int column = 1; column < mark.column && at < text.size(); ++column) {
        for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;)
            ++at;
    }
    return at;
}

std::size_t lineBegin(std::string_view text, std::size_t at)
{
    const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t lineEnd(std::string_view text, std::size_t at)
{
    return std::min(text.find('\n', at), text.size());
}

/// Past the bracket that closes the one at `at`; quoted text and comments have none.
std::size_t pastFlow(std::string_view text, std::size_t at)
{
    int depth = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            for (++at; at < text.size() && text[at] != '"'; ++at)
                at += text[at] == '\\' ? 1 : 0;
        } else if (c == '\'' && std::string_view{" ,[{:\n"}.find(text[at - 1]) != std::string_view::npos) {
            at = std::min(text.find('\'', at + 1), text.size());
        } else if (c == '#' && std::string_view{" \n\t"}.find(text[at - 1]) != std::string_view::npos) {
            at = lineEnd(text, at);
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return at + 1;
        }
    }
    return text.size();
}

/// Past the last line of a block whose first key stands at `at`: lines further in than its parent's key.
std::size_t pastBlock(std::string_view text, std::size_t at, std::size_t parentColumn)
{
    std::size_t end = lineEnd(text, at);
    for (std::size_t line = end + 1; line < text.size();) {
        const std::size_t next = lineEnd(text, line);
        const std::size_t first = text.find_first_not_of(' ', line);
        if (first < next && text[first] != '#') {
            if (first - line <= parentColumn)
                break;
            end = next;
        }
        line = next + 1;
    }
    return end;
}

struct Splice {
    std::size_t from = 0, to = 0;
    std::string text;
};

/// Where a policy's new value goes; none where the file has no place for it.
std::optional<Splice> spliceFor(const PolicyDraft &draft, const Document &document, const std::string &policy, const Node &layer)
{
    const std::string &text = draft.text();
    const Node *policies = document.policies();
    if (!policies || policies->entries.empty()) {
        const bool flow = text.find_first_not_of(" \t\r\n") != std::string::npos && text[text.find_first_not_of(" \t\r\n")] == '{';
        if (flow || policies)
            return std::nullopt;
        const std::string newline = text.empty() || text.back() == '\n' ? "" : "\n";
        return Splice{text.size(), text.size(), fmt::format("{}policies:\n  {}:\n{}", newline, policy, blockText(layer, "    "))};
    }
    const Node *own = policies->find(policy);
    const bool flowMap = text[offsetOf(text, policies->mark)] == '{';
    if (!own) { // before the first one
        const std::size_t at = offsetOf(text, policies->entries.front().mark);
        const std::string indent(at - lineBegin(text, at), ' ');
        return Splice{at, at,
            flowMap ? fmt::format("{}: {}, ", policy, flowText(layer))
                    : fmt::format("{}:\n{}{}", policy, blockText(layer, indent + "  "), indent)};
    }
    if (!own->isMap())
        return std::nullopt;
    const std::size_t at = offsetOf(text, own->mark);
    if (text[at] == '{')
        return Splice{at, pastFlow(text, at), flowText(layer)};
    const auto entry = std::find_if(
        policies->entries.begin(), policies->entries.end(), [&policy](const Node::Entry &each) { return each.key == policy; });
    const std::size_t key = offsetOf(text, entry->mark);
    const std::string indent(at - lineBegin(text, at), ' ');
    std::string block = blockText(layer, indent);
    return Splice{lineBegin(text, at), pastBlock(text, at, key - lineBegin(text, key)), block.substr(0, block.size() - 1)};
}

bool samePolicies(const Scenario &a, const Scenario &b)
{
    return a.policies.size() == b.policies.size()
        && std::equal(a.policies.begin(), a.policies.end(), b.policies.begin(),
            [](const auto &x, const auto &y) { return x.first == y.first && *x.second == *y.second; });
}

/// The text with all of them replaced.
std::optional<std::string> replaced(const PolicyDraft &draft, const Document &document)
{
    std::vector<Splice> splices;
    for (const auto &[policy, set] : document.sets) {
        auto splice = spliceFor(draft, document, policy, layerOf(draft, document, policy));
        if (!splice)
            return std::nullopt;
        splices.push_back(std::move(*splice));
    }
    std::sort(splices.begin(), splices.end(), [](const Splice &a, const Splice &b) { return a.from > b.from; });
    std::string text = draft.text();
    for (const Splice &splice : splices)
        text.replace(splice.from, splice.to - splice.from, splice.text);
    return text;
}

} // namespace

std::string policyBlock(const PolicyDraft &draft, const std::string &policy)
{
    const std::string written = draft.writtenName(policy);
    return fmt::format("policies:\n  {}:\n{}", written, blockText(layerOf(draft, documentOf(draft), written), "    "));
}

tl::expected<std::string, std::string> savedText(const PolicyDraft &draft)
{
    for (const Edit &edit : draft.edits()) {
        if (edit.path.rfind("policies.", 0) != 0)
            return tl::unexpected(fmt::format("'{}' is no part of a policy, expected edits of policies", edit.text()));
    }
    if (auto text = replaced(draft, documentOf(draft))) {
        const auto loaded = loadScenarioText(*text, draft.file(), {{}, draft.seed()});
        if (loaded && samePolicies(loaded->scenario, draft.scenario()->scenario))
            return std::move(*text);
    }
    return tl::unexpected(
        std::string{"the policies in this file cannot be replaced where they stand, expected to copy them as a block or as --set"});
}

} // namespace throttlescope::dashboard
