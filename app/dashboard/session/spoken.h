// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/decision.h"
#include "core/engine/policy.h"

#include <optional>
#include <string>

/// Words for people, in the past tense. What a file or an option takes is written by durationText() instead.
namespace throttlescope::dashboard {

/// "48.6 s", "120 ms", "5 min 51.8 s", "2 h 5 min": three digits or so.
std::string spoken(Duration value);
/// The same, in full: "60.000001 s".
std::string spokenExactly(Duration value);
/// Both in the fewest digits that tell them apart.
std::pair<std::string, std::string> spokenApart(Duration a, Duration b);

/// "a rate limit (429)", "a server error (503)".
std::string spokenFamily(Family family, std::optional<int> status);
/// "the wait of 47 s was over max_wait 30 s".
std::string spokenRefusal(const Decision &decision);
/// The same of an operation that was turned away before its first attempt.
std::string spokenRejection(RefusalReason reason);

} // namespace throttlescope::dashboard
