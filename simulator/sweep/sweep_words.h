// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/sweep/sweep_summary.h"

#include <string>
#include <string_view>
#include <vector>

/// How a sweep is talked about: the same in a table, a window and a page.
namespace throttlescope {

/// What every sweep measures, whatever else it is asked for.
inline constexpr std::string_view kSweptMetrics[]{"operations.succeeded", "wait_exceeded", "attempts", "finish"};

/// "succeeded" of "operations.succeeded".
std::string metricName(std::string_view metric);
bool isDurationMetric(std::string_view metric);
/// "170", "1.06", "5m51.8s"; "-" where a duration is none.
std::string metricText(std::string_view metric, double value);

/// "5m51.8s [5m50s, 6m2s]": the median, and where seeds differ 5 % and 95 %.
std::string spreadText(const std::string &metric, const Spread &spread, bool several);
/// "Pareto set of succeeded (much), finish and attempts (little): 2 of 24 points"
std::string paretoText(const SweepHeader &header, const std::vector<PointSummary> &points);

/// "policies.batch.rate_limit.max_wait=5s..120s:24": its path, and the last word of that.
std::string axisPath(std::string_view vary);
std::string axisName(std::string_view vary);

/// "tips between max_wait 56s (it fails) and 57s (it passes)"
std::string tipText(const SweepHeader &header, const TippingPoint &tip);

/// The words of the command that makes the sweep, without quotes.
std::vector<std::string> sweepCommand(const SweepHeader &header);

} // namespace throttlescope
