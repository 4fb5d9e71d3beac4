// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_moments.h"

#include <vector>

namespace throttlescope::incident {

/// The periods that people choose, as far as the log's times and its length let them be seen; the shortest first.
std::vector<Duration> usualPeriods(const Tolerance &tolerance);
/// Those the log itself speaks of: how far apart the moments are at which something was let through again.
std::vector<Duration> periodsSeen(const Moments &moments, const Tolerance &tolerance);

} // namespace throttlescope::incident
