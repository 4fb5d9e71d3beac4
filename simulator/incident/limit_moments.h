// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_inference.h"

#include <cstdint>
#include <span>
#include <vector>

namespace throttlescope::incident {

/// What happened to one key, or to everybody, at one time of the log. The order within is not kept: the log does not know it.
struct Moment {
    std::int64_t at = 0; ///< microseconds since the epoch
    std::uint32_t accepted = 0;
    std::uint32_t refused = 0;
};

using Series = std::span<const Moment>;

/// The arrivals as a limit would see them: one series for everybody, or one for each key.
struct Moments {
    std::vector<Moment> all; ///< series by series, each in order of time
    std::vector<std::size_t> ends; ///< of each series in `all`

    std::size_t count() const { return ends.size(); }
    Series series(std::size_t index) const
    {
        const std::size_t begin = index == 0 ? 0 : ends[index - 1];
        return {all.data() + begin, ends[index] - begin};
    }
};

Moments momentsOfAll(std::span<const Arrival> arrivals);
Moments momentsByKey(std::span<const Arrival> arrivals);

/// How far the log's times can be trusted.
struct Tolerance {
    std::int64_t precision = 0; ///< microseconds
    /// Two arrivals that are closer than this may have come in the other order.
    std::int64_t slack = 0;
    std::int64_t logBegin = 0; ///< what came before is not known
    std::int64_t logEnd = 0;

    bool isCoarse() const { return precision > 2 * kClockError; }
    static constexpr std::int64_t kClockError = 10'000; ///< a clock that is off, or read late: some milliseconds
};

/// What a limit of this quota may be short of in the log where about 1 % of the lines are lost: mean and three deviations.
std::int64_t lossAllowance(std::int64_t quota);

} // namespace throttlescope::incident
