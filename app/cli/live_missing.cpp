// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/live_runs.h"

#include <fmt/format.h>

namespace throttlescope::cli {

bool prepareLive(const LiveArguments &, const std::vector<LoadedScenario> &, BatchOptions &)
{
    fmt::print(stderr, "throttlescope: this build has no run --live, it was made without Qt 6 Network, Boost or OpenSSL\n");
    return false;
}

} // namespace throttlescope::cli
