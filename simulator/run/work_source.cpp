// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/work_source.h"

#include <algorithm>

namespace throttlescope {

namespace {

/// The row's name, told apart where several rows carry the same one.
std::string drawName(const Scenario &scenario, std::size_t row)
{
    const std::string &name = scenario.workload[row].operation;
    const auto before = std::count_if(scenario.workload.begin(), scenario.workload.begin() + static_cast<std::ptrdiff_t>(row),
        [&name](const WorkloadRow &other) { return other.operation == name; });
    return before == 0 ? name : name + '#' + std::to_string(before + 1);
}

} // namespace

std::shared_ptr<const ScenarioCall> WorkSource::callOf(std::uint64_t index, CallBook &calls) const
{
    return call ? call : calls.call(arrivals.row(), arrivals.client(), arrivals.traced(index));
}

std::vector<WorkSource> workSources(const Scenario &scenario, CallBook &calls, const Draw &draw)
{
    std::vector<WorkSource> sources;
    for (std::size_t row = 0; row < scenario.workload.size(); ++row) {
        const WorkloadRow &workload = scenario.workload[row];
        if (workload.onDemand)
            continue;
        const bool trace = std::holds_alternative<TraceArrivals>(workload.arrivals);
        for (std::uint32_t client = 0; client < static_cast<std::uint32_t>(workload.clients); ++client)
            sources.push_back({{workload, drawName(scenario, row), client, draw}, trace ? nullptr : calls.call(workload, client)});
    }
    return sources;
}

} // namespace throttlescope
