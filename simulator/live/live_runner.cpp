// SPDX-License-Identifier: Apache-2.0
#include "simulator/live/live_runner.h"

#include "core/journal/tee.h"
#include "simulator/live/live_run.h"
#include "simulator/run/first_breaks.h"
#include "simulator/run/journal_file.h"

#include <algorithm>

namespace throttlescope::live {

namespace {

/// There is no second run to look for what broke an expectation: both watch this one.
class Watch final : public journal::EventSink {
public:
    /// All outlive it; `withRoom` is `scenario` with bounds that the tolerance has moved.
    Watch(const Scenario &scenario, Duration tolerance, const Scenario &withRoom)
        : expectations(scenario, tolerance)
        , breaks(withRoom)
    {
    }
    void accept(const journal::Event &event) override
    {
        expectations.accept(event);
        breaks.accept(event);
    }

    Expectations expectations;
    FirstBreaks breaks;
};

/// What it expects of durations, with room for what real time does to them.
Scenario withRoom(Scenario scenario, Duration room)
{
    for (Expectation &expectation : scenario.expectations) {
        if (!expectation.isDuration)
            continue;
        if (expectation.max)
            *expectation.max += static_cast<double>(room.count());
        if (expectation.min)
            *expectation.min = std::max(0.0, *expectation.min - static_cast<double>(room.count()));
    }
    return scenario;
}

} // namespace

RunReport runLive(const Scenario &scenario, const RunOptions &options, const LiveOptions &live)
{
    RunReport report;
    LiveRun run{scenario, live.scale};
    if (auto error = run.listen()) { // before an old journal is overwritten
        report.error = std::move(*error);
        return report;
    }
    JournalFile file{options.journal};
    if (!file.open()) {
        report.error = file.finish();
        return report;
    }
    const Duration tolerance = saturatingMultiply(live.tolerance, live.scale);
    const Scenario roomy = withRoom(scenario, tolerance);
    Watch watch{scenario, tolerance, roomy};
    journal::Tee kept{watch, file.sink()};
    journal::Tee sink{kept, live.watcher};
    if (live.begins)
        live.begins(run);
    const std::string failure = run.run(sink, options.interrupted);
    report.error = file.finish();
    if (report.error.empty())
        report.error = failure;
    report.take(watch.expectations.metrics());
    report.operations = run.operationsStarted();
    report.interrupted = options.interrupted && options.interrupted->load();
    if (report.interrupted || !failure.empty())
        return report; // what was not run to its end is not judged
    report.judged = watch.expectations.judge(run.stopped());
    watch.breaks.explain(report.judged);
    return report;
}

} // namespace throttlescope::live
