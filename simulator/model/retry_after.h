// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/dialect_headers.h"

namespace throttlescope {

/// Writes what the server tells of `delay` (counted from arrival) in the given form: seconds and dates round up. Returns
/// how long a client that reads it will stay away, counted from arrival; none where nothing readable is said.
std::optional<Duration> writeRetryAfter(const RetryAfterHeader &form, Duration delay, WallTime serverNow, HeaderWriter &headers);

} // namespace throttlescope
