// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/rare_events.h"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace throttlescope::dashboard {

/// The class of a sample of `waits`.
enum class WaitClass : std::uint8_t { Provider, Backoff, Exceeded };

/// How full one window of a server is, in %.
struct WindowSeries {
    TextId server = 0, limit = 0, key = 0;
    bool told = false; ///< by headers, where the server's own account is not in the journal
    std::uint64_t quota = 0; ///< the newest
    LodSeries used; ///< value: % of the quota; class 0
    std::vector<MonotonicTime> resets; ///< of a sliding window those that were reached, and the next
};

struct BreakerBand {
    MonotonicTime from;
    std::optional<MonotonicTime> to; ///< none: to the end of what is known
    bool halfOpen = false; ///< else open; closed is no band
    Row row = kNoRow;
    bool operator==(const BreakerBand &) const = default;
};

/// What one server's callers share.
struct ScopeSeries {
    TextId server = 0;
    std::vector<BreakerBand> breaker;
    LodSeries tokens; ///< of the budget; class 0
};

struct LabelSpan {
    TextId label = 0;
    MonotonicTime begin;
    std::optional<MonotonicTime> end; ///< none: not over
    Row row = kNoRow;
    bool operator==(const LabelSpan &) const = default;
};

/// What the plots show, read once off each row of a store as it comes. Text ids are the store's.
class PlotSeries {
public:
    /// Takes the rows that came since, at most `most` of them; begins anew where the store does. True: nothing is left.
    bool follow(const EventStore &store, Row most = kNoRow);
    void clear() { *this = PlotSeries{}; }

    const LodSeries &attempts() const { return m_attempts; } ///< at their end; value: seconds taken; class: AttemptOutcome
    const LodSeries &waits() const { return m_waits; } ///< at the decision; value: seconds; class: WaitClass
    const std::vector<WindowSeries> &windows() const { return m_windows; } ///< in order of appearance
    const std::vector<ScopeSeries> &scopes() const { return m_scopes; } ///< those with a breaker event or a budget
    const std::vector<LabelSpan> &labels() const { return m_labels; }
    const std::vector<Row> &policyChanges() const { return m_policyChanges; }
    const RareEvents &rareEvents() const { return m_rareEvents; }
    std::size_t bytes() const;

private:
    void take(const EventStore &store, Row row);
    void takeDecision(const EventStore &store, Row row);
    void takeWindow(const EventStore &store, Row row);
    void takeToldWindows(const EventStore &store, Row row);
    void takeBreaker(const EventStore &store, Row row);
    void takeMarker(const EventStore &store, Row row);
    WindowSeries &windowOf(TextId server, TextId limit, TextId key, bool told);
    ScopeSeries &scopeOf(TextId server);

    std::uint64_t m_runId = 0;
    Row m_next = 0;
    EventBuffer m_buffer;
    LodSeries m_attempts, m_waits;
    std::vector<WindowSeries> m_windows;
    std::map<std::tuple<TextId, TextId, TextId>, std::size_t> m_windowIndex;
    std::vector<ScopeSeries> m_scopes;
    std::vector<LabelSpan> m_labels;
    std::vector<Row> m_policyChanges;
    RareEvents m_rareEvents;
    std::vector<TextId> m_accountable; ///< servers whose own account is in the journal
};

} // namespace throttlescope::dashboard
