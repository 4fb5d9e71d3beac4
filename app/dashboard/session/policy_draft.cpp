// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/policy_draft.h"

#include "simulator/scenario/presets.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

Schema::Kind amountKindOf(const Schema &schema)
{
    using Kind = Schema::Kind;
    for (const SchemaPtr &alternative : schema.alternatives) {
        if (const Kind kind = amountKindOf(*alternative); kind != Kind::Other)
            return kind;
    }
    return schema.kind == Kind::Duration || schema.kind == Kind::Rate || schema.kind == Kind::Percent || schema.kind == Kind::Number
            || schema.kind == Kind::Whole
        ? schema.kind
        : Kind::Other;
}

Schema::Kind amountKindAt(const Schema &record, std::string_view path)
{
    const std::string_view key = path.substr(0, path.find('.'));
    for (const Schema::Field &field : record.fields) {
        if (field.key == key)
            return key.size() == path.size() ? amountKindOf(*field.schema) : amountKindAt(*field.schema, path.substr(key.size() + 1));
    }
    return Schema::Kind::Other;
}

ValueOrigin originAt(const LoadedScenario &loaded, const std::string &policy, const std::string &path)
{
    const auto fields = loaded.provenance.find(policy);
    if (fields != loaded.provenance.end()) {
        for (const ResolvedField &field : fields->second) {
            if (field.path == path)
                return valueOrigin(field.origin);
        }
    }
    return valueOrigin("default");
}

/// None of a text that is no document: the loader tells what is wrong with it.
std::vector<Node::Entry> policiesIn(const std::string &text, const std::string &file)
{
    Problems problems{file};
    Node document;
    parseYaml(text, std::make_shared<const std::string>(file), document, problems);
    const Node *policies = document.find("policies");
    return policies ? policies->entries : std::vector<Node::Entry>{};
}

std::string valueText(const LoadedScenario &loaded, const std::string &policy, const std::string &path)
{
    const auto found = loaded.scenario.policies.find(policy);
    return found != loaded.scenario.policies.end() && found->second ? policyValue(*found->second, path) : std::string{};
}

} // namespace

ValueOrigin valueOrigin(const std::string &origin)
{
    using Kind = ValueOrigin::Kind;
    if (origin == "default")
        return {Kind::Default, origin, {}, {}};
    if (origin.rfind("preset ", 0) == 0)
        return {Kind::Preset, origin, {}, {}};
    if (origin.rfind("--set", 0) == 0)
        return {Kind::Edited, "edited", {}, {}};
    const std::size_t column = origin.rfind(':');
    const std::size_t line = column == 0 || column == std::string::npos ? std::string::npos : origin.rfind(':', column - 1);
    if (line == std::string::npos)
        return {Kind::File, origin, origin, {}};
    const auto number = [&origin](std::size_t from, std::size_t to) {
        return static_cast<int>(parseInteger(std::string_view{origin}.substr(from, to - from)).value_or(0));
    };
    return {Kind::File, origin, origin.substr(0, line), {number(line + 1, column), number(column + 1, origin.size())}};
}

PolicyDraft::PolicyDraft(std::string text, std::string file, std::optional<std::uint64_t> seed)
    : m_text(std::move(text))
    , m_file(std::move(file))
    , m_seed(seed)
{
    for (const Node::Entry &policy : policiesIn(m_text, m_file)) {
        m_filePolicies.push_back(policy.key);
        const Node *preset = policy.value.isMap() ? policy.value.find("preset") : nullptr;
        if (preset && preset->isScalar())
            m_filePresets[policy.key]
                = {preset->text, {}, valueOrigin(fmt::format("{}:{}:{}", m_file, preset->mark.line, preset->mark.column)), true};
    }
}

tl::expected<PolicyDraft, LoadErrors> PolicyDraft::open(std::string text, std::string file, const LoadOptions &options)
{
    PolicyDraft draft{std::move(text), std::move(file), options.seed};
    auto loaded = loadScenarioText(draft.m_text, draft.m_file, options); // the options as they are: an error tells of them
    if (!loaded)
        return tl::unexpected(std::move(loaded.error()));
    Edits edits;
    for (const std::string &assignment : options.set) {
        const std::size_t equals = assignment.find('=');
        edits = withEdit(std::move(edits), {assignment.substr(0, equals), assignment.substr(equals + 1)});
    }
    draft.m_history = UndoHistory<Edits>{std::move(edits)};
    draft.m_scenario = std::make_shared<const LoadedScenario>(std::move(*loaded));
    draft.m_baseline = draft.m_scenario;
    draft.m_written = options.set.empty() ? draft.m_scenario : draft.resolved({}).value_or(nullptr);
    return draft;
}

std::vector<std::string> PolicyDraft::assignmentsOf(const Edits &edits)
{
    std::vector<std::string> texts;
    for (const Edit &edit : edits)
        texts.push_back(edit.text());
    return texts;
}

tl::expected<ScenarioPointer, LoadErrors> PolicyDraft::resolved(const Edits &edits) const
{
    auto loaded = loadScenarioText(m_text, m_file, {assignmentsOf(edits), m_seed});
    if (!loaded)
        return tl::unexpected(std::move(loaded.error()));
    return std::make_shared<const LoadedScenario>(std::move(*loaded));
}

