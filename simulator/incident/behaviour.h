// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"
#include "simulator/incident/limit_findings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::incident {

/// What clients do after a refusal: the policy that they seem to have.
struct Behaviour {
    int maxAttempts = 1; ///< 1: they do not come again
    std::vector<Duration> waits; ///< before the second attempt, the third, …, as they mostly are
    double spread = 0; ///< of the waits to both sides, as a share: 0.25 is ±25 %
    bool obeysHints = false;
    bool comesWithTheWindow = false; ///< it obeys hints that the log does not have: it comes back when a window begins
    Duration later{}; ///< by which those who obey come later at least, …
    Duration latest{}; ///< … and by how much more at most, evenly
    std::optional<Duration> longestWait; ///< that was told and awaited
    bool retriesFailures = false; ///< 5xx and aborted requests, too
    std::uint64_t refusals = 0; ///< of such clients

    bool operator==(const Behaviour &) const = default;
};

/// Clients of one log may differ: some come again at once, some as told, some never.
struct Behaviours {
    static constexpr std::size_t kMost = 4;

    std::vector<Behaviour> kinds; ///< at least one; that with the most refusals first
    std::vector<std::uint8_t> ofClient; ///< an index of `kinds`
};

/// The error is that of the temporary file.
tl::expected<Behaviours, std::string> behavioursOf(const Incident &incident, const std::vector<LimitFinding> &limits);

} // namespace throttlescope::incident
