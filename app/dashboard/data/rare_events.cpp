// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/rare_events.h"

#include <algorithm>

namespace throttlescope::dashboard {

void RareEvents::append(Rare rare, MonotonicTime at, Row row)
{
    Events &events = m_events[static_cast<std::size_t>(rare)];
    events.at.push_back(at);
    events.rows.push_back(row);
}

void RareEvents::read(const PixelRange &range, std::vector<RareMark> &marks) const
{
    marks.clear();
    if (range.isEmpty())
        return;
    for (std::size_t rare = 0; rare < kRares; ++rare) {
        const Events &events = m_events[rare];
        auto begin = std::lower_bound(events.at.begin(), events.at.end(), range.from);
        while (begin != events.at.end() && *begin < range.to) {
            const int column = range.columnOf(*begin);
            const auto end = std::lower_bound(begin, events.at.end(), range.beginOf(column + 1));
            const auto row = [&events](auto position) { return events.rows[static_cast<std::size_t>(position - events.at.begin())]; };
            marks.push_back({column, static_cast<Rare>(rare), static_cast<std::uint32_t>(end - begin), row(begin), row(end - 1)});
            begin = end;
        }
    }
}

std::optional<Row> RareEvents::next(RareSet wanted, Row after) const
{
    std::optional<Row> nearest;
    for (std::size_t rare = 0; rare < kRares; ++rare) {
        const std::vector<Row> &rows = m_events[rare].rows;
        const auto found = std::upper_bound(rows.begin(), rows.end(), after);
        if (wanted.has(static_cast<Rare>(rare)) && found != rows.end())
            nearest = std::min(nearest.value_or(*found), *found);
    }
    return nearest;
}

std::optional<Row> RareEvents::previous(RareSet wanted, Row before) const
{
    std::optional<Row> nearest;
    for (std::size_t rare = 0; rare < kRares; ++rare) {
        const std::vector<Row> &rows = m_events[rare].rows;
        const auto found = std::lower_bound(rows.begin(), rows.end(), before);
        if (wanted.has(static_cast<Rare>(rare)) && found != rows.begin())
            nearest = std::max(nearest.value_or(*(found - 1)), *(found - 1));
    }
    return nearest;
}

std::size_t RareEvents::bytes() const
{
    std::size_t bytes = 0;
    for (const Events &events : m_events)
        bytes += events.at.capacity() * sizeof(MonotonicTime) + events.rows.capacity() * sizeof(Row);
    return bytes;
}

std::optional<Rare> rareOf(const EventStore &store, Row row)
{
    switch (store.kind(row)) {
    case EventKind::RateLimitWaitExceeded: return Rare::WaitExceeded;
    case EventKind::RetryRefused:
        // A rate limited one that exceeded max_wait has had its own event before; any other has not.
        return store.reason(row) == RefusalReason::WaitExceeded && store.family(row) == Family::RateLimited ? std::nullopt
                                                                                                            : std::optional{Rare::Refused};
    case EventKind::OperationFinished: return store.result(row) == Result::Rejected ? std::optional{Rare::Refused} : std::nullopt;
    case EventKind::BreakerOpened: return Rare::BreakerOpened;
    case EventKind::BreakerHalfOpen: return Rare::BreakerHalfOpen;
    case EventKind::BreakerClosed: return Rare::BreakerClosed;
    case EventKind::BreakerRejected: return Rare::BreakerRejected;
    case EventKind::BudgetExhausted: return Rare::BudgetExhausted;
    case EventKind::FallbackStarted: return Rare::Fallback;
    case EventKind::TransportResent: return Rare::Resent;
    case EventKind::PolicyChanged: return Rare::PolicyChanged;
    case EventKind::RunStarted:
    case EventKind::RunFinished:
    case EventKind::Marker:
    case EventKind::OperationStarted:
    case EventKind::PacerWait:
    case EventKind::AttemptStarted:
    case EventKind::AttemptFinished:
    case EventKind::RateLimitDetected:
    case EventKind::RetryScheduled:
    case EventKind::ServerAnswered:
    case EventKind::FallbackFinished:
    case EventKind::ServerWindow: break;
    }
    return std::nullopt;
}

} // namespace throttlescope::dashboard
