// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/retry_gaps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace throttlescope::incident {

namespace {

constexpr int kFewest = 30; ///< attempts from which a habit can be seen
constexpr std::uint64_t kLearnEvery = 64; ///< and oftener at the beginning
constexpr double kFewestAlike = 3; ///< that came about as late: two may be chance
constexpr std::size_t kMostMarks = 4096;
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

/// In seconds.
double RetryGaps::beginOf(std::size_t bin)
{
    return (std::exp2(static_cast<double>(bin) / 2) - 1) / 1000;
}

void RetryGaps::opened(std::uint32_t attempt, bool wasTold, WallTime at)
{
    Row &row = m_rows[rowOf(attempt, false)];
    ++row.opened; // it may come back sooner than it was told
    row.told += wasTold;
    m_rows[rowOf(attempt, true)].opened += wasTold;
    if (++m_opened % m_markEvery != 0)
        return;
    m_marks.push_back({at, m_opened});
    if (m_marks.size() < kMostMarks)
        return;
    for (std::size_t i = 0; 2 * i + 1 < m_marks.size(); ++i)
        m_marks[i] = m_marks[2 * i + 1];
    m_marks.resize(m_marks.size() / 2);
    m_markEvery *= 2;
}

bool RetryGaps::isRetry(std::uint32_t attempt, Duration gap, bool asTold, WallTime now)
{
    Row &row = m_rows[rowOf(attempt, asTold)];
    const std::size_t bin = binOf(gap);
    ++row.came[bin];
    if (++m_learnt % kLearnEvery == 0 || (m_learnt < kLearnEvery && std::has_single_bit(m_learnt))) {
        learnAges(now);
        learnAnyTime();
    }
    if (row.opened < std::uint64_t{kFewest})
        return true;
    // With the spans next to it, for a habit does not end at their edges.
    const std::size_t begin = bin == 0 ? 0 : bin - 1, end = std::min(bin + 2, kBins);
    std::uint64_t came = 0;
    double newCalls = 0, surviving = 1;
    for (std::size_t near = 0; near < end; ++near) {
        const double open = openIn(near, row.opened, row, surviving);
        if (near < begin)
            continue;
        came += row.came[near];
        newCalls += m_anyTime.value_or(0) * open * secondsIn(near);
    }
    // Where a new call is hardly to be expected, even one is no chance.
    const double fewest = m_anyTime ? kFewestAlike * std::min(1.0, std::sqrt(newCalls / kAsGoodAsNone)) : kFewestAlike;
    return static_cast<double>(came) >= fewest + kFarMore * newCalls;
}

/// Of `opened`, those that are old enough and were still open when the bin began. `surviving` is the share that is still open;
/// taken further from bin to bin. (What began a moment ago cannot have come back late: Kaplan and Meier's estimate.)
double RetryGaps::openIn(std::size_t bin, std::uint64_t opened, const Row &row, double &surviving) const
{
    const double open = static_cast<double>(opened) * m_oldEnough[bin] * surviving;
    if (row.came[bin] > 0)
        surviving *= open > 0 ? std::max(0.0, 1 - static_cast<double>(row.came[bin]) / open) : 0;
    return open;
}

void RetryGaps::learnAges(WallTime now)
{
    for (std::size_t bin = 0; bin < kBins; ++bin) {
        const WallTime latest{saturatingAdd(now.time_since_epoch(), -durationFromSeconds(beginOf(bin)))};
        const auto mark
            = std::upper_bound(m_marks.begin(), m_marks.end(), latest, [](WallTime at, const Mark &each) { return at < each.at; });
        const std::uint64_t until = mark == m_marks.begin() ? 0 : std::prev(mark)->opened;
        m_oldEnough[bin] = m_opened == 0 ? 1 : static_cast<double>(until) / static_cast<double>(m_opened);
    }
}

/// The rate at which equal requests come when hardly a retry does: those are new calls. A median, for some may retry late.
void RetryGaps::learnAnyTime()
{
    std::array<double, kBins> came{}, open{};
    for (const Row &row : m_rows) {
        double surviving = 1;
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            open[bin] += openIn(bin, row.opened - row.told, row, surviving); // those told count from that time on
            came[bin] += static_cast<double>(row.came[bin]);
        }
    }
    std::vector<double> rates;
    double seconds = 0;
    const std::size_t first = binOf(durationFromSeconds(kEarliestUsual)) + 1, last = binOf(durationFromSeconds(kLatestUsual));
    for (std::size_t bin = first; bin < last; ++bin) {
        if (open[bin] < kFewest)
            continue;
        rates.push_back(came[bin] / (open[bin] * secondsIn(bin)));
        seconds += open[bin] * secondsIn(bin);
    }
    if (rates.empty())
        return;
    std::nth_element(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2), rates.end());
    // That none came does not say that none ever will.
    m_anyTime = std::max(rates[rates.size() / 2], 0.5 / seconds);
}

} // namespace throttlescope::incident
