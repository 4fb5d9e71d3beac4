// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/time.h"

#include <string>
#include <string_view>
#include <utility>

/// Times as the window says them, everywhere: "48.6 s". What a file or an option takes is written by durationText() instead,
/// and so it stands in a box while one types.
namespace throttlescope::dashboard {

/// "48.6 s", "120 ms", "5 min 51.8 s", "2 h 5 min": three digits or so.
std::string spoken(Duration value);
/// The same, in full: "60.000001 s".
std::string spokenExactly(Duration value);
/// Both in the fewest digits that tell them apart.
std::pair<std::string, std::string> spokenApart(Duration a, Duration b);
/// A text in which durations stand as files have them: "fixed 31s, 2" is "fixed 31 s, 2".
std::string spokenWords(std::string_view words);

} // namespace throttlescope::dashboard
