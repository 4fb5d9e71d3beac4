// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/execution.h"

namespace throttlescope {

/// A failed attempt while it is being decided.
struct Execution::Failure {
    const Outcome &outcome;
    Family family;
    const signals::RateLimitState &state;

    const Response *response() const { return std::get_if<Response>(&outcome); }
    bool timedOut() const
    {
        const auto *failure = std::get_if<TransportFailure>(&outcome);
        return failure && failure->kind == TransportFailureKind::AttemptTimeout;
    }
};

} // namespace throttlescope
