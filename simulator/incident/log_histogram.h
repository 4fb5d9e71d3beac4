// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace throttlescope::incident {

/// Counts durations by their logarithm: a quantile is off by 2 % at most, and there may be as many of them as one likes.
class LogHistogram {
public:
    void add(Duration value)
    {
        ++m_bins[binOf(value)];
        ++m_count;
    }
    std::uint64_t count() const { return m_count; }
    /// The nearest rank; none where nothing was counted.
    std::optional<Duration> quantile(double share) const
    {
        if (m_count == 0)
            return std::nullopt;
        const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(m_count))));
        std::uint64_t seen = 0;
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            seen += m_bins[bin];
            if (seen >= rank)
                return valueOf(bin);
        }
        return std::nullopt;
    }
    /// Of those up to `most`; none where there are none.
    std::optional<Duration> meanUpTo(Duration most) const
    {
        std::uint64_t count = 0;
        double sum = 0;
        for (std::size_t bin = 0; bin < kBins && valueOf(bin) <= most; ++bin) {
            count += m_bins[bin];
            sum += static_cast<double>(m_bins[bin]) * static_cast<double>(valueOf(bin).count());
        }
        return count == 0 ? std::nullopt : std::optional{durationFromMicroseconds(sum / static_cast<double>(count))};
    }

private:
    static constexpr std::size_t kBins = 640; ///< 18 a doubling: up to 40 days
    static constexpr double kPerDoubling = 18;
    static constexpr double kLeast = 100; ///< microseconds; less is nothing

    static std::size_t binOf(Duration value)
    {
        const double at = std::log2(static_cast<double>(std::max<std::int64_t>(value.count(), 1)) / kLeast) * kPerDoubling;
        return at < 0 ? 0 : std::min(kBins - 1, static_cast<std::size_t>(at) + 1);
    }
    static Duration valueOf(std::size_t bin)
    {
        return bin == 0 ? Duration{} : durationFromMicroseconds(kLeast * std::exp2((static_cast<double>(bin) - 0.5) / kPerDoubling));
    }

    std::array<std::uint32_t, kBins> m_bins{};
    std::uint64_t m_count = 0;
};

} // namespace throttlescope::incident
