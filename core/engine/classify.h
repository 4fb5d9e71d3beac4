// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/policy.h"
#include "core/signals/rate_limit_state.h"

namespace throttlescope {

/// Rule 3. What says "rate limited" is classified before anything else: a status in `rate_limit.statuses`, or the server's
/// own dialect; where no status counts as rate limited, neither does the dialect.
Family classify(const Outcome &outcome, const RateLimitRules &rules, const signals::RateLimitState &state);

/// The rest of rule 3: of a response of which it is known whether it says "rate limited".
Family familyOf(const Response &response, bool rateLimited);

/// Rule 4 without the policy: may an outcome of that family be tried again under that rule?
bool replayable(ReplayRule rule, Family family);

/// The policy's `retry_on`.
bool selected(const RetryOn &retryOn, Family family);

} // namespace throttlescope
