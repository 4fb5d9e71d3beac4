// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/sweep/sweep_file.h"

#include <functional>
#include <string>
#include <vector>

namespace throttlescope {

/// What the seeds of one point came to; percentiles by nearest rank.
struct Spread {
    double median = 0;
    double low = 0, high = 0; ///< 5 %, 95 %
    double worst = 0; ///< the least of what should be much, the most of what should be little
    double mean = 0;
    double deviation = 0; ///< of the sample; 0 of a single run
};

struct PointSummary {
    std::vector<std::string> at; ///< a value an axis
    std::uint64_t runs = 0, passed = 0;
    std::uint64_t judged = 0; ///< of a scenario that expects nothing, none
    std::vector<Spread> metrics; ///< in the order of the header
    bool pareto
        = false; ///< no other point is better in one of success, finish and attempts and as good in the others; of equal ones, the first
};

/// Whether more of a metric is better: of successes alone.
bool moreIsBetter(std::string_view metric);

/// The points of a sweep in order, as far as it has come. The Pareto set is that of the medians of `operations.succeeded`
/// (much), `finish` and `attempts` (little); a point that lacks runs is not in it.
std::vector<PointSummary> summarize(const SweepFile &sweep);

/// Bisects, between neighbours of a range's grid whose verdicts differ, until the gap is at most `tolerance` (in the axis's
/// own unit: seconds of a duration). `passedAt` runs every seed at that value and returns the share that passes; negative: it
/// was stopped, and the gap stays as wide as it is.
std::vector<TippingPoint> tippingPoints(const Axis &axis, const std::vector<PointSummary> &points, double tolerance,
    const std::function<double(const std::string &value)> &passedAt);

} // namespace throttlescope
