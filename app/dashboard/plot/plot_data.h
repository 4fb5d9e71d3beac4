// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_store.h"
#include "app/dashboard/data/lanes.h"
#include "app/dashboard/data/plot_series.h"

#include <optional>
#include <utility>

namespace throttlescope::dashboard {

/// What is drawn. The workspace owns it; it outlives the plots and grows between their replots.
struct PlotData {
    const EventStore *store = nullptr;
    const PlotSeries *series = nullptr;
    const EventStore *ghostStore = nullptr; ///< the pinned baseline; null: none
    const PlotSeries *ghost = nullptr;
    MonotonicTime now{}; ///< the latest moment that is known of the run
    std::optional<Duration> maxWait; ///< of the policy that is edited
    std::optional<Duration> ghostMaxWait; ///< of the baseline
    bool maxWaitCanBeMoved = false;

    MonotonicTime ghostEnd() const { return ghostStore ? ghostStore->end() : MonotonicTime{}; }

    /// Attempts were answered, and none of them with "too many".
    bool nothingThrottled() const
    {
        const LodColumn all = series->attempts().summary(0, series->attempts().size());
        return all.count > 0 && all.byClass[static_cast<std::size_t>(AttemptOutcome::RateLimited)] == 0 && series->waits().size() == 0;
    }
};

/// What is pointed out.
struct PlotSelection {
    Row row = kNoRow;
    std::optional<OperationIndex> operation;
    std::optional<std::pair<MonotonicTime, MonotonicTime>> span; ///< the figures are of it alone
    bool operator==(const PlotSelection &) const = default;
};

constexpr double secondsAt(MonotonicTime time)
{
    return static_cast<double>(time.time_since_epoch().count()) / 1e6;
}
inline MonotonicTime momentAt(double seconds)
{
    return MonotonicTime{durationFromMicroseconds(seconds * 1e6)};
}

} // namespace throttlescope::dashboard
