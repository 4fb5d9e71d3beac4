// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/time.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace throttlescope::dashboard {

using Wall = std::chrono::steady_clock;

/// The clock that a run is played by, and how one waits on it: replaced where nobody wants to wait.
class RunClock {
public:
    virtual ~RunClock() = default;
    virtual Wall::time_point now() const { return Wall::now(); }
    /// Until that moment, or until `woken` is notified; may come back early.
    virtual void wait(std::unique_lock<std::mutex> &lock, std::condition_variable &woken, Wall::time_point until)
    {
        woken.wait_until(lock, until);
    }
};

/// Scenario time that passes `speed` times faster than the wall's, from a moment of both on.
class Pace {
public:
    Pace(double speed, Wall::time_point wall, MonotonicTime scenario)
        : m_speed(speed)
        , m_wall(wall)
        , m_scenario(scenario)
    {
    }
    MonotonicTime target(Wall::time_point now) const
    {
        const std::chrono::duration<double, std::micro> passed = now - m_wall;
        return saturatingAdd(m_scenario, durationFromMicroseconds(passed.count() * m_speed));
    }

private:
    double m_speed;
    Wall::time_point m_wall;
    MonotonicTime m_scenario;
};

} // namespace throttlescope::dashboard
