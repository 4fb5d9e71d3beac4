// SPDX-License-Identifier: Apache-2.0
#include "core/journal/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace throttlescope::journal {

namespace {

/// Nearest rank: the smallest value such that at least `percent` of all are not above it; index from 0.
std::uint64_t nearestRank(std::uint64_t count, double percent)
{
    const double rank = std::ceil(percent / 100 * static_cast<double>(count));
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, count) - 1;
}

} // namespace

void DurationSamples::add(Duration value)
{
    if (value <= Duration::zero())
        return;
    if (m_parts.empty() || m_parts.back().use_count() > 1) // what a copy holds stays as it is
        m_parts.push_back(std::make_shared<Part>());
    m_parts.back()->values.push_back(value.count());
    m_parts.back()->sorted = false;
}

std::uint64_t DurationSamples::count() const
{
    std::uint64_t count = 0;
    for (const auto &part : m_parts)
        count += part->values.size();
    return count;
}

double DurationSamples::meanMicroseconds() const
{
    const std::uint64_t total = count();
    if (total == 0)
        return 0;
    Duration sum{};
    for (const auto &part : m_parts) {
        for (const std::int64_t value : part->values)
            sum = saturatingAdd(sum, Duration{value});
    }
    return static_cast<double>(sum.count()) / static_cast<double>(total);
}

void DurationSamples::sort() const
{
    for (const auto &part : m_parts) {
        if (!part->sorted)
            std::sort(part->values.begin(), part->values.end());
        part->sorted = true;
    }
}

Duration DurationSamples::percentile(double percent) const
{
    const std::uint64_t total = count();
    if (total == 0)
        return Duration::zero();
    sort();
    std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
    for (const auto &part : m_parts) {
        low = std::min(low, part->values.front());
        high = std::max(high, part->values.back());
    }
    // The smallest value that has so many at or below it; the parts are not merged for that.
    const std::uint64_t wanted = nearestRank(total, percent) + 1;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        std::uint64_t below = 0;
        for (const auto &part : m_parts)
            below += static_cast<std::uint64_t>(std::upper_bound(part->values.begin(), part->values.end(), middle) - part->values.begin());
        if (below >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return Duration{low};
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
