// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/connections.h"
#include "core/engine/decision.h"
#include "core/engine/pacer.h"
#include "core/engine/replay.h"
#include "core/journal/event.h"

#include <memory>
#include <optional>
#include <string>

namespace throttlescope {

struct Scope;

/// Of a policy: counted when an attempt really starts or ends.
struct PolicyCounters {
    std::uint64_t attempts = 0;
    std::uint64_t retryAttempts = 0;
    std::uint64_t throttledResponses = 0;
    bool operator==(const PolicyCounters &) const = default;
};

/// What is the same for every operation of a kind: what is called, under which policy and scope.
struct Call {
    std::string operation;
    std::string server;
    std::string method; ///< upper case; empty: not declared
    std::optional<OperationClass> operationClass;
    ReplayRule replay = ReplayRule::Never; ///< derived by replay.h; a call handed no rule is never replayed
    std::uint64_t units = 1;
    bool streaming = false;
    bool bodyReplayable = true; ///< false: a one-shot body
    std::shared_ptr<const Policy> policy;
    std::shared_ptr<PolicyCounters> counters; ///< of the policy; may be null
    std::shared_ptr<Scope> scope;
    std::shared_ptr<Connections> connections; ///< null: as many as the pacer lets through
    std::shared_ptr<const Call> fallback; ///< may be null; one attempt unless it names a policy
};

struct OperationIdentity {
    journal::OperationId id = 0;
    std::uint64_t drawKey = 0; ///< stable, see operationDrawKey()
    WaiterId handle = 0; ///< the driver's own name for it: what the wake list holds
};

/// Metadata of a failed primary attempt (DESIGN.md section 4). The delay fields are absent for a failure that was not
/// rate-limited and on the final attempt; they describe the rejected delay when it was rejected.
struct AttemptMetadata {
    bool rateLimited = false;
    bool waitExceeded = false;
    std::optional<DelaySource> delaySource;
    std::optional<Duration> retryAfter; ///< the hint
    std::optional<Duration> delay;
    bool operator==(const AttemptMetadata &) const = default;
};

AttemptMetadata attemptMetadata(const Decision &decision);

/// rule 6: carries the rate-limit response's status and the extractor's own cause.
struct RetryAfterExtractionError {
    int status = 0;
    std::string cause;
    bool operator==(const RetryAfterExtractionError &) const = default;
};

/// What an operation comes to. The last response itself stays with the driver, untouched.
struct Summary {
    Result result = Result::Unfinished;
    std::optional<RefusalReason> reason;
    std::optional<RefusalReason> rejected; ///< turned away before the first attempt, also where a fallback then served
    bool viaFallback = false;
    std::optional<int> status; ///< of the last response, the fallback's included
    int attempts = 0; ///< primary ones
    std::string retryAfter; ///< of the last response, as received
    journal::OperationMetadata metadata;
    AttemptMetadata lastFailure;
    /// What the last response that told anything said; null: none did. Written over by the next while nobody else has it.
    std::shared_ptr<signals::RateLimitState> state;
    std::shared_ptr<const RetryAfterExtractionError> extractionError; ///< null but for `extraction_failed`; apart, since it is rare
};

/// One line for a person: names status and Retry-After, never a body. Empty on success.
std::string errorMessage(const Summary &summary);

} // namespace throttlescope
