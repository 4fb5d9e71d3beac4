// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/window_rules.h"

#include <algorithm>

namespace throttlescope::model {

/// At most `quota` at the server at once. Nobody knows when one of them leaves, hence it never has a reset.
class ConcurrencyWindow {
public:
    ConcurrencyWindow(const WindowRules &rules, std::uint64_t usedAtStart)
        : m_rules(&rules)
        , m_inFlight(usedAtStart)
    {
    }

    void advance(MonotonicTime) { }
    bool admits(std::uint64_t units) const { return fits(m_inFlight, units, m_rules->quota); }
    void count(MonotonicTime, std::uint64_t units) { m_inFlight = saturatingSum(m_inFlight, units); }
    void release(std::uint64_t units) { m_inFlight -= std::min(units, m_inFlight); }
    std::optional<MonotonicTime> admittedAt(MonotonicTime, std::uint64_t) const { return std::nullopt; }
    std::optional<MonotonicTime> resetAt(MonotonicTime) const { return std::nullopt; }
    void restart(MonotonicTime) { }

    std::uint64_t used() const { return m_inFlight; }
    std::optional<MonotonicTime> begins() const { return std::nullopt; }
    Duration length() const { return Duration::zero(); }

private:
    const WindowRules *m_rules;
    std::uint64_t m_inFlight = 0;
};

} // namespace throttlescope::model
