// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/retry_gaps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace throttlescope::incident {

namespace {

constexpr std::uint64_t kFewest = 30; ///< attempts from which a habit can be seen
constexpr std::uint64_t kLearnEvery = 64; ///< and oftener at the beginning
constexpr double kFewestAlike = 3; ///< that came about as late: two may be chance
constexpr double kFarMore = 4; ///< than new calls alone would be
constexpr double kAsGoodAsNone = 0.3; ///< new calls expected: where there are fewer, fewer than kFewestAlike are no chance
constexpr double kEarliestUsual = 60; ///< seconds: where hardly a retry is to be expected any more
constexpr double kLatestUsual = 500;

} // namespace

std::size_t RetryGaps::rowOf(std::uint32_t attempt, bool asTold)
{
    return std::min<std::size_t>(attempt, kAttempts) - 1 + (asTold ? kAttempts : 0);
}

std::size_t RetryGaps::binOf(Duration gap)
{
    const double milliseconds = std::max(0.0, static_cast<double>(gap.count()) / 1000);
    return std::min(kBins - 1, static_cast<std::size_t>(2 * std::log2(1 + milliseconds)));
}

double RetryGaps::secondsIn(std::size_t bin)
{
    const auto begin = [](std::size_t at) { return (std::exp2(static_cast<double>(at) / 2) - 1) / 1000; };
    return begin(bin + 1) - begin(bin);
}

void RetryGaps::opened(std::uint32_t attempt, bool wasTold)
{
    ++m_rows[rowOf(attempt, false)].opened; // it may come back sooner
    m_rows[rowOf(attempt, true)].opened += wasTold;
}

bool RetryGaps::isRetry(std::uint32_t attempt, Duration gap, bool asTold)
{
    Row &row = m_rows[rowOf(attempt, asTold)];
    const std::size_t bin = binOf(gap);
    ++row.came[bin];
    if (++m_learnt % kLearnEvery == 0 || (m_learnt < kLearnEvery && std::has_single_bit(m_learnt)))
        learnAnyTime();
    if (row.opened < kFewest)
        return true;
    // With the spans next to it, for a habit does not end at their edges.
    const std::size_t begin = bin == 0 ? 0 : bin - 1, end = std::min(bin + 2, kBins);
    std::uint64_t stillOpen = row.opened, came = 0;
    for (std::size_t earlier = 0; earlier < begin; ++earlier)
        stillOpen -= std::min(stillOpen, row.came[earlier]);
    double newCalls = 0;
    for (std::size_t near = begin; near < end; ++near) {
        came += row.came[near];
        newCalls += m_anyTime.value_or(0) * static_cast<double>(stillOpen) * secondsIn(near);
        stillOpen -= std::min(stillOpen, row.came[near]);
    }
    // Where a new call is hardly to be expected, even one is no chance.
    const double fewest = m_anyTime ? kFewestAlike * std::min(1.0, std::sqrt(newCalls / kAsGoodAsNone)) : kFewestAlike;
    return static_cast<double>(came) >= fewest + kFarMore * newCalls;
}

/// The rate at which equal requests come when hardly a retry does: those are new calls. A median, for some may retry late.
void RetryGaps::learnAnyTime()
{
    std::array<std::uint64_t, kBins> came{}, open{};
    for (const Row &row : m_rows) {
        std::uint64_t stillOpen = row.opened;
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            open[bin] += stillOpen;
            came[bin] += row.came[bin];
            stillOpen -= std::min(stillOpen, row.came[bin]);
        }
    }
    std::vector<double> rates;
    double seconds = 0;
    const std::size_t first = binOf(durationFromSeconds(kEarliestUsual)) + 1, last = binOf(durationFromSeconds(kLatestUsual));
    for (std::size_t bin = first; bin < last; ++bin) {
        if (open[bin] < kFewest)
            continue;
        rates.push_back(static_cast<double>(came[bin]) / (static_cast<double>(open[bin]) * secondsIn(bin)));
        seconds += static_cast<double>(open[bin]) * secondsIn(bin);
    }
    if (rates.empty())
        return;
    std::nth_element(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2), rates.end());
    // That none came does not say that none ever will.
    m_anyTime = std::max(rates[rates.size() / 2], 0.5 / seconds);
}

} // namespace throttlescope::incident
