// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_time.h"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace throttlescope::incident {

/// Half open; an absent end is no bound.
struct LogSpan {
    std::optional<WallTime> since;
    std::optional<WallTime> until;

    bool holds(WallTime at) const { return (!since || at >= *since) && (!until || at < *until); }
    bool operator==(const LogSpan &) const = default;
};

/// Of `--since` and `--until`; empty ones are no bound. "HH:MM" is of the day that `zone` shows at `first`, where the logs
/// begin; if that is twelve hours or more before it, of the next day: a log that begins at 23:50 has its 01:50 there. An `until`
/// whose clock is before `since`'s is a day later.
tl::expected<LogSpan, std::string> logSpan(std::string_view since, std::string_view until, WallTime first, const LogTimeZone &zone);

} // namespace throttlescope::incident
