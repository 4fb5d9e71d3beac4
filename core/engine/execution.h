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
/// never throws, reads no clock. One thread, that of its scope. Small, since thousands wait at once: what only an operation
/// needs that has failed or was told something is apart (Carried), and made once.
class Execution {
public:
    /// `call` and what `environment` refers to outlive it.
    Execution(const Call &call, OperationIdentity identity, const Environment &environment);
    Execution(const Execution &) = delete;
    Execution &operator=(const Execution &) = delete;
    ~Execution();

    Step next(Now now, const Input &input);

    /// True inside a wait before a retry: such a wait keeps its length when the policy is replaced.
    bool inRetryWait() const;
    bool finished() const { return m_phase == Phase::Done; }
    journal::OperationId id() const { return m_id; }
    std::uint64_t drawKey() const { return m_drawKey; }
    /// Of the attempt that is under way, as Send had it.
    MonotonicTime attemptDeadline() const;
    /// The operation's own call.
    const Call &call() const { return *m_call; }
    /// The call whose request Send means: the operation's own, or its fallback's.
    const Call &currentCall() const;
    /// Whose draws that request uses: a fallback has its own, so that it does not meet the primary's faults again.
    std::uint64_t currentDrawKey() const;
    /// Put together on each call.
    Summary summary() const;

private:
    enum class Phase : std::uint8_t { Ready, Queued, InFlight, Waiting, Fallback, Done };
    enum class Role : std::uint8_t { Primary, Fallback };
    struct Failure; ///< a failed attempt while it is being decided
    struct Carried; ///< execution_carried.h

    Execution(const Call &call, OperationIdentity identity, const Environment &environment, const Execution &primary);

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
    void rememberTold(const Response *response, const signals::RateLimitState &state);
    void keepState(signals::RateLimitState &state);
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
    void takeOver(Execution &fallback);
    Step conclude(Now now);
    void endAttempt(Now now, journal::AttemptFinished event);
    void voteOnAttempt(Now now, Family family, bool throttled);
    void voteOnOperation(Now now, Result result);
    std::optional<Duration> lastHint() const;
    void recordTransition(Now now, const Breaker::Transition &transition);
    bool breakerLetsPass(Now now);
    Step turnedAway(Now now, RefusalReason reason);
    void recordRejection(Now now);

    const Policy &policy() const;
    const Call &named() const;
    Carried &carried() { return m_carried ? *m_carried : carryOn(); }
    Carried &carryOn();
    MonotonicTime deadline() const;
    void stopWaiting(Now now);
    template <typename Happening>
    void record(Now now, const Happening &happening, int attempt = 0) const
    {
        if (m_environment->recorder.listening())
            m_environment->recorder.record({0, now, m_id, named().operation, m_call->server, attempt, happening});
    }
    OperationDraws draws() const { return {m_environment->draw, m_drawKey}; }
    Scope &scope() const { return *m_call->scope; }

    const Call *m_call;
    const Environment *m_environment;
    std::unique_ptr<Carried> m_carried; ///< null: nothing yet
    journal::OperationId m_id;
    std::uint64_t m_drawKey;
    MonotonicTime m_startedAt{};
    MonotonicTime m_phaseSince{}; ///< when the present wait, queueing or attempt began
    MonotonicTime m_phaseEnds{}; ///< end of the wait; deadline of the attempt
    Pacer::Ticket m_ticket = 0;
    Breaker::Pass m_pass;
    WaiterId m_handle;
    int m_attempts = 0; ///< primary ones
    std::optional<int> m_status; ///< of the last response
    std::optional<RefusalReason> m_reason;
    std::optional<RefusalReason> m_rejected; ///< turned away before the first attempt, also where a fallback then served
    std::optional<Family> m_lastFamily; ///< of the last attempt that ended by itself
    Phase m_phase = Phase::Ready;
    Role m_role;
    Result m_result = Result::Unfinished;
    bool m_viaFallback = false;
    bool m_endsAtDeadline = false; ///< the running attempt: total_timeout ends it, as the policy was when it started
    bool m_awaitsConnection = false; ///< queued, its slot has come, every connection is taken
    bool m_waitIsForRateLimit = false;
    bool m_handedOn = false;
};

} // namespace throttlescope
