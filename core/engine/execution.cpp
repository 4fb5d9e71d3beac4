// SPDX-License-Identifier: Apache-2.0
#include "core/engine/execution.h"

#include "core/engine/classify.h"
#include "core/engine/execution_carried.h"
#include "core/engine/execution_failure.h"

#include <algorithm>

namespace throttlescope {

static_assert(sizeof(Execution) <= 128, "an operation in flight takes less than 256 bytes, driver and server included");

Execution::Execution(const Call &call, OperationIdentity identity, const Environment &environment)
    : m_call(&call)
    , m_environment(&environment)
    , m_id(identity.id)
    , m_drawKey(identity.drawKey)
    , m_handle(identity.handle)
    , m_role(Role::Primary)
{
}

Execution::Execution(const Call &call, OperationIdentity identity, const Environment &environment, const Execution &primary)
    : Execution(call, identity, environment)
{
    m_role = Role::Fallback;
    carried().primary = primary.m_call;
}

Execution::~Execution() = default;

Execution::Carried &Execution::carryOn()
{
    m_carried = std::make_unique<Carried>();
    return *m_carried;
}

const Policy &Execution::policy() const
{
    return m_carried && m_carried->policy ? *m_carried->policy : *m_call->policy;
}

const Call &Execution::named() const
{
    return m_role == Role::Fallback ? *m_carried->primary : *m_call;
}

bool Execution::inRetryWait() const
{
    return m_phase == Phase::Waiting || (m_phase == Phase::Fallback && m_carried->fallback->inRetryWait());
}

Step Execution::next(Now now, const Input &input)
{
    if (m_phase == Phase::Fallback)
        return inFallback(now, input);
    if (m_phase == Phase::Done)
        return currentStep();
    if (const auto *cancelled = std::get_if<Cancelled>(&input))
        return cancel(now, *cancelled);
    if (const auto *replaced = std::get_if<PolicyReplaced>(&input)) {
        // The call may have it already; what runs asks the call.
        if (replaced->policy != m_call->policy || (m_carried && m_carried->policy))
            carried().policy = replaced->policy;
        return currentStep();
    }
    switch (m_phase) {
    case Phase::Ready: return std::holds_alternative<Start>(input) ? start(now) : currentStep();
    case Phase::InFlight:
        if (const auto *answer = std::get_if<Answered>(&input))
            return answered(now, answer->outcome);
        return attemptTimeReached(now);
    case Phase::Queued: return std::holds_alternative<TimeReached>(input) ? askPacer(now) : currentStep();
    case Phase::Waiting: return std::holds_alternative<TimeReached>(input) ? wake(now) : currentStep();
    case Phase::Fallback:
    case Phase::Done: break;
    }
    return currentStep();
}

Step Execution::start(Now now)
{
    m_startedAt = now.monotonic;
    m_phaseSince = now.monotonic;
    if (m_role == Role::Primary)
        record(now, journal::OperationStarted{policy().name, m_call->method, m_call->operationClass, m_call->replay, m_call->units});
    if (!breakerLetsPass(now))
        return turnedAway(now, RefusalReason::BreakerOpen);
    return enqueue(now);
}

Step Execution::enqueue(Now now)
{
    Pacer &pacer = scope().pacer;
    if (m_call->operationClass == OperationClass::Probe)
        return now.monotonic > deadline() ? turnedAway(now, RefusalReason::Deadline) : send(now, false);
    const bool free = pacer.freeAt(now.monotonic) && connectionFree();
    if (!free && pacer.queueFull())
        return turnedAway(now, RefusalReason::QueueFull);
    if (pacer.tooLarge(m_call->units))
        return turnedAway(now, RefusalReason::UnitsTooLarge);
    if (pacer.earliestSlot(now.monotonic) > deadline())
        return turnedAway(now, RefusalReason::Deadline);
    if (free)
        return send(now, false);
    journal::PacerWait waiting{pacer.waiting(), pacer.earliestSlot(now.monotonic), pacer.coolingAt(now.monotonic)};
    if (*waiting.earliest <= now.monotonic)
        waiting.earliest = std::nullopt; // only concurrency holds it back
    m_ticket = pacer.enter(m_handle, m_call->units);
    m_phase = Phase::Queued;
    m_phaseSince = now.monotonic;
    record(now, waiting);
    awaitConnection(now);
    return currentStep();
}

/// Whose slot has come and who lacks only a connection is woken by the next one that becomes free.
void Execution::awaitConnection(Now now)
{
    m_awaitsConnection = !connectionFree() && scope().pacer.readyAt(m_ticket, now.monotonic);
    if (m_awaitsConnection)
        m_call->connections->awaitFree(m_handle);
}

Step Execution::askPacer(Now now)
{
    // A timer is only a hint: one that comes late must not start an attempt that nobody waits for any more.
    const bool ready = scope().pacer.readyAt(m_ticket, now.monotonic) && connectionFree();
    if (now.monotonic > deadline() || (now.monotonic == deadline() && !ready))
        return deadlineReached(now);
    if (ready)
        return send(now, true);
    awaitConnection(now);
    return currentStep();
}

Step Execution::send(Now now, bool throughQueue)
{
    const Duration paced = throughQueue ? now.monotonic - m_phaseSince : Duration::zero();
    if (!breakerLetsPass(now)) {
        stopWaiting(now);
        return turnedAway(now, RefusalReason::BreakerOpen);
    }
    m_pass = *scope().breaker.admit(now.monotonic, m_pass);
    scope().pacer.started(now.monotonic, m_call->units);
    if (m_call->connections)
        m_call->connections->take();
    if (throughQueue)
        scope().pacer.leave(m_ticket);
    const bool isRetry = ++m_attempts > 1;
    scope().budget.attemptStarted(now.monotonic, isRetry);
    if (isRetry)
        carried().paidForLastRetry = carried().reservation.paid;
    if (m_call->counters) {
        ++m_call->counters->attempts;
        m_call->counters->retryAttempts += isRetry ? 1 : 0;
    }
    const Duration waited = m_carried ? std::exchange(m_carried->waited, Duration::zero()) : Duration::zero();
    record(now, journal::AttemptStarted{m_role == Role::Fallback, m_pass.lease != 0, waited, paced}, m_attempts);
    if (m_carried)
        m_carried->paced = Duration::zero();
    m_phase = Phase::InFlight;
    m_phaseSince = now.monotonic;
    const MonotonicTime timeout = saturatingAdd(now.monotonic, policy().attemptTimeout);
    m_endsAtDeadline = deadline() <= timeout;
    m_phaseEnds = std::min(timeout, deadline());
    return Send{m_attempts, m_phaseEnds, m_role == Role::Fallback};
}

Step Execution::wake(Now now)
{
    if (now.monotonic < m_phaseEnds)
        return currentStep();
    stopWaiting(now);
    if (!breakerLetsPass(now))
        return turnedAway(now, RefusalReason::BreakerOpen);
    return enqueue(now);
}

Step Execution::attemptTimeReached(Now now)
{
    if (now.monotonic < m_phaseEnds)
        return currentStep();
    if (m_endsAtDeadline)
        return deadlineReached(now);
    return answered(now, TransportFailure{TransportFailureKind::AttemptTimeout});
}

Step Execution::answered(Now now, const Outcome &outcome)
{
    const auto *response = std::get_if<Response>(&outcome);
    const auto *failure = std::get_if<TransportFailure>(&outcome);
    const RateLimitRules &rules = policy().rateLimit;
    signals::RateLimitState state;
    if (response)
        signals::read(*response, now.wall, {.hintHeaders = rules.hintHeaders}, state);
    const Family family = classify(outcome, rules, state);
    m_lastFamily = family;
    m_status = response ? std::optional{response->status} : std::nullopt;
    m_handedOn = m_handedOn || (response && m_call->streaming && response->bytesHandedOn > 0);
    rememberTold(response, state);
    endAttempt(now,
        {.status = m_status,
            .failure = failure ? std::optional{failure->kind} : std::nullopt,
            .family = family,
            .state = response ? &state : nullptr});

    Step step = Finish{};
    if (family == Family::Success) {
        voteOnAttempt(now, family, false);
        scope().budget.succeeded(m_carried ? m_carried->paidForLastRetry : std::nullopt);
        step = finish(now, Result::Succeeded, std::nullopt);
    } else {
        step = decide(now, {outcome, family, state});
    }
    keepState(state);
    return step;
}

void Execution::rememberTold(const Response *response, const signals::RateLimitState &state)
{
    const std::string *raw = response ? findHeader(response->headers, "Retry-After") : nullptr;
    if (raw || state.hint)
        carried();
    if (!m_carried)
        return;
    m_carried->lastHint = state.hint ? std::optional{state.hint->delay} : std::nullopt;
    if (raw)
        m_carried->retryAfter = *raw;
    else
        m_carried->retryAfter.clear();
}

/// Over that of the attempt before, unless somebody has it: an attempt allocates nothing.
void Execution::keepState(signals::RateLimitState &state)
{
    if (!state.hint && state.windows.empty() && state.unreadable.empty())
        return;
    auto &kept = carried().state;
    if (kept.use_count() == 1)
        swap(*kept, state);
    else
        kept = std::make_shared<signals::RateLimitState>(std::move(state));
}

Step Execution::cancel(Now now, const Cancelled &cancelled)
{
    if (m_phase == Phase::InFlight) {
        endAttempt(now, {.end = journal::AttemptEnd::Cancelled});
        scope().breaker.release(m_pass);
    } else {
        stopWaiting(now);
    }
    return finish(now, cancelled.runStopped ? Result::Unfinished : Result::Cancelled, std::nullopt);
}

Step Execution::deadlineReached(Now now)
{
    if (m_phase == Phase::InFlight) {
        m_lastFamily = Family::Transport;
        m_status = std::nullopt;
        rememberTold(nullptr, {});
        if (m_carried)
            m_carried->lastFailure = {};
        endAttempt(now, {.end = journal::AttemptEnd::Deadline, .family = Family::Transport});
        voteOnAttempt(now, Family::Transport, false);
    } else {
        stopWaiting(now);
    }
    return turnedAway(now, RefusalReason::Deadline);
}

/// Leaves the queue or ends the wait, keeping account of how long it was; a retry that now never starts gives its
/// reservation back in finish().
void Execution::stopWaiting(Now now)
{
    if (m_phase == Phase::Queued) {
        carried().paced += now.monotonic - m_phaseSince;
        scope().pacer.leave(m_ticket);
    } else if (m_phase == Phase::Waiting) {
        const Duration slept = now.monotonic - m_phaseSince;
        carried().waited += slept;
        if (m_waitIsForRateLimit)
            carried().metadata.rateLimitWait += slept;
    }
    m_phase = Phase::Ready;
}

MonotonicTime Execution::deadline() const
{
    const auto &timeout = policy().totalTimeout;
    return timeout ? saturatingAdd(m_startedAt, *timeout) : kNever;
}

Step Execution::currentStep() const
{
    switch (m_phase) {
    case Phase::Queued:
        return WaitUntil{m_awaitsConnection ? deadline() : std::min(scope().pacer.askAgainAt(m_ticket), deadline()), Waiting::Pacer};
    case Phase::InFlight: return WaitUntil{m_phaseEnds, Waiting::Answer};
    case Phase::Waiting: return WaitUntil{m_phaseEnds, Waiting::Retry};
    case Phase::Fallback: return m_carried->fallback->currentStep();
    case Phase::Ready: return WaitUntil{kNever, Waiting::Pacer}; // not started yet
    case Phase::Done: break;
    }
    return Finish{m_result, m_reason};
}

} // namespace throttlescope
