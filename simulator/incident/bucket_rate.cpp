// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/bucket_rate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>

namespace throttlescope::incident {

namespace {

/// A refusal, and how many were let through before it at least and at most.
struct Refusal {
    double at = 0; ///< seconds since the log's beginning
    std::int64_t least = 0, most = 0;
};

std::vector<Refusal> refusalsOf(Series series, const Tolerance &tolerance)
{
    std::vector<Refusal> refusals;
    std::size_t before = 0, around = 0;
    std::int64_t least = 0, most = 0;
    for (const Moment &moment : series) {
        if (moment.refused == 0)
            continue;
        for (; before < series.size() && series[before].at <= moment.at - tolerance.slack; ++before)
            least += series[before].accepted;
        for (; around < series.size() && series[around].at < moment.at + tolerance.slack; ++around)
            most += series[around].accepted;
        refusals.push_back({static_cast<double>(moment.at - tolerance.logBegin) / 1e6, least, most});
    }
    return refusals;
}

using OnSpan = std::function<void(double least, double most)>;

/// The rates that spans between two refusals allow for, each span long enough for `accepted` to go through.
void forEachSpan(const std::vector<Refusal> &refusals, std::int64_t accepted, double slack, const OnSpan &onSpan)
{
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < refusals.size(); ++begin) {
        while (end < refusals.size() && refusals[end].least - refusals[begin].most < accepted)
            ++end;
        if (end == refusals.size())
            return;
        const Refusal &a = refusals[begin], &b = refusals[end];
        const double span = b.at - a.at;
        if (span > slack)
            onSpan(static_cast<double>(b.least - a.most - 1) / (span + slack), static_cast<double>(b.most - a.least + 1) / (span - slack));
    }
}

constexpr std::int64_t kShortest = 8; ///< requests in a span: with fewer, one more or less is too much of the rate
constexpr std::int64_t kShortestWanted = 32;

} // namespace

std::optional<RateRange> bucketRate(const Moments &moments, const Tolerance &tolerance)
{
    const double slack = static_cast<double>(tolerance.slack) / 1e6;
    std::int64_t longest = 0;
    const auto everySpan = [&](std::int64_t shortest, const OnSpan &onSpan) {
        for (std::size_t i = 0; i < moments.count(); ++i) {
            const auto refusals = refusalsOf(moments.series(i), tolerance);
            if (refusals.size() < 2)
                continue;
            const std::int64_t accepted = refusals.back().least - refusals.front().most;
            longest = std::max(longest, accepted);
            for (std::int64_t length = shortest; length <= accepted; length *= 2)
                forEachSpan(refusals, length, slack, onSpan);
        }
    };
    everySpan(std::numeric_limits<std::int64_t>::max() / 2, [](double, double) {}); // only for `longest`
    const std::int64_t shortest = longest >= 2 * kShortestWanted ? kShortestWanted : kShortest;
    RateRange rate;
    everySpan(shortest, [&rate](double least, double most) {
        if (least > rate.least)
            rate = {least, most};
    });
    return rate.least > 0 ? std::optional{rate} : std::nullopt;
}

std::optional<RateRange> singleTokenRate(const Moments &moments, const Tolerance &tolerance)
{
    constexpr std::size_t mostSampled = 1 << 20;
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 0; i < moments.count(); ++i) {
        std::optional<std::int64_t> last;
        for (const Moment &moment : moments.series(i)) {
            if (moment.accepted == 0 || gaps.size() >= mostSampled)
                continue;
            if (last)
                gaps.push_back(moment.at - *last);
            last = moment.at;
        }
    }
    constexpr std::size_t fewest = 30;
    if (gaps.size() < fewest)
        return std::nullopt;
    const auto low = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 50);
    std::nth_element(gaps.begin(), low, gaps.end());
    if (*low <= 4 * tolerance.slack)
        return std::nullopt;
    return RateRange{1e6 / static_cast<double>(*low + tolerance.slack), 1e6 / static_cast<double>(*low - tolerance.slack)};
}

std::vector<BucketShape> shapesIn(const RateRange &rate)
{
    using namespace std::chrono_literals;
    constexpr std::size_t mostTried = 12;
    std::vector<BucketShape> shapes;
    for (const Duration unit : std::initializer_list<Duration>{1s, 1min, 1h, 24h}) {
        const auto least = static_cast<std::int64_t>(std::ceil(rate.least * secondsOf(unit)));
        const auto most = static_cast<std::int64_t>(std::floor(rate.most * secondsOf(unit)));
        if (most - least >= static_cast<std::int64_t>(mostTried) && !shapes.empty())
            break;
        const std::int64_t step = std::max<std::int64_t>(1, (most - least) / static_cast<std::int64_t>(mostTried));
        for (std::int64_t quota = std::max<std::int64_t>(1, least); quota <= most; quota += step)
            shapes.push_back({quota, unit, 1, false});
    }
    return shapes;
}

void measureCapacity(const Moments &moments, const Tolerance &tolerance, BucketShape &shape)
{
    const double slack = shape.rate() * static_cast<double>(tolerance.slack) / 1e6;
    std::vector<float> bursts;
    for (std::size_t i = 0; i < moments.count(); ++i) {
        double lowest = std::numeric_limits<double>::infinity(), highest = 0, accepted = 0;
        for (const Moment &moment : moments.series(i)) {
            const double gained = shape.rate() * static_cast<double>(moment.at - tolerance.logBegin) / 1e6;
            if (moment.accepted > 0)
                lowest = std::min(lowest, accepted - gained);
            accepted += moment.accepted;
            highest = std::max(highest, accepted - gained - lowest);
            if (moment.refused == 0)
                continue;
            if (highest > 0)
                bursts.push_back(static_cast<float>(highest));
            lowest = std::numeric_limits<double>::infinity();
            highest = 0;
        }
    }
    if (bursts.empty())
        return;
    const double most = *std::max_element(bursts.begin(), bursts.end());
    shape.capacity = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(most - slack - 0.02)));
    const auto asLarge = std::count_if(bursts.begin(), bursts.end(), [&](float burst) { return burst > most - 1 - slack; });
    shape.capacitySeen = asLarge >= 2;
}

} // namespace throttlescope::incident
