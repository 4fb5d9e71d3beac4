// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/execution.h"

namespace throttlescope {

/// What an operation has behind it once it failed, waited, fell back or was told something. Most operations never do: it is
/// made with the first of these and used again by the rest, so that a retry allocates nothing.
struct Execution::Carried {
    Duration waited{}; ///< slept since the last attempt, not yet journalled with the next
    Duration paced{}; ///< queued since the last attempt, when no attempt came of it

    BackoffMemory backoff;
    HintHistory hints;
    Budget::Reservation reservation;
    std::optional<double> paidForLastRetry;
    std::optional<Duration> lastHint; ///< for a breaker that stays open for the hint

    std::string retryAfter; ///< of the last response, as received
    journal::OperationMetadata metadata;
    AttemptMetadata lastFailure;
    std::shared_ptr<signals::RateLimitState> state; ///< see Summary
    std::shared_ptr<const RetryAfterExtractionError> extractionError;

    std::shared_ptr<const Policy> policy; ///< that replaced the call's; null: none did
    std::unique_ptr<Execution> fallback;
    const Call *primary = nullptr; ///< of a fallback: whom it serves, and whose name its events carry
};

} // namespace throttlescope
