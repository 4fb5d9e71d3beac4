// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace throttlescope::bench {

inline double clockSeconds(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// Since it was made: of the wall, of this thread's processor time, of that of all threads.
class Stopwatch {
public:
    double wall() const { return clockSeconds(CLOCK_MONOTONIC) - m_wall; }
    double thread() const { return clockSeconds(CLOCK_THREAD_CPUTIME_ID) - m_thread; }
    double process() const { return clockSeconds(CLOCK_PROCESS_CPUTIME_ID) - m_process; }

private:
    double m_wall = clockSeconds(CLOCK_MONOTONIC), m_thread = clockSeconds(CLOCK_THREAD_CPUTIME_ID),
           m_process = clockSeconds(CLOCK_PROCESS_CPUTIME_ID);
};

inline double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace throttlescope::bench
