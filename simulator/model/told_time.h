// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/rounding.h"
#include "simulator/model/server_clock.h"
#include "simulator/model/server_model.h"

#include <optional>

namespace throttlescope::model {

/// Turns scenario time into what a response says of it, and what a client reads back into scenario time.
class ToldTime {
public:
    ToldTime(const std::optional<ClientClock> &client, const ServerClock &clock, Duration skew)
        : m_scale(client ? client->scale : 1)
        , m_wallAtZero(client ? client->start + skew / client->scale : clock.wall(MonotonicTime{}))
        , m_ownClock(client.has_value())
    {
    }

    std::int64_t scale() const { return m_scale; }
    WallTime wall(MonotonicTime now) const { return m_wallAtZero + now.time_since_epoch() / m_scale; }
    Duration delay(Duration scenario) const { return scaledDown(scenario, m_scale); }
    MonotonicTime moment(MonotonicTime now, Duration told) const { return saturatingAdd(now, saturatingMultiply(told, m_scale)); }
    /// A client with a clock of its own comes back at the date itself, not that long after a Date that lost its fraction.
    Duration byOwnClock(Duration toldAfterDate, WallTime arrival) const
    {
        return m_ownClock ? toldAfterDate - (arrival - std::chrono::floor<std::chrono::seconds>(arrival)) : toldAfterDate;
    }

private:
    std::int64_t m_scale;
    WallTime m_wallAtZero;
    bool m_ownClock;
};

} // namespace throttlescope::model
