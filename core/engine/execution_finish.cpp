// SPDX-License-Identifier: Apache-2.0
#include "core/engine/execution.h"

#include <type_traits>

/// Ends, votes and the fallback (rules 1, 2, 9 and 11).
namespace throttlescope {

void Execution::endAttempt(Now now, journal::AttemptFinished event)
{
    event.fallback = m_role == Role::Fallback;
    event.took = now.monotonic - m_phaseSince;
    scope().pacer.finished();
    if (m_call->connections)
        m_call->connections->giveBack();
    scope().budget.attemptFinished(m_reservation);
    m_phase = Phase::Ready;
    m_phaseSince = now.monotonic;
    record(now, event, m_summary.attempts);
}

Step Execution::finish(Now now, Result result, std::optional<RefusalReason> reason)
{
    m_summary.result = result;
    m_summary.reason = reason;
    if (result == Result::Rejected)
        m_summary.rejected = reason;
    scope().budget.release(m_reservation);
    voteOnOperation(now, result);
    const bool permanent = m_summary.attempts > 0 && m_lastFamily == Family::Permanent;
    const bool givenUp = result == Result::Failed || result == Result::Rejected;
    if (givenUp && !permanent && m_call->fallback)
        return startFallback(now);
    return conclude(now);
}

Step Execution::startFallback(Now now)
{
    const Call &fallback = *m_call->fallback;
    record(now, journal::FallbackStarted{fallback.operation, fallback.server});
    const OperationIdentity identity{m_identity.id, fallbackDrawKey(m_identity.drawKey), m_identity.handle};
    m_fallback.reset(new Execution(m_call->fallback, identity, m_environment, *this));
    m_phase = Phase::Fallback;
    return inFallback(now, Start{});
}

Step Execution::inFallback(Now now, const Input &input)
{
    if (std::holds_alternative<PolicyReplaced>(input))
        return m_fallback->currentStep(); // the primary's policy; it has nothing left to decide
    const Step step = m_fallback->next(now, input);
    if (!std::holds_alternative<Finish>(step))
        return step;
    Summary &summary = m_fallback->m_summary;
    record(now, journal::FallbackFinished{m_call->fallback->operation, summary.result, summary.status});
    m_summary.metadata.rateLimitEncountered = m_summary.metadata.rateLimitEncountered || summary.metadata.rateLimitEncountered;
    m_summary.metadata.rateLimitWait += summary.metadata.rateLimitWait;
    m_summary.metadata.rateLimitWaitExceeded = m_summary.metadata.rateLimitWaitExceeded || summary.metadata.rateLimitWaitExceeded;
    m_waited += m_fallback->m_waited;
    m_paced += m_fallback->m_paced;
    m_summary.status = summary.status;
    m_summary.retryAfter = std::move(summary.retryAfter);
    if (summary.state)
        m_summary.state = std::move(summary.state);
    if (summary.result == Result::Succeeded) {
        m_summary.result = Result::Succeeded;
        m_summary.reason = std::nullopt;
        m_summary.viaFallback = true;
    } else if (summary.result == Result::Cancelled || summary.result == Result::Unfinished) {
        m_summary.result = summary.result;
        m_summary.reason = std::nullopt;
    }
    return conclude(now);
}

Step Execution::conclude(Now now)
{
    m_phase = Phase::Done;
    if (m_role == Role::Primary) {
        record(now,
            journal::OperationFinished{m_summary.result, m_summary.reason, m_summary.viaFallback, m_summary.status, m_summary.attempts,
                m_summary.retryAfter, m_summary.metadata, m_waited, m_paced, m_summary.rejected});
    }
    return Finish{m_summary.result, m_summary.reason};
}

void Execution::voteOnAttempt(Now now, Family family, bool throttled)
{
    if (!scope().breaker.counts(BreakerCounts::Attempts))
        return;
    const bool failure = family != Family::Success && family != Family::Permanent;
    recordTransition(now,
        scope().breaker.record(now.monotonic, m_pass, failure ? Breaker::Vote::Failure : Breaker::Vote::Success, throttled, m_lastHint));
}

void Execution::voteOnOperation(Now now, Result result)
{
    Breaker &breaker = scope().breaker;
    const bool ended = result == Result::Succeeded || result == Result::Failed;
    if (m_summary.attempts == 0 || !ended || !breaker.counts(BreakerCounts::Operations)) {
        breaker.release(m_pass);
        return;
    }
    const bool failure = result == Result::Failed && m_lastFamily != Family::Permanent;
    const bool throttled = failure && m_lastFamily == Family::RateLimited;
    recordTransition(
        now, breaker.record(now.monotonic, m_pass, failure ? Breaker::Vote::Failure : Breaker::Vote::Success, throttled, m_lastHint));
}

bool Execution::breakerLetsPass(Now now)
{
    recordTransition(now, scope().breaker.refresh(now.monotonic));
    return scope().breaker.allows(m_pass);
}

void Execution::recordTransition(Now now, const Breaker::Transition &transition)
{
    if (const auto *opened = std::get_if<Breaker::Opened>(&transition))
        record(now, journal::BreakerOpened{opened->until, opened->generation, opened->cause}, m_summary.attempts);
    else if (const auto *halfOpen = std::get_if<Breaker::HalfOpened>(&transition))
        record(now, journal::BreakerHalfOpen{halfOpen->generation});
    else if (const auto *closed = std::get_if<Breaker::Closed>(&transition))
        record(now, journal::BreakerClosed{closed->generation}, m_summary.attempts);
}

} // namespace throttlescope
