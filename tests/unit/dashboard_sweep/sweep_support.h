// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/dashboard/sweep/sweep_result.h"

#include <QtGlobal>

namespace throttlescope::dashboard {

inline const std::vector<std::string> kMetrics{"operations.succeeded", "wait_exceeded", "attempts", "finish"};

inline SweepHeader headerOf(std::vector<std::string> vary, std::uint64_t seeds = 1, std::uint64_t firstSeed = 7)
{
    SweepHeader header;
    header.file = "s.yaml";
    header.vary = std::move(vary);
    header.metrics = kMetrics;
    header.seeds = seeds;
    header.firstSeed = firstSeed;
    return header;
}

/// `values` a run, in the order of the plan; those who succeed with 10 pass.
inline SweepFile fileOf(const SweepHeader &header, const std::vector<std::vector<double>> &values)
{
    const auto plan = planOf(header);
    if (!plan)
        qFatal("%s", plan.error().c_str());
    SweepFile file{header, {}, 0, {}};
    for (std::uint64_t run = 0; run < values.size(); ++run)
        file.rows.push_back({run, plan->seedOf(run), plan->valuesOf(plan->pointOf(run)), values[run].front() >= 10, values[run]});
    return file;
}

inline SweepResult resultOf(const SweepHeader &header, const std::vector<std::vector<double>> &values)
{
    auto result = sweepResult(fileOf(header, values));
    if (!result)
        qFatal("%s", result.error().c_str());
    return std::move(*result);
}

} // namespace throttlescope::dashboard
