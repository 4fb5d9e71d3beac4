// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <cstdint>
#include <map>
#include <vector>

namespace throttlescope::journal {

/// Durations as they were slept, 8 bytes each. Percentiles by nearest rank. A duration of 0 is no sample.
class DurationSamples {
public:
    void add(Duration value)
    {
        if (value > Duration::zero())
            m_values.push_back(value.count());
        m_sorted = false;
    }
    void add(const DurationSamples &other)
    {
        m_values.insert(m_values.end(), other.m_values.begin(), other.m_values.end());
        m_sorted = false;
    }
    std::uint64_t count() const { return m_values.size(); }
    Duration min() const { return percentile(0); }
    Duration max() const { return percentile(100); }
    double meanMicroseconds() const;
    /// `percent` in 0 … 100; zero where there are no samples.
    Duration percentile(double percent) const;

private:
    mutable std::vector<std::int64_t> m_values; ///< sorted on the first question
    mutable bool m_sorted = true;
};

/// How often each small whole number occurred.
class CountHistogram {
public:
    void add(int value) { ++m_counts[value]; }
    void add(const CountHistogram &other);
    std::uint64_t count() const;
    double mean() const;
    int percentile(double percent) const;

private:
    std::map<int, std::uint64_t> m_counts;
};

} // namespace throttlescope::journal
