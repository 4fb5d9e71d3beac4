// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace throttlescope::bench {

/// Processor time of this thread since it was made: what else the machine does is not counted.
class Processor {
public:
    double nanoseconds() const { return now() - m_start; }

private:
    static double now()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
    }
    double m_start = now();
};

inline double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

enum class Goal { AtMost, AtLeast };

/// A figure beside that of what it is held against, measured in turn; the median of their ratios counts.
class Paired {
public:
    void add(double ours, double other)
    {
        m_ours.push_back(ours);
        m_other.push_back(other);
        m_ratios.push_back(ours / other);
    }
    /// `ratio`, both figures by name, and a line that says MISSED where the goal is.
    void report(benchmark::State &state, const std::string &figure, double goal, Goal side) const
    {
        const double ratio = median(m_ratios);
        state.counters["ratio"] = ratio;
        state.counters[figure] = median(m_ours);
        state.counters[figure + "_other"] = median(m_other);
        if (side == Goal::AtMost ? ratio > goal : ratio < goal)
            std::printf("MISSED: %s: %.2f times the other, the goal is %s %.2f\n", figure.c_str(), ratio,
                side == Goal::AtMost ? "at most" : "at least", goal);
    }

private:
    std::vector<double> m_ours, m_other, m_ratios;
};

} // namespace throttlescope::bench
