// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulator/run/runner.h"
#include "simulator/scenario/loader.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace throttlescope::cli {

struct BatchOptions {
    int jobs = 1;
    std::string journal; ///< file or folder, empty: none
    bool journalIsFolder = false;
    std::string artifacts; ///< folder, empty: none
    /// How one scenario is run; again gives the same only in virtual time.
    std::function<RunReport(const Scenario &, const RunOptions &)> run = runScenario;
    bool live = false;
    bool requireExpectations = false;
};

struct FinishedRun {
    const Scenario *scenario = nullptr;
    RunReport report;
    std::string journal; ///< where it was written, or empty
    bool live = false; ///< through sockets
    std::chrono::microseconds wall{};
};

/// Runs all scenarios, `jobs` at a time, and calls back in the order given, each as soon as those before it are done.
/// SIGINT ends the runs cleanly; what was not begun is not in the result.
std::vector<FinishedRun> runBatch(
    const std::vector<LoadedScenario> &scenarios, const BatchOptions &options, const std::function<void(const FinishedRun &)> &onFinished);

/// "minute-window": the file's name without its ending.
std::string shortName(const Scenario &scenario);

} // namespace throttlescope::cli
