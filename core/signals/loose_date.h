// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/http_date.h"

namespace throttlescope::signals {

/// The dates that servers send and RFC 9110 does not allow, as far as they name one moment beyond doubt: any case, one-digit
/// day or hour, doubled spaces, a missing day name or zone (then GMT), UTC, UT, Z or a numeric offset, a fraction of a
/// second, RFC 850 with a short day name or four digits of year, RFC 3339 and ISO 8601 with or without seconds, and
/// JavaScript's Date.toString(). Refused as doubtful: other zone names, two-digit years outside RFC 850's dashes, an unknown day
/// name, a missing time of day, anything behind the date. A text over 100 characters is no date.
std::optional<HttpDate> readLooseDate(std::string_view text, WallTime now);

} // namespace throttlescope::signals
