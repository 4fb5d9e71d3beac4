// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/decision.h"
#include "core/engine/outcome.h"
#include "core/engine/replay.h"
#include "core/engine/time.h"
#include "core/signals/rate_limit_state.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// The journal's event types: what happened, as plain values. One page in core/journal/README.md lists every key.
/// Text is viewed, not owned: an event is valid while its sink is called, and a sink that keeps one copies what it needs.
namespace throttlescope::journal {

using OperationId = std::uint64_t; ///< running number from 1, in order of start; 0: the event belongs to no operation

inline constexpr int kSchemaVersion = 1;

/// Whose requests a journal tells of: nobody's, those of a fake server, or real ones.
enum class Traffic : std::uint8_t { Simulated, Loopback, Real };

struct RunStarted {
    int schema = kSchemaVersion;
    std::string_view version; ///< of throttlescope
    std::string_view scenario;
    std::string_view scenarioHash;
    std::uint64_t seed = 0;
    std::string_view policiesJson; ///< the resolved policies, one JSON object by name
    Traffic traffic = Traffic::Simulated;
};
struct RunFinished {
    std::uint64_t operations = 0;
    bool stopped = false; ///< stop_after or an interruption ended it
};
struct Marker {
    std::string_view label;
    bool begin = true;
};

struct OperationStarted {
    std::string_view policy;
    std::string_view method;
    std::optional<OperationClass> operationClass;
    ReplayRule replay = ReplayRule::Never;
    std::uint64_t units = 1;
};
/// Of an operation: the three metadata keys of DESIGN.md section 4.
struct OperationMetadata {
    bool rateLimitEncountered = false;
    Duration rateLimitWait{}; ///< really waited because of rate limits; no 5xx backoff, no pacing
    bool rateLimitWaitExceeded = false;
    bool operator==(const OperationMetadata &) const = default;
};
struct OperationFinished {
    Result result = Result::Succeeded;
    std::optional<RefusalReason> reason;
    bool viaFallback = false;
    std::optional<int> status; ///< of the last response
    int attempts = 0; ///< primary ones
    std::string_view retryAfter; ///< of the last response, as received; empty where there was none
    OperationMetadata metadata;
    Duration waited{}; ///< of a wait that the end interrupted
    Duration paced{}; ///< of a stay in the pacer's queue that the end interrupted
    std::optional<RefusalReason> rejected; ///< turned away before the first attempt, also where a fallback then served
};

struct PacerWait {
    std::uint64_t ahead = 0; ///< waiting callers ahead in the queue
    std::optional<MonotonicTime> earliest; ///< slot known now; none while only concurrency holds it back
    bool cooldown = false; ///< the shared cooldown is what holds it
};

struct AttemptStarted {
    bool fallback = false;
    bool probe = false; ///< of a half-open breaker
    Duration waited{}; ///< the wait that ended before it, as slept
    Duration paced{}; ///< time in the pacer's queue
};
enum class AttemptEnd { Answered, TransportFailed, Cancelled, Deadline };
struct AttemptFinished {
    bool fallback = false;
    AttemptEnd end = AttemptEnd::Answered;
    std::optional<int> status;
    std::optional<TransportFailureKind> failure;
    Family family = Family::Success; ///< without meaning for Cancelled and Deadline
    Duration took{};
    const signals::RateLimitState *state = nullptr; ///< rule 0; null where there was no response
};

struct RateLimitDetected {
    int status = 0;
    const signals::Hint *hint = nullptr; ///< null where there is none, and on a final attempt
    bool finalAttempt = false;
};
struct RateLimitWaitExceeded {
    Duration delay{};
    Duration maxWait{};
    DelaySource source = DelaySource::Provider;
};
struct RetryScheduled {
    const Decision *decision = nullptr; ///< never null
    MonotonicTime until; ///< end of the wait
};
struct RetryRefused {
    const Decision *decision = nullptr; ///< never null; `refusal` is set
};

struct BreakerOpened {
    std::optional<MonotonicTime> until; ///< none: the rest of the run
    std::uint64_t generation = 0;
    std::string_view cause; ///< "first_throttle", "consecutive", "ratio", "probe"
};
struct BreakerHalfOpen {
    std::uint64_t generation = 0;
};
struct BreakerClosed {
    std::uint64_t generation = 0;
};
struct BreakerRejected {
    std::optional<MonotonicTime> until; ///< while open; none: the rest of the run, or half-open
    bool halfOpen = false; ///< all probes are out
};

struct BudgetExhausted {
    double tokens = 0;
    double cost = 0;
};

struct FallbackStarted {
    std::string_view to; ///< the row that serves
    std::string_view toServer;
};
struct FallbackFinished {
    std::string_view to;
    Result result = Result::Succeeded;
    std::optional<int> status;
};

struct PolicyChanged {
    std::string_view policy;
    std::string_view policyJson; ///< resolved, as in run.started
    std::uint64_t waitsKept = 0; ///< waits already begun, which keep the old value
};

struct ServerAnswered {
    std::optional<int> status; ///< none: no answer was sent
    bool admitted = false;
    bool executed = false;
    bool effect = false; ///< the operation's class is write or action
    std::uint32_t executions = 0; ///< of this operation so far, this one included
    std::string_view violated;
    std::string_view fault;
    std::optional<MonotonicTime> due; ///< when this operation had been told to come back, before this arrival
    std::optional<MonotonicTime> told; ///< when it is told to come back now
};
struct ServerWindow {
    std::string_view limit;
    std::string_view key;
    std::uint64_t used = 0;
    std::uint64_t quota = 0;
    std::optional<MonotonicTime> begins;
    std::optional<MonotonicTime> resets;
};
struct TransportResent {
    std::uint32_t requests = 0;
}; ///< seen at the server for one attempt

using Payload = std::variant<RunStarted, RunFinished, Marker, OperationStarted, OperationFinished, PacerWait, AttemptStarted,
    AttemptFinished, RateLimitDetected, RateLimitWaitExceeded, RetryScheduled, RetryRefused, BreakerOpened, BreakerHalfOpen, BreakerClosed,
    BreakerRejected, BudgetExhausted, FallbackStarted, FallbackFinished, PolicyChanged, ServerAnswered, ServerWindow, TransportResent>;

struct Event {
    std::uint64_t seq = 0; ///< set by the run's sequencer
    Now at;
    OperationId op = 0;
    std::string_view operation;
    std::string_view server;
    int attempt = 0; ///< 0: none
    Payload payload;
};

/// Receives every event of a run in order. Called on the thread of the scope.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void accept(const Event &event) = 0;
};

} // namespace throttlescope::journal
