// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/bench/stopwatch.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <string>
#include <vector>

namespace throttlescope::bench {

/// A figure beside that of what it is held against, measured in turn; the median of their ratios counts.
class Paired {
public:
    void add(double ours, double other)
    {
        m_ours.push_back(ours);
        m_other.push_back(other);
        m_ratios.push_back(ours / other);
    }
    double ratio() const { return median(m_ratios); }
    double ours() const { return median(m_ours); }
    double other() const { return median(m_other); }

private:
    std::vector<double> m_ours, m_other, m_ratios;
};

/// Shown as `name`, and said where the goal is missed.
inline void atMost(benchmark::State &state, const char *name, double value, double goal)
{
    state.counters[name] = value;
    if (!(value <= goal))
        std::printf("MISSED: %s: %.2f, the goal is at most %.2f\n", name, value, goal);
}
inline void atLeast(benchmark::State &state, const char *name, double value, double goal)
{
    state.counters[name] = value;
    if (!(value >= goal))
        std::printf("MISSED: %s: %.2f, the goal is at least %.2f\n", name, value, goal);
}

} // namespace throttlescope::bench
