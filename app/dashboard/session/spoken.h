// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/spoken_time.h"
#include "core/engine/decision.h"
#include "core/engine/policy.h"

#include <optional>
#include <string>

/// Words for people, in the past tense.
namespace throttlescope::dashboard {

/// "a rate limit (429)", "a server error (503)".
std::string spokenFamily(Family family, std::optional<int> status);
/// "the wait of 47 s was over max_wait 30 s".
std::string spokenRefusal(const Decision &decision);
/// The same of an operation that was turned away before its first attempt.
std::string spokenRejection(RefusalReason reason);

} // namespace throttlescope::dashboard
