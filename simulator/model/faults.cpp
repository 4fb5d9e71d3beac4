// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/faults.h"

#include <fmt/format.h>

#include <algorithm>

namespace throttlescope::model {

namespace {

/// 70 % + 20 % + 10 % is 1, whatever binary fractions make of it.
constexpr double kRoundingOfShares = 1e-9;

void append(std::vector<Fault> &faults, const TimelineEntry &entry)
{
    for (const auto &row : entry.faults) {
        if (row.share <= 0)
            continue;
        const double before = faults.empty() ? 0 : faults.back().cumulative;
        const double sum = before + row.share;
        const auto name = row.kind == FaultKind::Status ? fmt::format("{}", row.status) : std::string{faultName(row.kind)};
        faults.push_back({row.kind, row.status, sum > 1 - kRoundingOfShares ? 1.0 : sum, name});
    }
}

} // namespace

MonotonicTime beginOf(const TimelineEntry &entry)
{
    return MonotonicTime{entry.at};
}

MonotonicTime endOf(const TimelineEntry &entry)
{
    return saturatingAdd(beginOf(entry), entry.span.value_or(Duration::zero()));
}

std::string_view faultName(FaultKind kind)
{
    switch (kind) {
    case FaultKind::Status: return "status";
    case FaultKind::Reset: return "reset";
    case FaultKind::Timeout: return "timeout";
    case FaultKind::Truncate: return "truncate";
    case FaultKind::Slow: return "slow";
    case FaultKind::Refuse: return "refuse";
    }
    return "";
}

FaultTimeline::FaultTimeline(const std::vector<TimelineEntry> &timeline, const std::string &server)
{
    std::vector<const TimelineEntry *> entries;
    std::vector<MonotonicTime> edges;
    for (const auto &entry : timeline) {
        if (entry.server != server || entry.faults.empty())
            continue;
        entries.push_back(&entry);
        edges.push_back(beginOf(entry));
        edges.push_back(endOf(entry));
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        Segment segment{edges[i], edges[i + 1], {}};
        for (const auto *entry : entries)
            if (beginOf(*entry) <= segment.begin && segment.begin < endOf(*entry))
                append(segment.faults, *entry);
        if (!segment.faults.empty())
            m_segments.push_back(std::move(segment));
    }
}

const Fault *FaultTimeline::at(MonotonicTime now, std::uint64_t drawKey, std::uint32_t attempt, const Draw &draw)
{
    while (m_current < m_segments.size() && now >= m_segments[m_current].end)
        ++m_current;
    if (m_current == m_segments.size() || now < m_segments[m_current].begin)
        return nullptr;
    const double drawn = draw({Stream::NetworkFault, drawKey, attempt});
    for (const auto &fault : m_segments[m_current].faults)
        if (drawn < fault.cumulative)
            return &fault;
    return nullptr;
}

} // namespace throttlescope::model
