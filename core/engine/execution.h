// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/decision.h"
#include "core/engine/draw.h"
#include "core/engine/operation.h"
#include "core/engine/scope.h"
#include "core/engine/select.h"
#include "core/journal/recorder.h"

#include <memory>
#include <optional>
#include <variant>

namespace throttlescope {

// What the driver must do next. Exactly one; the driver comes back with an input when it is done or the time is reached.
// A step that is neither Send nor WaitUntil{Answer} while a request is under way means: give that request up.

/// Send the request now; come back with its outcome, or with TimeReached at `deadline`.
struct Send {
    int attempt = 1;
    MonotonicTime deadline; ///< of the attempt (attempt_timeout), or of the operation (total_timeout) where that is earlier
    bool fallback = false; ///< send the fallback's request instead of the operation's own
};
enum class Waiting { Retry, Pacer, Answer };
/// kNever where nothing but the wake list brings the operation on.
struct WaitUntil {
    MonotonicTime at;
    Waiting why = Waiting::Retry;
};
struct Finish {
    Result result = Result::Succeeded;
    std::optional<RefusalReason> reason;
};
using Step = std::variant<Send, WaitUntil, Finish>;

struct Start { };
struct Answered {
    const Outcome &outcome;
};
struct TimeReached { };
struct Cancelled {
    bool runStopped = false; ///< the run is stopped: the operation ends `unfinished` instead of `cancelled`
};
struct PolicyReplaced {
    std::shared_ptr<const Policy> policy;
};
using Input = std::variant<Start, Answered, TimeReached, Cancelled, PolicyReplaced>;

/// What all executions of a run share.
struct Environment {
    const Draw &draw;
    journal::Recorder &recorder;
};

/// One operation, from Start to Finish: the rules of DESIGN.md section 4 as a state machine without I/O. Never blocks,
/// never throws, reads no clock. One thread, that of its scope.
class Execution {
public:
    Execution(std::shared_ptr<const Call> call, OperationIdentity identity, const Environment &environment);

    Step next(Now now, const Input &input);

    /// True inside a wait before a retry: such a wait keeps its length when the policy is replaced.
    bool inRetryWait() const { return m_phase == Phase::Waiting || (m_fallback && m_fallback->inRetryWait()); }
    /// The call whose request Send means: the operation's own, or its fallback's.
    const std::shared_ptr<const Call> &currentCall() const { return m_fallback ? m_fallback->currentCall() : m_call; }
    /// Whose draws that request uses: a fallback has its own, so that it does not meet the primary's faults again.
    std::uint64_t currentDrawKey() const { return m_fallback ? m_fallback->currentDrawKey() : m_identity.drawKey; }
    const Summary &summary() const { return m_summary; }

private:
    enum class Phase : std::uint8_t { Ready, Queued, InFlight, Waiting, Fallback, Done };
    enum class Role : std::uint8_t { Primary, Fallback };
    struct Failure; ///< a failed attempt while it is being decided

    Execution(std::shared_ptr<const Call> call, OperationIdentity identity, const Environment &environment, const Execution &primary);

    // execution.cpp: the course of an operation
    Step start(Now now);
    Step enqueue(Now now);
    Step askPacer(Now now);
    bool connectionFree() const { return !m_call->connections || m_call->connections->free(); }
    void awaitConnection(Now now);
    Step send(Now now, bool throughQueue);
    Step wake(Now now);
    Step attemptTimeReached(Now now);
    Step answered(Now now, const Outcome &outcome);
    void keepState(signals::RateLimitState &&state);
    Step cancel(Now now, const Cancelled &cancelled);
    Step deadlineReached(Now now);
    Step currentStep() const;

    // execution_decide.cpp: what happens after a failed attempt
    Step decide(Now now, const Failure &failure);
    std::optional<RefusalReason> refusedBeforeDelay(Family family) const;
    void readHint(const Failure &failure, Decision &decision) const;
    void chooseDelay(Now now, const Failure &failure, Decision &decision);
    void judgeDeadline(Now now, Decision &decision);
    void reserveRetry(Now now, const Failure &failure, Decision &decision);
    void coolDown(Now now, const Failure &failure, const Decision &decision) const;
    Step schedule(Now now, const Decision &decision);
    Step refuse(Now now, const Decision &decision);
    Step refuseWithoutDelay(Now now, RefusalReason reason);

    // execution_finish.cpp: ends, votes and the fallback
    Step finish(Now now, Result result, std::optional<RefusalReason> reason);
    Step startFallback(Now now);
    Step inFallback(Now now, const Input &input);
    Step conclude(Now now);
    void endAttempt(Now now, journal::AttemptFinished event);
    void voteOnAttempt(Now now, Family family, bool throttled);
    void voteOnOperation(Now now, Result result);
    void recordTransition(Now now, const Breaker::Transition &transition);
    bool breakerLetsPass(Now now);
    Step turnedAway(Now now, RefusalReason reason);
    void recordRejection(Now now);

    MonotonicTime deadline() const;
    void stopWaiting(Now now);
    template <typename Happening>
    void record(Now now, const Happening &happening, int attempt = 0) const
    {
        if (m_environment.recorder.listening())
            m_environment.recorder.record({0, now, m_identity.id, m_named->operation, m_call->server, attempt, happening});
    }
    OperationDraws draws() const { return {m_environment.draw, m_identity.drawKey}; }
    Scope &scope() const { return *m_call->scope; }

    std::shared_ptr<const Call> m_call;
    const Call *m_named; ///< a fallback's events carry the name of the operation it serves
    std::shared_ptr<const Policy> m_policy;
    OperationIdentity m_identity;
    const Environment &m_environment;
    Role m_role;
    Phase m_phase = Phase::Ready;
    bool m_endsAtDeadline = false; ///< the running attempt: total_timeout ends it, as the policy was when it started
    bool m_awaitsConnection = false; ///< queued, its slot has come, every connection is taken
    bool m_waitIsForRateLimit = false;
    bool m_handedOn = false;

    MonotonicTime m_startedAt{};
    MonotonicTime m_phaseSince{}; ///< when the present wait, queueing or attempt began
    MonotonicTime m_phaseEnds{}; ///< end of the wait; deadline of the attempt
    Pacer::Ticket m_ticket = 0;
    Duration m_waited{}; ///< slept since the last attempt, not yet journalled with the next
    Duration m_paced{}; ///< queued since the last attempt, when no attempt came of it

    BackoffMemory m_backoffMemory;
    HintHistory m_hintHistory;
    Breaker::Pass m_pass;
    Budget::Reservation m_reservation;
    std::optional<double> m_paidForLastRetry;
    std::optional<Family> m_lastFamily; ///< of the last attempt that ended by itself
    std::optional<Duration> m_lastHint; ///< for a breaker that stays open for the hint

    Summary m_summary;
    std::unique_ptr<Execution> m_fallback;
};

} // namespace throttlescope
