// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/run_batch.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace throttlescope::cli {

/// What goes with --live alone.
struct LiveArguments {
    bool live = false;
    std::optional<std::int64_t> scale;
    std::optional<std::chrono::microseconds> tolerance;
};

/// Makes `batch` run its scenarios on real sockets. False: this build cannot, and stderr says why.
bool prepareLive(const LiveArguments &arguments, const std::vector<LoadedScenario> &scenarios, BatchOptions &batch);

} // namespace throttlescope::cli
