// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_moments.h"

#include <optional>

namespace throttlescope::incident {

/// Tokens a second, as far as the log tells.
struct RateRange {
    double least = 0, most = 0;
    double middle() const { return (least + most) / 2; }
};

/// A bucket in words: so many in so long, and how many at once.
struct BucketShape {
    std::int64_t quota = 0;
    Duration per{};
    double rate = 0; ///< a second
    std::int64_t capacity = 1;
    bool rateIsExact = false; ///< only one whole number will do
    bool capacitySeen = false; ///< emptied from full at least twice
};

/// Between two refusals a bucket lets through what it gained in between, give or take one; less where it was full for a while.
std::optional<RateRange> bucketRate(const Moments &moments, const Tolerance &tolerance);
/// The shortest of second, minute, hour and day in which the rate is a whole number.
BucketShape shapeOf(const RateRange &rate);
/// What goes at once is the capacity: most that was let through between two refusals, over what was gained meanwhile.
void measureCapacity(const Moments &moments, const Tolerance &tolerance, BucketShape &shape);

} // namespace throttlescope::incident
