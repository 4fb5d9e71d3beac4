// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/journal/event.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace throttlescope::dashboard {

/// Which alternative of journal::Payload, in its order.
enum class EventKind : std::uint8_t {
    RunStarted,
    RunFinished,
    Marker,
    OperationStarted,
    OperationFinished,
    PacerWait,
    AttemptStarted,
    AttemptFinished,
    RateLimitDetected,
    RateLimitWaitExceeded,
    RetryScheduled,
    RetryRefused,
    BreakerOpened,
    BreakerHalfOpen,
    BreakerClosed,
    BreakerRejected,
    BudgetExhausted,
    FallbackStarted,
    FallbackFinished,
    PolicyChanged,
    ServerAnswered,
    ServerWindow,
    TransportResent,
};
inline constexpr std::size_t kEventKinds = std::variant_size_v<journal::Payload>;
static_assert(static_cast<std::size_t>(EventKind::TransportResent) + 1 == kEventKinds);

inline EventKind kindOf(const journal::Payload &payload)
{
    return static_cast<EventKind>(payload.index());
}
/// "attempt.finished", …
std::string_view eventName(EventKind kind);

/// How an attempt ended, as it is drawn: seven shapes. An attempt that the deadline cut is drawn as cancelled.
enum class AttemptOutcome : std::uint8_t { Success, RateLimited, Ambiguous, Transport, Interrupted, Permanent, Cancelled };
inline constexpr std::size_t kAttemptOutcomes = 7;
AttemptOutcome outcomeOf(const journal::AttemptFinished &finished);
std::string_view word(AttemptOutcome outcome);

/// The one duration of an event that is looked at often: what an attempt took, the wait slept before it, the delay that was
/// asked for, scheduled or refused, the time an operation waited because of rate limits.
std::optional<Duration> mainDuration(const journal::Event &event);
std::optional<int> statusOf(const journal::Payload &payload);
std::optional<RefusalReason> reasonOf(const journal::Payload &payload);

} // namespace throttlescope::dashboard
