// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/work_source.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace throttlescope {

std::shared_ptr<const ScenarioCall> WorkSource::callOf(std::uint64_t index, CallBook &calls) const
{
    return call ? call : calls.call(arrivals.row(), arrivals.client(), arrivals.traced(index));
}

std::vector<WorkSource> workSources(const Scenario &scenario, CallBook &calls, const Draw &draw)
{
    std::vector<WorkSource> sources;
    std::unordered_map<std::string_view, int> seen;
    for (const WorkloadRow &workload : scenario.workload) {
        // Rows of the same name are told apart, or they would share their draws.
        const int before = seen[workload.operation]++;
        const std::string name = before == 0 ? workload.operation : workload.operation + '#' + std::to_string(before + 1);
        if (workload.onDemand)
            continue;
        const bool trace = std::holds_alternative<TraceArrivals>(workload.arrivals);
        for (std::uint32_t client = 0; client < static_cast<std::uint32_t>(workload.clients); ++client)
            sources.push_back({{workload, name, client, draw}, trace ? nullptr : calls.call(workload, client)});
    }
    return sources;
}

} // namespace throttlescope
