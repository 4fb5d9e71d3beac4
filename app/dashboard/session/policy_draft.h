// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/edits.h"
#include "app/dashboard/session/undo_history.h"
#include "simulator/scenario/loader.h"
#include "simulator/scenario/policy_fields.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::dashboard {

using ScenarioPointer = std::shared_ptr<const LoadedScenario>;
using LoadErrors = std::vector<LoadError>;

/// Who says a value.
struct ValueOrigin {
    enum class Kind { Default, Preset, File, Edited };
    Kind kind = Kind::Default;
    std::string text; ///< "default", "preset saia", "minute-window.yaml:16:42", "edited"
    std::string file; ///< of File
    Mark mark; ///< of File
    bool operator==(const ValueOrigin &) const = default;
};
/// From the loader's own word for it.
ValueOrigin valueOrigin(const std::string &origin);

/// One row of the policy editor.
struct PolicyKnob {
    PolicyRow row; ///< path, doc, kind, words, range and default, off the field table
    std::string setPath; ///< "policies.batch.rate_limit.max_wait"
    std::string group; ///< "rate_limit"; empty at the top
    std::string label; ///< "max_wait", as YAML says it
    Schema::Kind amountKind = Schema::Kind::Other; ///< what a slider moves: also "4" of a row that may say `unlimited`
    std::string value; ///< empty: not set
    std::string baseline; ///< the value that is pinned
    ValueOrigin origin;
    bool differs() const { return value != baseline; }
};

/// What a policy is built on.
struct PolicyPreset {
    std::string name; ///< empty: on nothing, its values are the defaults
    std::string setPath; ///< "policies.batch.preset"; empty where the policy is a preset itself, which is built on no other
    ValueOrigin origin;
    bool isWritten = false; ///< the file names it, so that one cannot do without any
};

/// A scenario file and the edits made to it, without a widget. Every state of it went through the loader with the edits as
/// `--set`, so that its figures are those of `throttlescope run --set`.
class PolicyDraft {
public:
    enum class Gesture {
        Typed, ///< a step of its own
        Dragged, ///< one step with the drags of the same knob right before it, up to endDrag()
    };

    /// `text` is the file's, `file` names it; the options' `--set` are its first edits and cannot be undone.
    static tl::expected<PolicyDraft, LoadErrors> open(std::string text, std::string file, const LoadOptions &options = {});

    const std::string &text() const { return m_text; }
    const std::string &file() const { return m_file; }
    const Edits &edits() const { return m_history.present(); }
    std::optional<std::uint64_t> seed() const { return m_seed; }
    const ScenarioPointer &scenario() const { return m_scenario; }
    /// What the file says without the edits; null where it is no scenario without them.
    const ScenarioPointer &written() const { return m_written; }

    /// Changes a value, in the words of `--set`. On an error, the loader's, the draft is as it was.
    tl::expected<void, LoadError> set(const std::string &path, const std::string &value, Gesture gesture = Gesture::Typed);
    void endDrag() { m_history.seal(); }
    /// Back to what the file says.
    tl::expected<void, LoadError> reset(const std::string &path);
    tl::expected<void, LoadError> resetAll();

    bool canUndo() const { return m_history.canUndo(); }
    bool canRedo() const { return m_history.canRedo(); }
    void undo();
    void redo();

    /// What the rows are held against: the scenario as opened, until another is pinned.
    const ScenarioPointer &baseline() const { return m_baseline; }
    void pin() { m_baseline = m_scenario; }

    /// Another text of the same file. Edits that no longer apply are left out and returned; the steps to undo are gone. On
    /// an error of the file itself the draft is as it was.
    tl::expected<Edits, LoadErrors> reload(std::string text);

    /// The policies that can be edited: those of the file in its order, then what rows use beside: presets, and policies
    /// with a row's own keys over them, "batch/convert".
    std::vector<std::string> policies() const;
    /// The name under which `--set` and the file know a policy: "batch" of "batch/convert".
    std::string writtenName(const std::string &policy) const;
    PolicyPreset presetOf(const std::string &policy) const;
    /// Every row of the field table, as that policy has it.
    std::vector<PolicyKnob> knobs(const std::string &policy) const;

    /// The edits as assignments for `--set`, and as the arguments of a shell.
    std::vector<std::string> assignments() const { return assignmentsOf(edits()); }
    std::string commandLine() const;

private:
    PolicyDraft(std::string text, std::string file, std::optional<std::uint64_t> seed);

    static std::vector<std::string> assignmentsOf(const Edits &edits);
    tl::expected<ScenarioPointer, LoadErrors> resolved(const Edits &edits) const;
    tl::expected<void, LoadError> become(Edits edits, const std::string &mergeKey);

    std::string m_text;
    std::string m_file;
    std::vector<std::string> m_filePolicies;
    std::map<std::string, PolicyPreset> m_filePresets;
    std::optional<std::uint64_t> m_seed;
    UndoHistory<Edits> m_history;
    ScenarioPointer m_written;
    ScenarioPointer m_scenario;
    ScenarioPointer m_baseline;
};

} // namespace throttlescope::dashboard
