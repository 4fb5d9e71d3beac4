// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/operation.h"

#include <optional>
#include <string>

namespace throttlescope::net {

/// The one error of the client; `reason` tells one from the other.
struct OperationError {
    /// Absent where the engine refused nothing: the request was unusable (`message` says why), or the operation was
    /// cancelled or stopped.
    std::optional<RefusalReason> reason;
    std::optional<TransportFailureKind> transport; ///< the last attempt came to no answer
    std::optional<RetryAfterExtractionError> cause; ///< of `extraction_failed`
    std::string message; ///< one line for a person: names status and Retry-After, never a body or a URL
    bool operator==(const OperationError &) const = default;
};

/// What an operation came to. On refusal and failure `response` is the last answer, untouched.
struct Result {
    journal::OperationId id = 0; ///< its number in the journal; 0: it never got that far
    throttlescope::Result end = throttlescope::Result::Unfinished;
    bool viaFallback = false;
    int attempts = 0; ///< primary ones
    /// Absent where the last attempt came to no answer. Of a streaming call below 400 the body was handed on and is empty
    /// here. Qt joins several lines of one header into one, with ", " (Set-Cookie: a line end).
    std::optional<Response> response;
    journal::OperationMetadata metadata;
    AttemptMetadata lastFailure;
    signals::RateLimitState state; ///< what the last response that told anything said, whatever its status
    std::optional<OperationError> error; ///< absent: succeeded

    bool succeeded() const { return end == throttlescope::Result::Succeeded; }
};

} // namespace throttlescope::net
