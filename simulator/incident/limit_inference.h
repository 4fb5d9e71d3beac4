// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace throttlescope::incident {

/// One request of one key (client, or everybody), in the order of arrival.
struct Arrival {
    WallTime at{};
    bool refused = false;
    std::uint32_t key = 0; ///< whom the limit would count by

    bool operator==(const Arrival &) const = default;
};

enum class WindowKind { Fixed, Sliding, TokenBucket };
enum class Alignment { Calendar, FirstRequest };

/// A limit that would have let through what went through and refused what was refused.
struct InferredLimit {
    std::int64_t quota = 0;
    Duration per{};
    WindowKind kind = WindowKind::Fixed;
    Alignment alignment = Alignment::Calendar; ///< of fixed windows only
    std::optional<std::int64_t> burst;         ///< of token buckets only: the capacity
    bool countsRefused = false;                ///< refused requests use quota as well
    bool perKey = false;                       ///< else one limit for everybody

    bool operator==(const InferredLimit &) const = default;
};

/// How well a limit explains the log. A window counts where it was filled: one that nobody exhausted says nothing.
struct Candidate {
    InferredLimit limit;
    std::int64_t windows = 0; ///< that were filled
    std::int64_t fits = 0;    ///< of them: filled at the quota and refused from there to its end

    bool operator==(const Candidate &) const = default;
};

struct Inference {
    std::optional<Candidate> best; ///< absent: cannot tell, see `why`
    std::optional<Candidate> runnerUp;
    std::string why; ///< "only 2 windows were filled, 3 are needed"; empty where `best` is there

    bool operator==(const Inference &) const = default;
};

/// From timing alone. `arrivals` sorted by `at`; `precision` is that of the log's times (1 s for nginx); `utcOffset` is
/// where the server's calendar windows begin (a day's limit at local midnight). Never confident without reason: fewer
/// than three filled windows, or a best that explains too little or no more than another does, is "cannot tell".
Inference inferLimit(std::span<const Arrival> arrivals, Duration precision, Duration utcOffset);

} // namespace throttlescope::incident
