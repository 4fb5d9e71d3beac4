// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/delay_value.h"

namespace throttlescope::signals {

/// One line of Retry-After in tolerant mode, read by a form of the table. Where it is no single value it may be several
/// that something on the way has folded ("2814, 2"): then every one of them must be readable, and the longest counts.
/// A comma without a space behind it separates nothing: "1,000" may be a thousand, and is refused. Linear.
std::optional<Told> readRetryAfterValue(std::string_view text, Form form, const Clock &clock);

} // namespace throttlescope::signals
