// SPDX-License-Identifier: Apache-2.0
#include "core/engine/execution_carried.h"

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
    Budget::Reservation none;
    scope().budget.attemptFinished(m_carried ? m_carried->reservation : none);
    m_phase = Phase::Ready;
    m_phaseSince = now.monotonic;
    record(now, event, m_attempts);
}

Step Execution::finish(Now now, Result result, std::optional<RefusalReason> reason)
{
    m_result = result;
    m_reason = reason;
    if (result == Result::Rejected)
        m_rejected = reason;
    if (m_carried)
        scope().budget.release(m_carried->reservation);
    voteOnOperation(now, result);
    const bool permanent = m_attempts > 0 && m_lastFamily == Family::Permanent;
    const bool givenUp = result == Result::Failed || result == Result::Rejected;
    if (givenUp && !permanent && m_call->fallback)
        return startFallback(now);
    return conclude(now);
}

Step Execution::startFallback(Now now)
{
    const Call &fallback = *m_call->fallback;
    record(now, journal::FallbackStarted{fallback.operation, fallback.server});
    const OperationIdentity identity{m_id, fallbackDrawKey(m_drawKey), m_handle};
    carried().fallback.reset(new Execution(fallback, identity, *m_environment, *this));
    m_phase = Phase::Fallback;
    return inFallback(now, Start{});
}

Step Execution::inFallback(Now now, const Input &input)
{
    Execution &fallback = *m_carried->fallback;
    if (std::holds_alternative<PolicyReplaced>(input))
        return fallback.currentStep(); // the primary's policy; it has nothing left to decide
    const Step step = fallback.next(now, input);
    if (!std::holds_alternative<Finish>(step))
        return step;
    record(now, journal::FallbackFinished{m_call->fallback->operation, fallback.m_result, fallback.m_status});
    takeOver(fallback);
    return conclude(now);
}

/// What the fallback came to is what the operation came to, unless it failed as well.
void Execution::takeOver(Execution &fallback)
{
    Carried &own = *m_carried;
    Carried &theirs = *fallback.m_carried;
    own.metadata.rateLimitEncountered = own.metadata.rateLimitEncountered || theirs.metadata.rateLimitEncountered;
    own.metadata.rateLimitWait += theirs.metadata.rateLimitWait;
    own.metadata.rateLimitWaitExceeded = own.metadata.rateLimitWaitExceeded || theirs.metadata.rateLimitWaitExceeded;
    own.waited += theirs.waited;
    own.paced += theirs.paced;
    own.retryAfter = std::move(theirs.retryAfter);
    if (theirs.state)
        own.state = std::move(theirs.state);
    m_status = fallback.m_status;
    const Result result = fallback.m_result;
    if (result == Result::Succeeded || result == Result::Cancelled || result == Result::Unfinished) {
        m_result = result;
        m_reason = std::nullopt;
    }
    m_viaFallback = result == Result::Succeeded;
}

const Call &Execution::currentCall() const
{
    return m_carried && m_carried->fallback ? m_carried->fallback->currentCall() : *m_call;
}

MonotonicTime Execution::attemptDeadline() const
{
    return m_carried && m_carried->fallback ? m_carried->fallback->attemptDeadline() : m_phaseEnds;
}

std::uint64_t Execution::currentDrawKey() const
{
    return m_carried && m_carried->fallback ? m_carried->fallback->currentDrawKey() : m_drawKey;
}

Step Execution::conclude(Now now)
{
    m_phase = Phase::Done;
    if (m_role == Role::Primary) {
        journal::OperationFinished finished{.result = m_result,
            .reason = m_reason,
            .viaFallback = m_viaFallback,
            .status = m_status,
            .attempts = m_attempts,
            .rejected = m_rejected};
        if (m_carried) {
            finished.retryAfter = m_carried->retryAfter;
            finished.metadata = m_carried->metadata;
            finished.waited = m_carried->waited;
            finished.paced = m_carried->paced;
        }
        record(now, finished);
    }
    return Finish{m_result, m_reason};
}

Summary Execution::summary() const
{
    Summary summary;
    summary.result = m_result;
    summary.reason = m_reason;
    summary.rejected = m_rejected;
    summary.viaFallback = m_viaFallback;
    summary.status = m_status;
    summary.attempts = m_attempts;
    if (m_carried) {
        summary.retryAfter = m_carried->retryAfter;
        summary.metadata = m_carried->metadata;
        summary.lastFailure = m_carried->lastFailure;
        summary.state = m_carried->state;
        summary.extractionError = m_carried->extractionError;
    }
    return summary;
}

void Execution::voteOnAttempt(Now now, Family family, bool throttled)
{
    if (!scope().breaker.counts(BreakerCounts::Attempts))
        return;
    const bool failure = family != Family::Success && family != Family::Permanent;
    recordTransition(now,
        scope().breaker.record(now.monotonic, m_pass, failure ? Breaker::Vote::Failure : Breaker::Vote::Success, throttled, lastHint()));
}

void Execution::voteOnOperation(Now now, Result result)
{
    Breaker &breaker = scope().breaker;
    const bool ended = result == Result::Succeeded || result == Result::Failed;
    if (m_attempts == 0 || !ended || !breaker.counts(BreakerCounts::Operations)) {
        breaker.release(m_pass);
        return;
    }
    const bool failure = result == Result::Failed && m_lastFamily != Family::Permanent;
    const bool throttled = failure && m_lastFamily == Family::RateLimited;
    recordTransition(
        now, breaker.record(now.monotonic, m_pass, failure ? Breaker::Vote::Failure : Breaker::Vote::Success, throttled, lastHint()));
}

std::optional<Duration> Execution::lastHint() const
{
    return m_carried ? m_carried->lastHint : std::nullopt;
}

bool Execution::breakerLetsPass(Now now)
{
    recordTransition(now, scope().breaker.refresh(now.monotonic));
    return scope().breaker.allows(m_pass);
}

void Execution::recordTransition(Now now, const Breaker::Transition &transition)
{
    if (const auto *opened = std::get_if<Breaker::Opened>(&transition))
        record(now, journal::BreakerOpened{opened->until, opened->generation, opened->cause}, m_attempts);
    else if (const auto *halfOpen = std::get_if<Breaker::HalfOpened>(&transition))
        record(now, journal::BreakerHalfOpen{halfOpen->generation});
    else if (const auto *closed = std::get_if<Breaker::Closed>(&transition))
        record(now, journal::BreakerClosed{closed->generation}, m_attempts);
}

} // namespace throttlescope