tl::expected<void, LoadError> PolicyDraft::become(Edits edits, const std::string &mergeKey)
{
    auto scenario = resolved(edits);
    if (!scenario)
        return tl::unexpected(scenario.error().front());
    m_history.push(std::move(edits), mergeKey);
    m_scenario = std::move(*scenario);
    return {};
}

tl::expected<void, LoadError> PolicyDraft::set(const std::string &path, const std::string &value, Gesture gesture)
{
    return become(withEdit(edits(), {path, value}), gesture == Gesture::Dragged ? path : std::string{});
}

tl::expected<void, LoadError> PolicyDraft::reset(const std::string &path)
{
    return become(withoutEdit(edits(), path), {});
}

tl::expected<void, LoadError> PolicyDraft::resetAll()
{
    return become({}, {});
}

void PolicyDraft::undo()
{
    if (!canUndo())
        return;
    // A trace beside the file may have changed since: then the step stays.
    if (auto scenario = resolved(m_history.before())) {
        m_history.undo();
        m_scenario = std::move(*scenario);
    }
}

void PolicyDraft::redo()
{
    if (!canRedo())
        return;
    if (auto scenario = resolved(m_history.after())) {
        m_history.redo();
        m_scenario = std::move(*scenario);
    }
}

tl::expected<Edits, LoadErrors> PolicyDraft::reload(std::string text)
{
    PolicyDraft next{std::move(text), m_file, m_seed};
    auto scenario = next.resolved({});
    if (!scenario)
        return tl::unexpected(std::move(scenario.error()));
    const ScenarioPointer written = *scenario;
    Edits kept, dropped;
    if (auto all = next.resolved(edits())) {
        scenario = std::move(all);
        kept = edits();
    } else {
        for (const Edit &edit : edits()) {
            Edits more = kept;
            more.push_back(edit);
            auto with = next.resolved(more);
            (with ? kept : dropped).push_back(edit);
            if (with)
                scenario = std::move(with);
        }
    }
    m_text = std::move(next.m_text);
    m_filePolicies = std::move(next.m_filePolicies);
    m_filePresets = std::move(next.m_filePresets);
    m_history = UndoHistory<Edits>{std::move(kept)};
    m_written = written;
    m_scenario = std::move(*scenario);
    return dropped;
}

std::vector<std::string> PolicyDraft::policies() const
{
    std::vector<std::string> names = m_filePolicies;
    for (const auto &[name, policy] : m_scenario->scenario.policies) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    return names;
}

std::string PolicyDraft::writtenName(const std::string &policy) const
{
    const auto known = [this](const std::string &name) {
        return findPreset(name) || std::find(m_filePolicies.begin(), m_filePolicies.end(), name) != m_filePolicies.end();
    };
    for (std::string name = policy;;) { // a name may have a slash in it, so the longest that is known
        if (known(name))
            return name;
        const std::size_t slash = name.rfind('/');
        if (slash == std::string::npos)
            return policy;
        name.resize(slash);
    }
}

PolicyPreset PolicyDraft::presetOf(const std::string &policy) const
{
    const std::string written = writtenName(policy);
    if (std::find(m_filePolicies.begin(), m_filePolicies.end(), written) == m_filePolicies.end())
        return {findPreset(written) ? written : std::string{}, {}, valueOrigin("preset " + written)};
    const auto inFile = m_filePresets.find(written);
    PolicyPreset preset = inFile != m_filePresets.end() ? inFile->second : PolicyPreset{};
    preset.setPath = fmt::format("policies.{}.preset", written);
    if (preset.name.empty())
        preset.origin = valueOrigin("default");
    for (const Edit &edit : edits()) {
        if (edit.path == preset.setPath) {
            preset.name = edit.value;
            preset.origin = valueOrigin("--set");
        }
    }
    return preset;
}

std::vector<PolicyKnob> PolicyDraft::knobs(const std::string &policy) const
{
    std::vector<PolicyKnob> knobs;
    const std::string written = writtenName(policy);
    for (PolicyRow &row : policyRows()) {
        PolicyKnob knob;
        const std::size_t dot = row.path.rfind('.');
        knob.group = dot == std::string::npos ? "" : row.path.substr(0, dot);
        knob.label = row.path.substr(dot == std::string::npos ? 0 : dot + 1);
        knob.setPath = fmt::format("policies.{}.{}", written, row.path);
        knob.amountKind = amountKindAt(*policyCodec().schema, row.path);
        knob.origin = originAt(*m_scenario, policy, row.path);
        knob.value = valueText(*m_scenario, policy, row.path);
        knob.baseline = valueText(*m_baseline, policy, row.path);
        knob.row = std::move(row);
        knobs.push_back(std::move(knob));
    }
    return knobs;
}

std::string PolicyDraft::commandLine() const
{
    std::string line;
    for (const std::string &assignment : assignments())
        line += fmt::format("{}--set {}", line.empty() ? "" : " ", shellWord(assignment));
    return line;
}

} // namespace throttlescope::dashboard
