// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/draw.h"
#include "simulator/scenario/scenario.h"

#include <string>
#include <vector>

namespace throttlescope::model {

/// From when to when an entry holds, half open; an instant ends as it begins.
MonotonicTime beginOf(const TimelineEntry &entry);
MonotonicTime endOf(const TimelineEntry &entry);

/// A fault that a request may meet, with the share of all draws up to and including it.
struct Fault {
    FaultKind kind = FaultKind::Status;
    int status = 0;
    double cumulative = 0;
    std::string name; ///< "503", "reset", …
};

/// "reset", "timeout", …; "status" for a status.
std::string_view faultName(FaultKind kind);

/// The faults of one server over time. Entries that overlap add, in the order of the file.
class FaultTimeline {
public:
    FaultTimeline(const std::vector<TimelineEntry> &timeline, const std::string &server);

    /// The fault this attempt meets, if any: one draw against the cumulative shares. Times never go back.
    const Fault *at(MonotonicTime now, std::uint64_t drawKey, std::uint32_t attempt, const Draw &draw);

private:
    /// A span in which the same entries are active; a gap has no faults.
    struct Segment {
        MonotonicTime begin;
        MonotonicTime end;
        std::vector<Fault> faults;
    };

    std::vector<Segment> m_segments;
    std::size_t m_current = 0;
};

} // namespace throttlescope::model
