// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_fit.h"

#include <vector>

namespace throttlescope::incident {

inline constexpr std::int64_t kFewestWindows = 3;

/// Explains enough of the log to be talked about.
bool isPlausible(const Fit &fit);
/// What can be said with confidence where these limits explain the log as well as they do.
Inference verdictOn(std::vector<Fit> fits, bool hasManyKeys);

/// "30/min, fixed, calendar", "10/s, token bucket, burst 21, per key"
std::string limitWords(const InferredLimit &limit);

} // namespace throttlescope::incident
