// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/window_rules.h"

namespace throttlescope::model {

/// At most `quota` in a window that begins at a boundary of the calendar, or with the first counted request.
class FixedWindow {
public:
    FixedWindow(const WindowRules &rules, std::uint64_t usedAtStart);

    void advance(MonotonicTime now)
    {
        if (now >= m_end)
            roll(now);
    }
    bool admits(std::uint64_t units) const { return fits(m_used, units, m_rules->quota); }
    void count(MonotonicTime now, std::uint64_t units);
    std::optional<MonotonicTime> admittedAt(MonotonicTime now, std::uint64_t units) const;
    std::optional<MonotonicTime> resetAt(MonotonicTime now) const;
    void restart(MonotonicTime now);

    std::uint64_t used() const { return m_used; }
    std::optional<MonotonicTime> begins() const;
    /// Of the window that is open; a civil month has no other length.
    Duration length() const;

private:
    bool isOpen() const { return m_begin < m_end; }
    void roll(MonotonicTime now);

    const WindowRules *m_rules;
    MonotonicTime m_begin{}; ///< not before m_end: no window is open
    MonotonicTime m_end = MonotonicTime::min();
    std::uint64_t m_used = 0;
};

} // namespace throttlescope::model
