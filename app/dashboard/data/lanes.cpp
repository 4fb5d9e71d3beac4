// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/lanes.h"

#include <algorithm>

namespace throttlescope::dashboard {

namespace {

std::optional<MonotonicTime> askedFor(const Decision &decision, MonotonicTime at)
{
    return decision.hint ? std::optional{saturatingAdd(at, decision.hint->delay)} : std::nullopt;
}

/// Reads the events of one operation in order.
class LaneReader {
public:
    LaneReader(Lane &lane, MonotonicTime now)
        : m_lane(lane)
        , m_now(now)
    {
    }

    void read(Row row, const journal::Event &event)
    {
        m_row = row;
        m_at = event.at.monotonic;
        m_attempt = event.attempt;
        std::visit([this](const auto &payload) { take(payload); }, event.payload);
    }

private:
    void take(const journal::PacerWait &wait)
    {
        if (!openPacing())
            m_lane.pacings.push_back({m_at, std::max(m_at, m_now), wait.cooldown, true, m_row});
        else
            openPacing()->cooldown |= wait.cooldown;
    }
    void take(const journal::AttemptStarted &started)
    {
        endWait(started.waited);
        endPacing(started.paced);
        m_lane.attempts.push_back(
            {m_at, std::max(m_at, m_now), std::nullopt, std::nullopt, m_attempt, started.fallback, started.probe, m_row, kNoRow});
    }
    void take(const journal::AttemptFinished &finished)
    {
        const auto open = std::find_if(
            m_lane.attempts.rbegin(), m_lane.attempts.rend(), [](const AttemptSpan &attempt) { return attempt.finished == kNoRow; });
        if (open == m_lane.attempts.rend()) // the journal begins in the middle
            return;
        open->end = m_at;
        open->outcome = outcomeOf(finished);
        open->status = finished.status;
        open->finished = m_row;
    }
    void take(const journal::RetryScheduled &scheduled)
    {
        const Decision &decision = *scheduled.decision;
        m_waiting = decision.wait() > Duration::zero() || decision.hint;
        if (m_waiting)
            m_lane.waits.push_back(
                {m_at, std::clamp(m_now, m_at, std::max(m_at, scheduled.until)), askedFor(decision, m_at), m_now < scheduled.until, m_row});
    }
    void take(const journal::RetryRefused &refused)
    {
        m_lane.refusals.push_back({m_at, *refused.decision->refusal, askedFor(*refused.decision, m_at), m_row});
    }
    void take(const journal::FallbackStarted &) { m_lane.fallback = FallbackSpan{m_at, std::max(m_at, m_now), std::nullopt, m_row}; }
    void take(const journal::FallbackFinished &fallback)
    {
        if (m_lane.fallback) {
            m_lane.fallback->end = m_at;
            m_lane.fallback->result = fallback.result;
        }
    }
    void take(const journal::OperationFinished &finished)
    {
        endWait(finished.waited);
        endPacing(finished.paced);
        m_lane.end = m_at;
        m_lane.result = finished.result;
        m_lane.viaFallback = finished.viaFallback;
        for (const auto &reason : {finished.rejected, finished.reason}) {
            if (reason && std::none_of(m_lane.refusals.begin(), m_lane.refusals.end(), [&](const Refusal &each) {
                    return each.reason == *reason;
                }))
                m_lane.refusals.push_back({m_at, *reason, std::nullopt, m_row});
        }
    }
    template <typename T>
    void take(const T &)
    {
    }

    /// The wait that was scheduled last is over; `waited` of it was slept.
    void endWait(Duration waited)
    {
        if (m_waiting) {
            WaitSpan &wait = m_lane.waits.back();
            wait.end = std::min(saturatingAdd(wait.begin, waited), m_at);
            wait.goesOn = false;
        }
        m_waiting = false;
    }
    void endPacing(Duration paced)
    {
        PacingSpan *open = openPacing();
        if (paced == Duration::zero()) {
            if (open)
                m_lane.pacings.pop_back(); // it was let through at the same moment
            return;
        }
        if (!open)
            open = &m_lane.pacings.emplace_back(PacingSpan{m_at, m_at, false, false, m_row});
        open->begin = m_at - paced;
        open->end = m_at;
        open->goesOn = false;
    }
    PacingSpan *openPacing() { return !m_lane.pacings.empty() && m_lane.pacings.back().goesOn ? &m_lane.pacings.back() : nullptr; }

    Lane &m_lane;
    MonotonicTime m_now;
    MonotonicTime m_at;
    Row m_row = kNoRow;
    int m_attempt = 0;
    bool m_waiting = false;
};

} // namespace

Lane laneOf(const EventStore &store, OperationIndex index, MonotonicTime now)
{
    const Row first = store.firstRowOf(index);
    Lane lane{index, store.operationId(index), store.operationText(first), store.serverText(first), store.at(first), now};
    LaneReader reader{lane, now};
    EventBuffer buffer;
    for (Row row = first; row != kNoRow; row = store.nextOfOperation(row)) {
        // The two kinds that most rows are, and no lane shows.
        if (store.kind(row) != EventKind::ServerWindow && store.kind(row) != EventKind::ServerAnswered)
            reader.read(row, store.event(row, buffer));
    }
    return lane;
}

std::vector<OperationIndex> operationsBetween(const EventStore &store, MonotonicTime from, MonotonicTime to, std::size_t most)
{
    const Row begin = store.firstRowAt(from), end = store.firstRowAt(to);
    std::vector<OperationIndex> found;
    for (OperationIndex index = 0; index < store.operationCount() && store.firstRowOf(index) < end && found.size() < most; ++index) {
        const Row last = store.lastRowOf(index);
        if (last >= begin || store.kind(last) != EventKind::OperationFinished)
            found.push_back(index);
    }
    return found;
}

} // namespace throttlescope::dashboard
