// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"
#include "simulator/scenario/scenario.h"

#include <string>

namespace throttlescope {

/// [begin, end) in UTC.
struct WallSpan {
    WallTime begin, end;
    bool operator==(const WallSpan &) const = default;
};

bool knownTimeZone(const std::string &name);

/// The calendar window that contains `time`. `1d` and `1mo` are civil days and months of the zone, 23 or 25 hours long
/// where summer time changes. A shorter period divides the day: a window begins whenever the zone's clock (UTC plus the
/// offset then in force) shows a multiple of it. `zone` empty: UTC.
WallSpan calendarWindow(WallTime time, const Period &period, const std::string &zone);

} // namespace throttlescope
