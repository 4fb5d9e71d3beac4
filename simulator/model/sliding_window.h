// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/window_rules.h"

#include <vector>

namespace throttlescope::model {

/// In any half-open span of the period's length at most `quota`: what was counted at s has left at s + per.
/// The log never holds more moments than the quota has units (and one): equal moments share an entry, and what lies
/// behind a newer full quota cannot decide anything any more.
class SlidingWindow {
public:
    SlidingWindow(const WindowRules &rules, std::uint64_t usedAtStart);

    void advance(MonotonicTime now);
    bool admits(std::uint64_t units) const { return fits(m_used, units, m_rules->quota); }
    void count(MonotonicTime now, std::uint64_t units);
    std::optional<MonotonicTime> admittedAt(MonotonicTime now, std::uint64_t units) const;
    std::optional<MonotonicTime> resetAt(MonotonicTime now) const;
    void restart(MonotonicTime now);

    std::uint64_t used() const { return m_used; }
    std::optional<MonotonicTime> begins() const { return std::nullopt; }
    Duration length() const { return m_rules->period.length; }
    std::size_t entries() const { return m_size; }

private:
    struct Entry {
        MonotonicTime at;
        std::uint64_t units = 0;
    };

    const Entry &entry(std::size_t index) const { return m_ring[(m_first + index) & (m_ring.size() - 1)]; }
    Entry &entry(std::size_t index) { return m_ring[(m_first + index) & (m_ring.size() - 1)]; }
    MonotonicTime leaves(const Entry &e) const { return saturatingAdd(e.at, m_rules->period.length); }
    void append(MonotonicTime now, std::uint64_t units);
    void dropOldest();
    void grow();

    const WindowRules *m_rules;
    std::vector<Entry> m_ring; ///< its size is a power of two, or 0
    std::size_t m_first = 0;
    std::size_t m_size = 0;
    std::uint64_t m_used = 0;
};

} // namespace throttlescope::model
