// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/calendar.h"
#include "simulator/model/server_clock.h"

#include <cstdint>
#include <optional>

namespace throttlescope::model {

/// What the windows of one limit have in common, whatever the key. It outlives them.
///
/// Every kind of window answers the same questions, so that a limit holds one of them in a variant:
///   advance(now)              forgets what `now` has outlived; asked before anything else
///   admits(units)             would this request fit?
///   count(now, units)         it is counted, whether it fits or not
///   admittedAt(now, units)    for a request that does not fit: when it would; one that never will: when nothing is used
///   resetAt(now)              for the others: when what is used is given back; none where nothing is, or nobody can know
///   restart(now)              the client came back early: the window begins again, exhausted
struct WindowRules {
    std::uint64_t quota = 1;
    std::uint64_t capacity = 1; ///< token_bucket: burst; else the quota
    Period period;
    std::optional<Calendar> calendar; ///< fixed windows aligned to the calendar
    ServerClock clock;
};

/// Usage may pass the quota where refused requests count; it never wraps.
constexpr std::uint64_t saturatingSum(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

constexpr bool fits(std::uint64_t used, std::uint64_t units, std::uint64_t quota)
{
    return units <= quota && used <= quota - units;
}

} // namespace throttlescope::model
