// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/scenario.h"

namespace throttlescope::model {

/// Phi^-1(u): the value of a standard normal variable that is not exceeded with probability u; u = 0 is taken as the
/// half of the smallest step a draw can make.
double normalQuantile(double u);

/// The latency that the draw u in [0, 1) stands for, by the inverse of the distribution; never negative.
Duration drawnLatency(const Distribution &kind, double u);
/// Whether the value of u matters at all.
bool needsDraw(const Distribution &kind);
/// What requests that are already at the server add to what was drawn.
Duration addedByOthers(const Latency &latency, Duration drawn, int others);

} // namespace throttlescope::model
