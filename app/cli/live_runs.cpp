// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/live_runs.h"

#include "simulator/live/live_runner.h"

#include <QCoreApplication>
#include <QThread>
#include <memory>

namespace throttlescope::cli {

/// No scale is refused here, unlike by `serve`: both ends share the scaled clock, so that headers keep their seconds.
bool prepareLive(const LiveArguments &arguments, BatchOptions &batch)
{
    static int count = 1;
    static char name[] = "throttlescope";
    static char *argv[] = {name, nullptr};
    static const QCoreApplication application{count, argv};
    batch.live = true;
    live::LiveOptions live;
    live.scale = arguments.scale.value_or(live.scale);
    live.tolerance = arguments.tolerance.value_or(live.tolerance);
    batch.run = [live](const Scenario &scenario, const RunOptions &options) {
        RunReport report;
        const std::unique_ptr<QThread> thread{QThread::create([&] { report = live::runLive(scenario, options, live); })};
        thread->start();
        thread->wait();
        return report;
    };
    return true;
}

} // namespace throttlescope::cli
