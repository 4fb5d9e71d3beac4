// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/tracked_limit.h"

#include <memory>
#include <vector>

namespace throttlescope::model {

/// All limits of a server. A request is admitted only if every one admits it, and is counted only then.
class LimitStack {
public:
    /// `server` outlives it.
    LimitStack(const Server &server, const ServerClock &clock);

    /// Turns every limit to the request's window.
    void select(MonotonicTime now, const Request &request);
    /// Judges the selected request: none where it was admitted and counted, else the limit that answers it.
    const TrackedLimit *refusal(MonotonicTime now, const Request &request);
    /// The selected request, once admitted, leaves the server.
    void release();
    /// What the refusing limit reports: its own reset, or the shortest or longest over all that have one.
    std::optional<MonotonicTime> reportedReset(MonotonicTime now, const TrackedLimit &refusing) const;

    const std::vector<std::unique_ptr<TrackedLimit>> &limits() const { return m_limits; }

private:
    void countRefused(MonotonicTime now);
    void restartEarly(MonotonicTime now, const Request &request);
    const TrackedLimit *longestViolated(MonotonicTime now) const;

    std::vector<std::unique_ptr<TrackedLimit>> m_limits;
};

} // namespace throttlescope::model
