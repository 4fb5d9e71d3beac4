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
    std::optional<std::int64_t> burst; ///< of token buckets only: the capacity
    bool countsRefused = false; ///< refused requests use quota as well; a fixed window looks the same either way
    bool perKey = false; ///< else one limit for everybody

    bool operator==(const InferredLimit &) const = default;
};

/// How well a limit explains the log. A window counts where it was filled: one that nobody exhausted says nothing. Sliding
/// windows and buckets have no windows of their own; there it is the spans of a period in which something was refused.
struct Candidate {
    InferredLimit limit;
    std::int64_t windows = 0; ///< that were filled, and those that took more than the quota and refused nothing
    std::int64_t fits = 0; ///< of them: filled at the quota and refused from there to its end
    std::int64_t nearly = 0; ///< of the others: would fit if about 1 % of the lines were lost, or a time a little off
    /// The quota (of a bucket: the rate) is within 2 %, not certain to the unit: windows differ by what lost lines would
    /// explain, or the log's times are too coarse to count more closely.
    bool approximate = false;

    bool operator==(const Candidate &) const = default;
};

/// What every limit agrees on that explains the log about as well as the best does.
struct Settled {
    bool quota = false;
    bool per = false;
    bool kind = false;
    bool alignment = false; ///< true also where the kind has none
    bool countsRefused = false; ///< true also of fixed windows, where it makes no difference
    bool perKey = false; ///< false also where the log has one key only
    bool burst = false; ///< of a bucket: it was seen to empty from full

    bool operator==(const Settled &) const = default;
};

struct Inference {
    /// Quota, period and kind are settled; what else may not be stands in `settled`. Absent: cannot tell, see `why`.
    std::optional<Candidate> best;
    std::optional<Candidate> runnerUp; ///< the best that means something else, however little it explains
    std::string why; ///< "only 2 windows were filled, 3 are needed"; empty where `best` is there
    /// Those that explain the log about equally well, the likeliest first; at most kMostCandidates. An assumption to start
    /// from where `best` is absent. Empty where nothing explains it.
    std::vector<Candidate> candidates;
    Settled settled;

    bool operator==(const Inference &) const = default;
};

inline constexpr std::size_t kMostCandidates = 8;

/// From timing alone. `arrivals` sorted by `at`; `precision` is that of the log's times (1 s for nginx); `utcOffset` is
/// where the server's calendar windows begin (a day's limit at local midnight; a day is 24 h). `known` is the kind where
/// something else than the timing tells it: nginx's `limit_req` is a bucket. Never confident without reason: fewer than
/// three filled windows, or a best that explains too little or no more than another does, is "cannot tell". The order of
/// arrivals of equal times has no say. Takes time near linear in the arrivals, and memory of about as much as they have.
Inference inferLimit(
    std::span<const Arrival> arrivals, Duration precision, Duration utcOffset, std::optional<WindowKind> known = std::nullopt);

} // namespace throttlescope::incident
