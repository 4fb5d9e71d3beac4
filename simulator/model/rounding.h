// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

namespace throttlescope::model {

/// Rounded up to a whole `Unit`, so that whoever waits as long as told never comes too early. Never negative.
template <typename Unit>
constexpr Unit roundedUp(Duration delay)
{
    const auto whole = std::chrono::floor<Unit>(delay);
    const auto up = whole < delay ? whole + Unit{1} : whole;
    return up < Unit{0} ? Unit{0} : up;
}

/// A span of scenario time as it is told to a client whose clock runs `scale` times slower; up to the next microsecond.
constexpr Duration scaledDown(Duration span, std::int64_t scale)
{
    return scale == 1 ? span : saturatingAdd(span, Duration{scale - 1}) / scale;
}

/// The first whole second that is not before `time`.
constexpr WallTime nextWholeSecond(WallTime time)
{
    const auto whole = std::chrono::floor<std::chrono::seconds>(time);
    return whole < time ? whole + std::chrono::seconds{1} : whole;
}

} // namespace throttlescope::model
