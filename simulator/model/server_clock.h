// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

namespace throttlescope::model {

/// The fake server's wall clock: start + t + clock_skew. Calendar windows and every date it writes run on it.
class ServerClock {
public:
    ServerClock(WallTime start, Duration skew)
        : m_zero(start + skew)
    {
    }

    WallTime wall(MonotonicTime time) const { return m_zero + time.time_since_epoch(); }
    MonotonicTime monotonic(WallTime time) const { return MonotonicTime{time - m_zero}; }

private:
    WallTime m_zero;
};

} // namespace throttlescope::model
