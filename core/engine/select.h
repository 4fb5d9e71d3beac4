// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/backoff.h"
#include "core/engine/decision.h"
#include "core/engine/draw.h"

namespace throttlescope {

/// What an operation has used up of the bounds of rule 7.
struct HintHistory {
    int hintedRetries = 0;
    int blindRetries = 0; ///< `no_hint: fixed` retries
};

struct OperationDraws {
    const Draw &draw;
    std::uint64_t key;
    double operator()(Stream stream, int attempt) const { return draw({stream, key, static_cast<std::uint32_t>(attempt)}); }
};

/// Rule 7: fills the decision's candidates, rule, source and delay, or its refusal (zero_hint, no_hint, hints_exhausted,
/// window_exhausted). `decision.attempt`, `family` and `hint` are set before. Hint mode, zero_hint, no_hint and
/// max_hinted_retries concern rate_limited only; the other families take the hint exactly where there is one.
void selectDelay(const Policy &policy, const signals::RateLimitState &state, const HintHistory &history, const OperationDraws &draws,
    BackoffMemory &memory, Decision &decision);

/// The first window of `spans` that the response says has nothing left, told by its length, else by its name.
const signals::Window *exhaustedWindow(const signals::RateLimitState &state, const std::vector<WindowSpan> &spans);

/// Rule 8, `max_wait`: up to and including it is awaited; above, refused, or cut where the policy reproduces clients that
/// come back too early. Whichever source the delay came from.
void judgeMaxWait(const RateLimitRules &rules, Decision &decision);

/// Rule 8, padding: `add` to a hinted delay above 0, `jitter` to that and to the fixed blind wait; to nothing else.
void addPadding(const Padding &padding, const OperationDraws &draws, Decision &decision);

} // namespace throttlescope
