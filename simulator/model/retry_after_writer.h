// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/header_sink.h"
#include "simulator/scenario/scenario.h"

#include <optional>
#include <string_view>

namespace throttlescope::model {

struct WrittenRetryAfter {
    bool written = false;
    std::optional<Duration> told; ///< the delay a client reads out of it, counted from the arrival
    bool date = false; ///< … and holds it against the response's Date for that
};

/// Writes the field that says when to come back (RFC 9110 10.2.3), in the form the server was given. `delay` counts
/// from the arrival, `arrival` is on the server's clock. Without a delay only a literal is written.
WrittenRetryAfter writeRetryAfter(HeaderSink &sink, const RetryAfterHeader &header, std::optional<Duration> delay, WallTime arrival);

/// `1*DIGIT` as seconds; nothing else is read here, and what does not fit saturates.
std::optional<Duration> plainSeconds(std::string_view text);

} // namespace throttlescope::model
