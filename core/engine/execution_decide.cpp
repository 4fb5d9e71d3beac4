// SPDX-License-Identifier: Apache-2.0
#include "core/engine/classify.h"
#include "core/engine/execution_carried.h"
#include "core/engine/execution_failure.h"
#include "core/engine/extract.h"

#include <algorithm>

/// What happens after a failed attempt: rules 4 to 11 of DESIGN.md section 4, in their order.
namespace throttlescope {

Step Execution::decide(Now now, const Failure &failure)
{
    Decision decision;
    decision.attempt = m_attempts;
    decision.family = failure.family;
    decision.status = m_status;
    decision.maxAttempts = policy().maxAttempts;
    decision.maxWait = policy().rateLimit.maxWait;
    decision.refusal = refusedBeforeDelay(failure.family);
    decision.finalAttempt = decision.refusal.has_value();
    if (!decision.finalAttempt)
        readHint(failure, decision);

    const bool throttled = failure.family == Family::RateLimited;
    if (throttled) {
        carried().metadata.rateLimitEncountered = true;
        if (m_call->counters)
            ++m_call->counters->throttledResponses;
        record(now,
            journal::RateLimitDetected{failure.response()->status, decision.hint ? &*decision.hint : nullptr, decision.finalAttempt},
            decision.attempt);
    }
    voteOnAttempt(now, failure.family, throttled);
    if (!decision.finalAttempt && !decision.refusal)
        chooseDelay(now, failure, decision);
    coolDown(now, failure, decision);
    return decision.refusal ? refuse(now, decision) : schedule(now, decision);
}

/// Rules 4 and 5: what needs no delay to be refused.
std::optional<RefusalReason> Execution::refusedBeforeDelay(Family family) const
{
    if (family == Family::Permanent)
        return RefusalReason::NotSelected;
    if (!policy().retry)
        return RefusalReason::RetryOff;
    if (!replayable(m_call->replay, family))
        return RefusalReason::NotReplayable;
    if (!selected(policy().retryOn, family))
        return RefusalReason::NotSelected;
    if (m_handedOn)
        return RefusalReason::StreamingStarted;
    if (m_attempts >= policy().maxAttempts)
        return RefusalReason::AttemptsExhausted;
    return std::nullopt;
}

/// Rule 6. A custom extractor stands in for the headers; one that is not believed ends the retries.
void Execution::readHint(const Failure &failure, Decision &decision) const
{
    const auto &extractor = policy().rateLimit.extractor;
    if (failure.family != Family::RateLimited || !extractor) {
        decision.hint = failure.state.hint;
        return;
    }
    auto extracted = extractHint(*extractor, *failure.response());
    if (extracted) {
        decision.hint = std::move(*extracted);
    } else {
        decision.extractionError = std::move(extracted.error());
        decision.refusal = RefusalReason::ExtractionFailed;
    }
}

/// Rules 7 to 9.
void Execution::chooseDelay(Now now, const Failure &failure, Decision &decision)
{
    selectDelay(policy(), failure.state, carried().hints, draws(), carried().backoff, decision);
    if (!decision.refusal)
        judgeMaxWait(policy().rateLimit, decision);
    if (decision.refusal)
        return;
    addPadding(policy().rateLimit.padding, draws(), decision);
    judgeDeadline(now, decision);
    if (!decision.refusal)
        reserveRetry(now, failure, decision);
}

/// Rule 8, total_timeout: the wait and the earliest slot known now must fit.
void Execution::judgeDeadline(Now now, Decision &decision)
{
    if (!policy().totalTimeout)
        return;
    const MonotonicTime slot = scope().pacer.earliestSlot(now.monotonic);
    decision.timeLeft = deadline() - now.monotonic;
    decision.earliestSlot = slot - now.monotonic;
    if (std::max(saturatingAdd(now.monotonic, decision.wait()), slot) > deadline())
        decision.refusal = RefusalReason::Deadline;
}

/// Rule 9: the budget is reserved at the decision, the breaker asked; whoever refuses later gives the reservation back.
void Execution::reserveRetry(Now now, const Failure &failure, Decision &decision)
{
    Budget &budget = scope().budget;
    const double cost = budget.cost(failure.family, failure.timedOut());
    decision.tokensBefore = budget.available(now.monotonic);
    const auto reservation = budget.reserve(now.monotonic, cost);
    if (!reservation) {
        record(now, journal::BudgetExhausted{decision.tokensBefore.value_or(0), cost}, decision.attempt);
        decision.refusal = RefusalReason::Budget;
        return;
    }
    carried().reservation = *reservation;
    if (!breakerLetsPass(now))
        decision.refusal = RefusalReason::BreakerOpen;
    else if (!m_call->bodyReplayable)
        decision.refusal = RefusalReason::BodyNotReplayable;
    if (decision.refusal)
        budget.release(m_carried->reservation);
    decision.tokensAfter = budget.available(now.monotonic);
}

/// Rule 10. On a final attempt: from the standard headers, else from a backoff draw of its own.
void Execution::coolDown(Now now, const Failure &failure, const Decision &decision) const
{
    if (failure.family != Family::RateLimited || !scope().pacer.cooldownExtends())
        return;
    std::optional<Duration> delay = decision.delay;
    if (decision.finalAttempt && failure.state.hint) {
        delay = failure.state.hint->delay;
    } else if (decision.finalAttempt) {
        BackoffMemory memory = m_carried ? m_carried->backoff : BackoffMemory{};
        delay = jitteredBackoff(
            policy().backoffAfter(failure.family), decision.attempt, draws()(Stream::CooldownJitter, decision.attempt), memory);
    }
    if (delay && *delay <= policy().rateLimit.maxWait)
        scope().pacer.extendCooldown(saturatingAdd(now.monotonic, *delay));
}

Step Execution::schedule(Now now, const Decision &decision)
{
    const bool throttled = decision.family == Family::RateLimited;
    if (throttled && decision.rule == DelayRule::NoHintFixed)
        ++carried().hints.blindRetries;
    else if (throttled && decision.rule != DelayRule::Backoff)
        ++carried().hints.hintedRetries;
    carried().lastFailure = attemptMetadata(decision);
    m_waitIsForRateLimit = throttled;
    m_phase = Phase::Waiting;
    m_phaseSince = now.monotonic;
    m_phaseEnds = saturatingAdd(now.monotonic, decision.wait());
    record(now, journal::RetryScheduled{&decision, m_phaseEnds}, decision.attempt);
    return currentStep();
}

Step Execution::refuse(Now now, const Decision &decision)
{
    if (decision.refusal == RefusalReason::WaitExceeded && decision.family == Family::RateLimited) {
        carried().metadata.rateLimitWaitExceeded = true;
        record(now, journal::RateLimitWaitExceeded{*decision.delay, decision.maxWait, *decision.source}, decision.attempt);
    }
    carried().lastFailure = attemptMetadata(decision);
    if (decision.refusal == RefusalReason::ExtractionFailed)
        carried().extractionError
            = std::make_shared<RetryAfterExtractionError>(RetryAfterExtractionError{decision.status.value_or(0), decision.extractionError});
    record(now, journal::RetryRefused{&decision}, decision.attempt);
    return finish(now, Result::Failed, decision.refusal);
}

void Execution::recordRejection(Now now)
{
    const Breaker &breaker = scope().breaker;
    const bool halfOpen = breaker.state() == Breaker::State::HalfOpen;
    record(now, journal::BreakerRejected{halfOpen ? std::nullopt : breaker.openUntil(), halfOpen});
}

/// Ends the operation where no delay is in question: rejected before its first attempt, refused after it.
Step Execution::turnedAway(Now now, RefusalReason reason)
{
    if (reason == RefusalReason::BreakerOpen)
        recordRejection(now);
    if (m_attempts == 0)
        return finish(now, Result::Rejected, reason);
    Decision decision;
    decision.attempt = m_attempts;
    decision.family = m_lastFamily.value_or(Family::Transport);
    decision.status = m_status;
    decision.maxAttempts = policy().maxAttempts;
    decision.maxWait = policy().rateLimit.maxWait;
    decision.refusal = reason;
    record(now, journal::RetryRefused{&decision}, decision.attempt);
    return finish(now, Result::Failed, reason);
}

} // namespace throttlescope
