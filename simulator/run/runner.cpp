// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/runner.h"

#include "core/journal/tee.h"
#include "simulator/run/journal_file.h"

#include <algorithm>

namespace throttlescope {

bool RunReport::passed() const
{
    return error.empty() && !interrupted && std::all_of(judged.begin(), judged.end(), [](const Judged &each) { return each.passed; });
}

void RunReport::take(const journal::RunMetrics &measured)
{
    metrics = measured.total();
    byOperation = measured.byOperation();
}

RunReport runScenario(const Scenario &scenario, const RunOptions &options)
{
    RunReport report;
    JournalFile file{options.journal};
    if (!file.open()) {
        report.error = file.finish();
        return report;
    }
    Expectations expectations{scenario};
    journal::Tee sink{expectations, file.sink()};
    Simulation simulation{scenario, &sink, options.mostOpen};
    simulation.run(options.interrupted);
    report.error = file.finish();
    if (report.error.empty())
        report.error = simulation.failure();
    report.take(expectations.metrics());
    report.operations = simulation.operationsStarted();
    report.interrupted = options.interrupted && options.interrupted->load();
    if (report.interrupted || !simulation.failure().empty())
        return report; // what was not run to its end is not judged
    report.judged = expectations.judge(simulation.stopped());
    if (!report.passed()) {
        ExcessFinder finder{scenario, report.judged};
        Simulation again{scenario, &finder};
        again.run(options.interrupted);
    }
    return report;
}

} // namespace throttlescope
