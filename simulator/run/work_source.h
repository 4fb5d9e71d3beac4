// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/run/arrivals.h"
#include "simulator/run/calls.h"

#include <memory>
#include <vector>

namespace throttlescope {

/// What one client of one workload row starts, and when.
struct WorkSource {
    ArrivalSource arrivals;
    std::shared_ptr<const ScenarioCall> call; ///< of all its operations; null for a trace, whose lines differ

    std::shared_ptr<const ScenarioCall> callOf(std::uint64_t index, CallBook &calls) const;
};

/// Of every row that starts something by itself, in the file's order and each client of it. `scenario` and `draw` outlive them.
std::vector<WorkSource> workSources(const Scenario &scenario, CallBook &calls, const Draw &draw);

} // namespace throttlescope
