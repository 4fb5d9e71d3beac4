// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output_paths.h"

#include "simulator/scenario/same_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::cli {

bool keptApart(const std::string &output, const std::string &other, std::string_view what)
{
    if (output.empty() || other.empty() || !sameFile(output, other))
        return true;
    fmt::print(stderr, "throttlescope: {} would overwrite {}, expected a file of its own\n", output, what);
    return false;
}

bool keptApart(const std::vector<Output> &outputs, const std::vector<LoadedScenario> &scenarios)
{
    const auto apartFrom = [&outputs](const std::string &input, std::string_view what) {
        return std::all_of(outputs.begin(), outputs.end(), [&](const Output &output) { return keptApart(output.path, input, what); });
    };
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        if (!std::all_of(outputs.begin(), output, [&](const Output &other) { return keptApart(output->path, other.path, other.what); }))
            return false;
    }
    return std::all_of(scenarios.begin(), scenarios.end(), [&](const LoadedScenario &loaded) {
        const auto &rows = loaded.scenario.workload;
        return apartFrom(loaded.scenario.file, "a scenario") && std::all_of(rows.begin(), rows.end(), [&](const WorkloadRow &row) {
            const auto *trace = std::get_if<TraceArrivals>(&row.arrivals);
            return !trace || apartFrom(trace->file, "a trace");
        });
    });
}

} // namespace throttlescope::cli
