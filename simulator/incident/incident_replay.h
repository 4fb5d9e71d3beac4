// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/incident_trace.h"
#include "simulator/scenario/scenario.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace throttlescope::incident {

struct MinuteApart {
    std::int64_t minute = 0; ///< since the epoch
    std::uint64_t logged = 0;
    std::uint64_t replayed = 0;

    bool operator==(const MinuteApart &) const = default;
};

/// Refusals as they were logged against those of a replay.
struct ReplayCheck {
    static constexpr double kApart = 0.1;
    static constexpr std::uint64_t kFew = 10; ///< a difference of so few in one minute is chance

    std::uint64_t logged = 0;
    std::uint64_t replayed = 0;
    MinuteApart worst; ///< where they differ most
    std::string failure; ///< why the replay did not go to its end
    bool interrupted = false;

    bool isApartInAll() const;
    bool isApartInWorst() const;
    bool operator==(const ReplayCheck &) const = default;
};

/// (replayed - logged) ÷ logged; 1 where nothing was logged and something replayed.
double difference(std::uint64_t logged, std::uint64_t replayed);
/// Of counts by minute.
ReplayCheck heldAgainst(const std::map<std::int64_t, std::uint64_t> &logged, const std::map<std::int64_t, std::uint64_t> &replayed);
/// Runs the scenario that was made of the trace, in virtual time. What the log does not cover any more is not counted.
ReplayCheck replay(const Scenario &scenario, const TraceSummary &trace, const std::atomic<bool> *interrupted);

} // namespace throttlescope::incident
