// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace throttlescope::journal {

/// Durations as they were slept, 8 bytes each. Percentiles by nearest rank. A duration of 0 is no sample. A copy, or what
/// is added up from others, shares their samples. One thread.
class DurationSamples {
public:
    void add(Duration value);
    void add(const DurationSamples &other) { m_parts.insert(m_parts.end(), other.m_parts.begin(), other.m_parts.end()); }
    std::uint64_t count() const;
    Duration min() const { return percentile(0); }
    Duration max() const { return percentile(100); }
    double meanMicroseconds() const;
    /// `percent` in 0 … 100; zero where there are no samples.
    Duration percentile(double percent) const;

private:
    struct Part {
        std::deque<std::int64_t> values; ///< grows without a copy of what is there
        bool sorted = true;
    };
    void sort() const;

    std::vector<std::shared_ptr<Part>> m_parts; ///< sorted on the first question
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
