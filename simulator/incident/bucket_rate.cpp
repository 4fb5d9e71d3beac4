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
    RateRange rate{0, std::numeric_limits<double>::infinity()};
    everySpan(std::numeric_limits<std::int64_t>::max() / 2, [](double, double) {}); // only for `longest`
    const std::int64_t shortest = longest >= 2 * kShortestWanted ? kShortestWanted : kShortest;
    everySpan(shortest, [&rate](double least, double) { rate.least = std::max(rate.least, least); });
    if (rate.least <= 0)
        return std::nullopt;
    everySpan(shortest, [&rate](double, double most) {
        if (most >= rate.least)
            rate.most = std::min(rate.most, most);
    });
    return rate;
}

BucketShape shapeOf(const RateRange &rate)
{
    using namespace std::chrono_literals;
    constexpr Duration units[] = {1s, 1min, 1h, 24h};
    for (const Duration unit : units) {
        const double least = rate.least * secondsOf(unit), most = rate.most * secondsOf(unit);
        const double nearest = std::max(1.0, std::round((least + most) / 2));
        if (nearest < least || nearest > most)
            continue;
        const bool onlyOne = nearest - 1 < least && nearest + 1 > most;
        return {static_cast<std::int64_t>(nearest), unit, nearest / secondsOf(unit), 1, onlyOne && most <= 1.02 * least, false};
    }
    const double perDay = std::max(1.0, std::round(rate.middle() * secondsOf(24h)));
    return {static_cast<std::int64_t>(perDay), 24h, perDay / secondsOf(24h), 1, false, false};
}

void measureCapacity(const Moments &moments, const Tolerance &tolerance, BucketShape &shape)
{
    const double slack = shape.rate * static_cast<double>(tolerance.slack) / 1e6;
    std::vector<float> bursts;
    for (std::size_t i = 0; i < moments.count(); ++i) {
        double lowest = std::numeric_limits<double>::infinity(), highest = 0, accepted = 0;
        for (const Moment &moment : moments.series(i)) {
            const double gained = shape.rate * static_cast<double>(moment.at - tolerance.logBegin) / 1e6;
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
