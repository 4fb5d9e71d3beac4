// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/scenario.h"

namespace throttlescope {

/// Inverse of the standard normal distribution function; `p` in (0, 1). Wichura's AS 241 (PPND16), about 1e-16 relative.
double inverseNormal(double p);

/// The latency at quantile `draw` in [0, 1), without what `per_concurrent` adds. Never negative.
Duration latencyAt(const Latency &latency, double draw);

} // namespace throttlescope
