// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/policy.h"

namespace throttlescope {

/// What decorrelated jitters remember of the operation's earlier waits.
struct BackoffMemory {
    std::optional<Duration> previous; ///< decorrelated: the last wait drawn
    double previousV2 = 0; ///< decorrelated_v2: the formula's last intrinsic value
};

/// The wait before retry `n` (from 1) without jitter, already held under `max`. Attempt 2,000 is still the cap.
Duration plainBackoff(const Backoff &backoff, int n);

/// The same with jitter, `draw` in [0, 1): never negative, never above `max`. The interval is cut to [0, max] before the
/// draw, so that the spread stays at the cap; `decorrelated` caps the draw, as published.
Duration jitteredBackoff(const Backoff &backoff, int n, double draw, BackoffMemory &memory);

} // namespace throttlescope
