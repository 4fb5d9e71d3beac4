// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace throttlescope::dashboard {

/// The states of a value, with undo and redo. (QUndoStack is part of Qt Gui, which this library does without.)
template <typename State>
class UndoHistory {
public:
    explicit UndoHistory(State first = {})
        : m_states{{std::move(first), {}}}
    {
    }

    const State &present() const { return m_states[m_at].state; }
    bool canUndo() const { return m_at > 0; }
    bool canRedo() const { return m_at + 1 < m_states.size(); }
    const State &before() const { return m_states[m_at - 1].state; }
    const State &after() const { return m_states[m_at + 1].state; }

    /// A new step, and nothing to redo. It goes into the step before where both have the same key, which is not empty; one
    /// that thereby ends where it began is none.
    void push(State state, const std::string &mergeKey)
    {
        m_states.resize(m_at + 1);
        const bool merges = m_at > 0 && !mergeKey.empty() && m_states[m_at].mergeKey == mergeKey;
        if (merges && m_states[m_at - 1].state == state) {
            m_states.pop_back();
            --m_at;
        } else if (merges) {
            m_states[m_at].state = std::move(state);
        } else if (m_states[m_at].state != state) {
            m_states.push_back({std::move(state), mergeKey});
            ++m_at;
        }
    }
    /// What comes next is another step, whatever its key.
    void seal() { m_states[m_at].mergeKey.clear(); }
    void undo()
    {
        m_at -= canUndo() ? 1 : 0;
        seal();
    }
    void redo()
    {
        m_at += canRedo() ? 1 : 0;
        seal();
    }

private:
    struct Step {
        State state;
        std::string mergeKey;
    };
    std::vector<Step> m_states;
    std::size_t m_at = 0;
};

} // namespace throttlescope::dashboard
