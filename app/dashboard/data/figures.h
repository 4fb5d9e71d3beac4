// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_store.h"
#include "core/journal/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace throttlescope::dashboard {

/// The figures at the top of the window. Plain values: a copy is a baseline.
struct Figures {
    std::uint64_t succeeded = 0, failed = 0, rejected = 0, cancelled = 0, unfinished = 0;
    std::uint64_t waitExceeded = 0;
    std::uint64_t attempts = 0;
    std::uint64_t throttled = 0; ///< responses
    double attemptsPerOperation = 0; ///< mean over the operations that ended
    Duration waitP50{}, waitP99{}; ///< of what was slept
    std::uint64_t waits = 0;
    double refusedPercent
        = 0; ///< of the operations that ended, those that were given up or turned away by a limit: `refused` of journal::Metrics
    Duration finish{}; ///< when the last operation ended
    std::uint64_t earlyReturns = 0;
    Duration earlyBy{}; ///< the most
    std::uint64_t lateReturns = 0;
    Duration overshoot{}; ///< the median of theirs
    std::optional<double> herd; ///< none: not known of a span, or nobody came
    std::optional<double> amplification; ///< none: no operation had an attempt
    std::uint64_t duplicateEffects = 0;
    bool operator==(const Figures &) const = default;
};

Figures figuresOf(const journal::Metrics &metrics);

/// Follows a store; at any time the figures of the run so far, as `throttlescope run --json` counts them.
class RunFigures {
public:
    /// Takes the rows that came since, at most `most` of them; begins anew where the store does. True: nothing is left.
    bool follow(const EventStore &store, Row most = kNoRow);
    void clear() { *this = RunFigures{}; }
    /// Percentiles sort what came since: to be asked a few times a second, not a frame.
    journal::Metrics metrics() const { return m_metrics.total(); }
    Figures figures() const { return figuresOf(metrics()); }

private:
    std::uint64_t m_runId = 0;
    Row m_next = 0;
    EventBuffer m_buffer;
    journal::RunMetrics m_metrics;
};

/// Over what happened from `from` up to, not including, `to`: an operation counts where it ended.
journal::Metrics metricsBetween(const EventStore &store, MonotonicTime from, MonotonicTime to);

/// The same as figures. A window that the span cuts has no herd.
Figures figuresBetween(const EventStore &store, MonotonicTime from, MonotonicTime to);

/// One figure as it is shown.
struct FigureValue {
    enum class Unit : std::uint8_t { Count, Ratio, Percent, Time };
    std::string_view name; ///< as metrics and scenario files have it
    Unit unit = Unit::Count;
    std::optional<double> value; ///< a time in seconds; none: there is nothing that it could be taken of
    std::optional<double> difference; ///< to the baseline, where both have one
    std::optional<bool> better; ///< than the baseline; none: equal, or no matter of better or worse
    bool operator==(const FigureValue &) const = default;
};
/// In the order in which they are shown.
std::vector<FigureValue> figureValues(const Figures &figures, const Figures *baseline = nullptr);
/// "170", "1.06", "85.0 %", "5 min 50.3 s"; "–" where there is no value.
std::string figureText(const FigureValue &figure);
/// "+12", "−0.06", "+85.0 %", "−4 min 2.1 s"; empty where there is none.
std::string differenceText(const FigureValue &figure);

} // namespace throttlescope::dashboard
