// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <algorithm>
#include <chrono>

namespace throttlescope::net {

/// What a client takes for time: both clocks of its engine, and how long the machine must sleep until a moment of them. Any
/// thread.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Now now() const = 0; ///< `monotonic` never goes back
    /// Rounded up, so that a sleep never ends too early by itself; zero where the moment has passed.
    virtual std::chrono::milliseconds sleepUntil(MonotonicTime time) const = 0;
};

/// The machine's own, from zero on.
class MachineClock final : public Clock {
public:
    Now now() const override
    {
        using std::chrono::duration_cast;
        return {MonotonicTime{duration_cast<Duration>(std::chrono::steady_clock::now() - m_origin)},
            std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now())};
    }
    std::chrono::milliseconds sleepUntil(MonotonicTime time) const override
    {
        return std::max(std::chrono::milliseconds{0}, std::chrono::ceil<std::chrono::milliseconds>(time - now().monotonic));
    }

private:
    const std::chrono::steady_clock::time_point m_origin = std::chrono::steady_clock::now();
};

} // namespace throttlescope::net
