// SPDX-License-Identifier: Apache-2.0
#include "core/journal/samples.h"

#include <algorithm>
#include <cmath>

namespace throttlescope::journal {

namespace {

/// Nearest rank: the smallest value such that at least `percent` of all are not above it; index from 0.
std::uint64_t nearestRank(std::uint64_t count, double percent)
{
    const double rank = std::ceil(percent / 100 * static_cast<double>(count));
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, count) - 1;
}

} // namespace

double DurationSamples::meanMicroseconds() const
{
    if (m_values.empty())
        return 0;
    double sum = 0;
    for (const std::int64_t value : m_values)
        sum += static_cast<double>(value);
    return sum / static_cast<double>(m_values.size());
}

Duration DurationSamples::percentile(double percent) const
{
    if (m_values.empty())
        return Duration::zero();
    if (!m_sorted)
        std::sort(m_values.begin(), m_values.end());
    m_sorted = true;
    return Duration{m_values[nearestRank(m_values.size(), percent)]};
}

void CountHistogram::add(const CountHistogram &other)
{
    for (const auto &[value, count] : other.m_counts)
        m_counts[value] += count;
}

std::uint64_t CountHistogram::count() const
{
    std::uint64_t total = 0;
    for (const auto &entry : m_counts)
        total += entry.second;
    return total;
}

double CountHistogram::mean() const
{
    double sum = 0;
    for (const auto &[value, count] : m_counts)
        sum += static_cast<double>(value) * static_cast<double>(count);
    const std::uint64_t total = count();
    return total == 0 ? 0 : sum / static_cast<double>(total);
}

int CountHistogram::percentile(double percent) const
{
    const std::uint64_t total = count();
    if (total == 0)
        return 0;
    const std::uint64_t index = nearestRank(total, percent);
    std::uint64_t seen = 0;
    for (const auto &[value, count] : m_counts) {
        seen += count;
        if (seen > index)
            return value;
    }
    return 0;
}

} // namespace throttlescope::journal
