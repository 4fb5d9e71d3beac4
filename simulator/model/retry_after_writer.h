// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/header_sink.h"
#include "simulator/scenario/scenario.h"

#include <optional>
#include <string_view>

namespace throttlescope::model {

/// Writes the field that says when to come back (RFC 9110 10.2.3), in the form the server was given. `delay` counts
/// from the arrival, `arrival` is on the server's clock. Without a delay only a literal is written.
void writeRetryAfter(HeaderSink &sink, const RetryAfterHeader &header, std::optional<Duration> delay, WallTime arrival);

} // namespace throttlescope::model
