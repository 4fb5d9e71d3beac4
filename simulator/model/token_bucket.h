// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/window_rules.h"

namespace throttlescope::model {

/// Holds up to `capacity` tokens and gains `quota` of them every period, evenly. The level is kept in tokens × period
/// (microseconds), so that a microsecond adds exactly `quota` and nothing is ever rounded.
class TokenBucket {
public:
    TokenBucket(const WindowRules &rules, std::uint64_t usedAtStart);

    void advance(MonotonicTime now);
    bool admits(std::uint64_t units) const { return units <= m_rules->capacity && cost(units) <= m_level; }
    /// A bucket cannot owe: what is counted beyond its level empties it.
    void count(MonotonicTime now, std::uint64_t units);
    std::optional<MonotonicTime> admittedAt(MonotonicTime now, std::uint64_t units) const;
    std::optional<MonotonicTime> resetAt(MonotonicTime now) const;
    void restart(MonotonicTime) { m_level = 0; }

    std::uint64_t used() const; ///< tokens missing, a begun one included
    std::optional<MonotonicTime> begins() const { return std::nullopt; }
    Duration length() const { return m_rules->period.length; }

private:
    __extension__ typedef __int128 Level;

    Level cost(std::uint64_t units) const { return static_cast<Level>(units) * m_rules->period.length.count(); }
    std::optional<MonotonicTime> reaches(MonotonicTime now, Level level) const;

    const WindowRules *m_rules;
    MonotonicTime m_at{};
    Level m_level = 0;
};

} // namespace throttlescope::model
