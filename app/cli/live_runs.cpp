// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/live_runs.h"

#include "core/engine/words.h"
#include "simulator/live/live_runner.h"

#include <QCoreApplication>
#include <QThread>
#include <exception>
#include <fmt/format.h>
#include <memory>

namespace throttlescope::cli {

namespace {

/// What fails because the machine is too slow for the scale should not look like a finding.
void warnOfHaste(const std::vector<LoadedScenario> &scenarios, std::int64_t scale)
{
    constexpr Duration shortest = std::chrono::milliseconds{50};
    for (const LoadedScenario &loaded : scenarios) {
        for (const auto &[name, policy] : loaded.scenario.policies) {
            if (policy->attemptTimeout / scale >= shortest)
                continue;
            fmt::print(stderr, "throttlescope: warning: {}: at this scale the attempt_timeout of '{}' ({}) is {} of real time\n",
                loaded.scenario.file, name, durationText(policy->attemptTimeout), durationText(policy->attemptTimeout / scale));
        }
    }
}

} // namespace

/// No scale is refused here, unlike by `serve`: both ends share the scaled clock, so that headers keep their seconds.
bool prepareLive(const LiveArguments &arguments, const std::vector<LoadedScenario> &scenarios, BatchOptions &batch)
{
    static int count = 1;
    static char name[] = "throttlescope";
    static char *argv[] = {name, nullptr};
    static const QCoreApplication application{count, argv};
    warnOfHaste(scenarios, arguments.scale.value_or(1));
    batch.live = true;
    live::LiveOptions live;
    live.scale = arguments.scale.value_or(live.scale);
    live.tolerance = arguments.tolerance.value_or(live.tolerance);
    batch.run = [live](const Scenario &scenario, const RunOptions &options) {
        RunReport report;
        std::exception_ptr failure;
        const std::unique_ptr<QThread> thread{QThread::create([&] {
            try {
                report = live::runLive(scenario, options, live);
            } catch (...) { // out of memory, no descriptor left: said by whoever waits for the run
                failure = std::current_exception();
            }
        })};
        thread->start();
        thread->wait();
        if (failure)
            std::rethrow_exception(failure);
        return report;
    };
    return true;
}

} // namespace throttlescope::cli
