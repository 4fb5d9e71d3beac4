// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::signals {

/// The three forms of RFC 9110 5.6.7, in GMT whatever the machine's zone: IMF-fixdate, RFC 850 and asctime. `now` decides
/// the century of a two-digit year: one that appears to be more than 50 years ahead is in the past. The second 60 is a leap
/// second and reads as the next minute's first. A wrong day name is tolerated. Nothing where the text is no such date.
/// No locale, no exceptions, no allocation.
std::optional<WallTime> parseHttpDate(std::string_view text, WallTime now);

/// IMF-fixdate of the second that contains `time`: "Sun, 06 Nov 1994 08:49:37 GMT".
void appendImfFixdate(std::string &out, WallTime time);
/// The obsolete forms, for servers that still send them: "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994".
void appendRfc850Date(std::string &out, WallTime time);
void appendAsctimeDate(std::string &out, WallTime time);

} // namespace throttlescope::signals
