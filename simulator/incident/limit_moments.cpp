// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_moments.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace throttlescope::incident {

namespace {

void append(Moments &moments, std::size_t seriesBegin, const Arrival &arrival)
{
    const std::int64_t at = arrival.at.time_since_epoch().count();
    if (moments.all.size() == seriesBegin || moments.all.back().at != at)
        moments.all.push_back({at, 0, 0});
    ++(arrival.refused ? moments.all.back().refused : moments.all.back().accepted);
}

} // namespace

Moments momentsOfAll(std::span<const Arrival> arrivals)
{
    Moments moments;
    for (const Arrival &arrival : arrivals)
        append(moments, 0, arrival);
    moments.ends.push_back(moments.all.size());
    return moments;
}

Moments momentsByKey(std::span<const Arrival> arrivals)
{
    // Counting sort: each key's arrivals side by side, still in order of time.
    std::unordered_map<std::uint32_t, std::uint32_t> indexOf;
    std::vector<std::uint32_t> counts;
    for (const Arrival &arrival : arrivals) {
        const auto [found, isNew] = indexOf.try_emplace(arrival.key, static_cast<std::uint32_t>(counts.size()));
        if (isNew)
            counts.push_back(0);
        ++counts[found->second];
    }
    std::vector<std::uint32_t> next(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::uint32_t{0});
    std::vector<std::uint32_t> order(arrivals.size());
    for (std::uint32_t i = 0; i < arrivals.size(); ++i)
        order[next[indexOf[arrivals[i].key]]++] = i;

    Moments moments;
    std::size_t at = 0;
    for (const std::uint32_t count : counts) {
        const std::size_t seriesBegin = moments.all.size();
        for (const std::size_t end = at + count; at < end; ++at)
            append(moments, seriesBegin, arrivals[order[at]]);
        moments.ends.push_back(moments.all.size());
    }
    return moments;
}

std::int64_t lossAllowance(std::int64_t quota)
{
    const double lost = 0.01 * static_cast<double>(quota);
    return std::max<std::int64_t>(quota >= 4 ? 1 : 0, std::llround(lost + 3 * std::sqrt(lost)));
}

} // namespace throttlescope::incident
