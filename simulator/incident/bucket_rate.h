// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_moments.h"

#include <optional>
#include <vector>

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
    std::int64_t capacity = 1;
    bool capacitySeen = false; ///< emptied from full at least twice

    double rate() const { return static_cast<double>(quota) / secondsOf(per); } ///< a second
};

/// Between two refusals a bucket lets through what it gained in between, give or take one; less where it was full for a
/// while. So the span in which the most went through tells of the rate.
std::optional<RateRange> bucketRate(const Moments &moments, const Tolerance &tolerance);
/// Of a bucket that holds one only, which a client that does not hammer never keeps empty: the least time between two.
std::optional<RateRange> singleTokenRate(const Moments &moments, const Tolerance &tolerance);
/// The rates in the range that people would write, whole numbers in a second, minute or hour; else its middle.
std::vector<BucketShape> shapesIn(const RateRange &rate);
/// What goes at once is the capacity: most that was let through between two refusals, over what was gained meanwhile.
void measureCapacity(const Moments &moments, const Tolerance &tolerance, BucketShape &shape);

} // namespace throttlescope::incident
