// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/exchange.h"

#include <cstddef>

namespace throttlescope::http {

/// How an exchange ended, as the server can know it.
enum class Ending { Answered, HungUp };

/// Asks the model of each request, and keeps the journal of it. Knows no socket. One run, one thread. Servers go by their
/// place in the scenario.
class Accounts {
public:
    virtual ~Accounts() = default;
    /// How long a request that was just received is still on its way.
    virtual Duration travelOut(std::size_t server, const Exchange &exchange) = 0;
    /// A request is there, whole: its answer is decided now.
    virtual void arrive(std::size_t server, Exchange &exchange) = 0;
    /// It leaves the model, answered or given up. Once, and only if `atServer`.
    virtual void leave(std::size_t server, Exchange &exchange) = 0;
    /// The last byte of its answer is out, or its client has gone. Once, and only if `accounted`.
    virtual void end(std::size_t server, Exchange &exchange, Ending ending) = 0;
    /// An entry of the timeline that bears a label begins or ends.
    virtual void mark(const TimelineEntry &entry, bool begin) = 0;
};

} // namespace throttlescope::http
