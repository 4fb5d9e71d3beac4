// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_findings.h"

#include <string>
#include <string_view>

namespace throttlescope::incident {

/// "upstream", "this proxy", "someone" where the log cannot tell.
std::string_view refuserWord(RefusedBy by);
/// "30/min per client, fixed, calendar: fits 40 of 41 windows (runner-up: sliding, 33)".
std::string findingWords(const LimitFinding &finding);
/// "GET /login and 2 more: " of a limit that is about these only; else empty.
std::string routesWords(const LimitFinding &finding, const Incident &incident);
/// "1,204,332"
std::string grouped(std::uint64_t number);
/// On the logs' own clock: "02:07:41", "02:11".
std::string clockText(WallTime at, Duration offset, bool seconds);
std::string dateText(WallTime at, Duration offset);
/// "02:07:41 to 02:10:00", with the days where they differ.
std::string spanText(WallTime from, WallTime to, Duration offset);

} // namespace throttlescope::incident
