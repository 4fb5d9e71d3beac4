// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/operation_grouping.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace throttlescope::incident {

/// What an attempt follows.
enum class Came : std::uint8_t {
    First, ///< nothing, as far as is known
    AfterRefusal, ///< that told nothing
    AsTold, ///< after a refusal, when that had told it to
    NotAsTold, ///< after a refusal, earlier or much later
    AfterFailure
};

struct FollowUp {
    Came came = Came::First;
    Duration gap{}; ///< since the attempt before ended
    Duration overshoot{}; ///< AsTold: by which it came later than that
};

/// How each attempt of a log follows the one before. Memory is bounded.
class FollowUps {
public:
    static constexpr std::size_t kMostOpen = 100'000; ///< operations whose next attempt is waited for

    FollowUp take(const LoggedRequest &request, const GroupedRequest &grouped);

private:
    struct Open {
        WallTime end{};
        std::optional<Duration> told;
        bool refused = false;
        std::uint32_t attempt = 0;
    };
    struct Place {
        std::uint64_t operation = 0;
        std::uint32_t attempt = 0; ///< at that time: it may have gone on since
    };
    static FollowUp followUp(const Open &before, const LoggedRequest &request);

    std::unordered_map<std::uint64_t, Open> m_open; ///< by operation
    std::deque<Place> m_inOrder;
};

} // namespace throttlescope::incident
