// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_periods.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace throttlescope::incident {

using namespace std::chrono_literals;

namespace {

/// Shorter, and the edges of a window are all there is of it.
std::int64_t shortestSeen(const Tolerance &tolerance)
{
    return 4 * tolerance.slack;
}

} // namespace

std::vector<Duration> usualPeriods(const Tolerance &tolerance)
{
    std::vector<Duration> periods;
    for (const Duration period :
        std::initializer_list<Duration>{1s, 5s, 10s, 15s, 30s, 1min, 5min, 10min, 15min, 30min, 1h, 3h, 6h, 12h, 24h, 168h}) {
        if (period.count() >= shortestSeen(tolerance) && period.count() <= tolerance.logEnd - tolerance.logBegin)
            periods.push_back(period);
    }
    return periods;
}

std::vector<Duration> periodsSeen(const Moments &moments, const Tolerance &tolerance)
{
    constexpr std::size_t mostKept = 6;
    constexpr std::int64_t step = 1'000'000;
    std::unordered_map<std::int64_t, std::int64_t> gaps; // whole seconds; a window opens a little after it could
    for (std::size_t i = 0; i < moments.count(); ++i) {
        std::int64_t reopenedAt = 0;
        bool refused = false;
        for (const Moment &moment : moments.series(i)) {
            if (refused && moment.accepted > 0) {
                if (reopenedAt != 0 && moment.at - reopenedAt >= shortestSeen(tolerance))
                    ++gaps[(moment.at - reopenedAt) / step];
                reopenedAt = moment.at;
                refused = false;
            }
            refused = refused || moment.refused > 0;
        }
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> often;
    for (const auto &[gap, times] : gaps) {
        if (gap > 0 && times > 1)
            often.emplace_back(-times, gap);
    }
    std::sort(often.begin(), often.end());
    std::vector<Duration> periods;
    for (std::size_t i = 0; i < std::min(often.size(), mostKept); ++i)
        periods.push_back(Duration{often[i].second * step});
    return periods;
}

} // namespace throttlescope::incident
