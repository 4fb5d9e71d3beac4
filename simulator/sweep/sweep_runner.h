// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/loader.h"
#include "simulator/sweep/sweep_file.h"
#include "simulator/sweep/sweep_plan.h"
#include "simulator/sweep/sweep_summary.h"

#include <atomic>
#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope {

/// The scenario with these assignments over it. Called from several threads at once.
using LoadPoint = std::function<tl::expected<LoadedScenario, std::vector<LoadError>>(const std::vector<std::string> &assignments)>;

/// Of a text as it was read once, with a sweep's own options under the assignments.
LoadPoint loadingFrom(std::string text, std::string file, LoadOptions options);

/// One run in virtual time: whether it passes, and its metrics. `problem`: why it could not go on, in one sentence.
struct PointResult {
    bool passed = false;
    bool judged = false; ///< the scenario expects something
    std::vector<double> values;
    std::string problem;
};
PointResult runPoint(const Scenario &scenario, const std::vector<std::string> &metrics, const std::atomic<bool> *interrupted);

struct SweepOptions {
    int jobs = 1;
    std::uint64_t from = 0; ///< runs before it are done
    const std::atomic<bool> *interrupted = nullptr;
};

/// Runs what is left of a plan's shard, `jobs` points at a time, and hands on each run in the order of its number. What is
/// held is bounded by the jobs. Returns what was in the way, one line each; `onRow` returns false to stop.
std::vector<std::string> runSweep(const SweepPlan &plan, const std::vector<std::string> &metrics, const LoadPoint &load,
    const SweepOptions &options, const std::function<bool(const SweepRow &)> &onRow);

/// The tipping points of a whole sweep over one range; else none. `tolerance`: none is a fiftieth of a step. Interrupted, it
/// returns them as near as it has come.
std::vector<TippingPoint> findTips(const SweepPlan &plan, const std::vector<PointSummary> &points, const LoadPoint &load,
    std::optional<double> tolerance, const std::atomic<bool> *interrupted);

} // namespace throttlescope
