// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulator/sweep/sweep_summary.h"

#include <string>
#include <vector>

namespace throttlescope::cli {

/// A line a point with a bar of what succeeded, its Pareto points marked, and the tipping points below.
std::string sweepTable(const SweepHeader &header, const std::vector<PointSummary> &points, const std::vector<TippingPoint> &tips);
/// The same whole, with median, 5 %, 95 %, worst, mean and deviation of every metric, as one JSON object.
std::string sweepJson(const SweepHeader &header, const std::vector<PointSummary> &points, const std::vector<TippingPoint> &tips);
/// A line a point: its values, runs, passed, pareto, then four columns a metric. Durations in seconds.
std::string sweepCsv(const SweepHeader &header, const std::vector<PointSummary> &points);

} // namespace throttlescope::cli
