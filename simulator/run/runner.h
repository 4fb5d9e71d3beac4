// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/metrics.h"
#include "simulator/run/expectations.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/scenario.h"

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope {

struct RunOptions {
    std::filesystem::path journal; ///< empty: none is written
    const std::atomic<bool> *interrupted = nullptr;
    std::uint64_t mostOpen = Simulation::kMostOpen; ///< operations at once
};

/// What one run of a scenario came to.
struct RunReport {
    journal::Metrics metrics;
    std::map<std::string, journal::Metrics, std::less<>> byOperation;
    std::vector<Judged> judged;
    std::uint64_t operations = 0;
    bool interrupted = false;
    std::string error; ///< why it could not be run to its end, or its journal not be written; empty: all went well

    bool passed() const;
    void take(const journal::RunMetrics &measured);
};

/// Runs a scenario in virtual time and judges its expectations. Where one fails, the same run is watched again for the
/// event that first broke it.
RunReport runScenario(const Scenario &scenario, const RunOptions &options);

} // namespace throttlescope
