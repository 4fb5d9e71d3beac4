// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_fit.h"
#include "simulator/incident/window_tally.h"

#include <limits>

namespace throttlescope::incident {

namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

std::int64_t floorTo(std::int64_t at, std::int64_t step)
{
    const std::int64_t rest = at % step;
    return at - (rest < 0 ? rest + step : rest);
}

/// One calendar window while its moments pass by.
class CalendarWindow {
public:
    CalendarWindow(std::int64_t begin, std::int64_t length, const Tolerance &tolerance)
        : m_begin(begin)
        , m_end(begin + length)
        , m_slack(tolerance.slack)
        , m_isCut(begin < tolerance.logBegin)
    {
    }

    std::int64_t end() const { return m_end; }
    std::int64_t ofNext() const { return m_ofNext; }
    void takeOver(std::int64_t accepted) { m_seen.accepted += accepted; }
    void take(const Moment &moment)
    {
        const bool first = moment.at < m_begin + m_slack;
        const bool last = moment.at >= m_end - m_slack;
        const bool isFull = m_refusedAt != kNone && moment.at >= m_refusedAt + m_slack;
        if (last && isFull) {
            m_ofNext += moment.accepted; // by a clock that is a little ahead
        } else {
            m_seen.accepted += moment.accepted;
            m_seen.atEdges += first || last ? moment.accepted : 0;
            m_contradicted = m_contradicted || (moment.accepted > 0 && isFull);
        }
        if (moment.refused == 0)
            return;
        m_refusedAtEdge = m_refusedAtEdge || first;
        if (!first && m_refusedAt == kNone)
            m_refusedAt = moment.at;
    }
    void hand(WindowTally &tally)
    {
        if (m_contradicted)
            return tally.addContradicted();
        if (m_isCut)
            return;
        m_seen.filled = m_refusedAt != kNone;
        m_seen.onlyAtEdge = !m_seen.filled && m_refusedAtEdge;
        tally.add(m_seen);
    }

private:
    std::int64_t m_begin, m_end, m_slack;
    bool m_isCut; ///< what it took before the log began is not known
    WindowTally::Seen m_seen;
    std::int64_t m_refusedAt = kNone; ///< first, those apart that may be the window's before
    std::int64_t m_ofNext = 0;
    bool m_refusedAtEdge = false;
    bool m_contradicted = false;
};

void tallyCalendar(Series series, const Tolerance &tolerance, std::int64_t per, std::int64_t offset, WindowTally &tally)
{
    std::optional<CalendarWindow> window;
    for (const Moment &moment : series) {
        if (tally.isHopeless())
            return;
        if (!window || moment.at >= window->end()) {
            const std::int64_t begin = floorTo(moment.at + offset, per) - offset;
            const std::int64_t takenOver = window && window->end() == begin ? window->ofNext() : 0;
            if (window)
                window->hand(tally);
            window.emplace(begin, per, tolerance);
            window->takeOver(takenOver);
        }
        window->take(moment);
    }
    if (window)
        window->hand(tally);
}

/// Windows that begin with the first request after the one before. Where one begins is certain after a refusal: what is let
/// through next opens one. Near the end of a window that was not full it is not; such a window says nothing.
class FirstRequestWindows {
public:
    FirstRequestWindows(const Tolerance &tolerance, std::int64_t per, WindowTally &tally)
        : m_tolerance(tolerance)
        , m_per(per)
        , m_tally(tally)
    {
    }

    void take(const Moment &moment)
    {
        if (moment.accepted > 0)
            accept(moment);
        if (moment.refused > 0)
            refuse(moment);
    }
    void finish() { close(); }

private:
    bool isOpen() const { return m_openedAt != kNone; }
    bool isFull() const { return m_refusedAt != kNone; }

    void accept(const Moment &moment)
    {
        const std::int64_t end = m_openedAt + m_per;
        m_refusedSince = kNone;
        if (isFull() && moment.at >= m_refusedAt + m_tolerance.slack) {
            if (m_isKnown && moment.at < end - m_tolerance.slack)
                contradict();
            return open(moment, true);
        }
        if (!isOpen())
            return open(moment, moment.at >= m_tolerance.logBegin + m_per);
        if (moment.at >= end + m_tolerance.slack)
            return open(moment, m_isKnown);
        if (moment.at >= end - m_tolerance.slack)
            return open(moment, false);
        m_accepted += moment.accepted;
    }
    void refuse(const Moment &moment)
    {
        const bool noneOpen = isOpen() && m_isKnown && moment.at >= m_openedAt + m_per + m_tolerance.slack;
        const bool tooLong = m_refusedSince != kNone && moment.at >= m_refusedSince + m_per + m_tolerance.slack;
        if (noneOpen || tooLong)
            contradict();
        if (m_refusedSince == kNone || tooLong)
            m_refusedSince = moment.at;
        if (isOpen() && moment.at < m_openedAt + m_tolerance.slack) {
            m_refusedAtEdge = true; // by this window, or by the one before
            return;
        }
        if (!isFull())
            m_refusedAt = moment.at;
    }
    void open(const Moment &moment, bool isKnown)
    {
        close();
        m_openedAt = moment.at;
        m_isKnown = isKnown;
        m_accepted = moment.accepted;
    }
    void contradict()
    {
        m_tally.addContradicted();
        m_isKnown = false;
    }
    void close()
    {
        if (isOpen() && m_isKnown)
            m_tally.add({m_accepted, 0, isFull(), !isFull() && m_refusedAtEdge});
        m_refusedAt = kNone;
        m_refusedAtEdge = false;
    }

    const Tolerance &m_tolerance;
    const std::int64_t m_per;
    WindowTally &m_tally;
    std::int64_t m_openedAt = kNone;
    std::int64_t m_accepted = 0;
    std::int64_t m_refusedAt = kNone; ///< first of this window
    std::int64_t m_refusedSince = kNone; ///< the last that was let through: whatever window was full then, it ends
    bool m_isKnown = false;
    bool m_refusedAtEdge = false;
};

} // namespace

std::optional<Fit> fitCalendar(const Moments &moments, const Tolerance &tolerance, Duration per, Duration utcOffset)
{
    WindowTally tally;
    for (std::size_t i = 0; i < moments.count() && !tally.isHopeless(); ++i)
        tallyCalendar(moments.series(i), tolerance, per.count(), utcOffset.count(), tally);
    auto fit = tally.result(tolerance);
    if (fit) {
        fit->candidate.limit.per = per;
        fit->candidate.limit.alignment = Alignment::Calendar;
    }
    return fit;
}

std::optional<Fit> fitFirstRequest(const Moments &moments, const Tolerance &tolerance, Duration per)
{
    WindowTally tally;
    for (std::size_t i = 0; i < moments.count(); ++i) {
        FirstRequestWindows windows{tolerance, per.count(), tally};
        for (const Moment &moment : moments.series(i)) {
            windows.take(moment);
            if (tally.isHopeless())
                return std::nullopt;
        }
        windows.finish();
    }
    auto fit = tally.result(tolerance);
    if (fit) {
        fit->candidate.limit.per = per;
        fit->candidate.limit.alignment = Alignment::FirstRequest;
    }
    return fit;
}

} // namespace throttlescope::incident
