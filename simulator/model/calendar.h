// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/scenario.h"

#include <string>

namespace date {
class time_zone;
}

namespace throttlescope {

/// Whether limits can run in the zone of this IANA name.
bool knownTimeZone(const std::string &name);

namespace model {

/// Half open: [begin, end).
struct WallSpan {
    WallTime begin;
    WallTime end;
    bool operator==(const WallSpan &) const = default;
};

/// Where calendar windows begin and end in a time zone. Civil days and months last as long as the zone says; a shorter
/// window divides the day, and its boundaries are the instants at which the local clock shows a multiple of its length
/// since midnight. A boundary that a transition jumps over falls on the transition.
class Calendar {
public:
    /// Throws std::runtime_error where the zone is not known; a scenario was checked for that when it was loaded.
    Calendar(const Period &period, const std::string &timeZone);

    WallSpan windowAt(WallTime at) const;

private:
    /// A span in which the offset from UTC does not change.
    struct Offset {
        WallTime begin;
        WallTime end;
        Duration value;
        bool holds(WallTime at) const { return at >= begin && at < end; }
    };

    const Offset &offsetAt(WallTime at) const;
    bool boundaryAtTransition(WallTime transition, Duration before, Duration after) const;
    WallTime lastBoundary(WallTime at) const;
    WallTime nextBoundary(WallTime at) const;
    WallSpan civilDay(WallTime at) const;
    WallSpan civilMonth(WallTime at) const;
    WallTime midnight(std::int64_t day) const;

    Period m_period;
    const date::time_zone *m_zone = nullptr; ///< none: UTC
    mutable Offset m_offset; ///< the one looked up last; a lookup costs a search and a string
};

} // namespace model

} // namespace throttlescope
