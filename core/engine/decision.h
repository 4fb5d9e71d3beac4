// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/policy.h"
#include "core/signals/rate_limit_state.h"

#include <cstdint>
#include <optional>
#include <string>

namespace throttlescope {

enum class Result : std::uint8_t { Succeeded, Failed, Rejected, Cancelled, Unfinished };

/// The closed list of DESIGN.md section 4, in the order in which they are judged.
enum class RefusalReason : std::uint8_t {
    RetryOff,
    NotReplayable,
    NotSelected,
    StreamingStarted,
    AttemptsExhausted,
    ExtractionFailed,
    ZeroHint,
    NoHint,
    HintsExhausted,
    WindowExhausted,
    WaitExceeded,
    Deadline,
    Budget,
    BreakerOpen,
    BodyNotReplayable,
    QueueFull,
    UnitsTooLarge,
};

/// Where the chosen delay came from.
enum class DelaySource : std::uint8_t { Provider, Backoff };

/// The rule that chose the delay (rule 7).
enum class DelayRule {
    HintExact,
    HintAtLeast, ///< max(hint, own)
    HintWithin, ///< clamped to [own, own + above]
    HintSpread,
    ZeroHintNow,
    NoHintFixed,
    Backoff,
};

/// A decision holds its reasons: what was known, what was drawn, which rule chose, what it was held against.
/// The journal carries it whole; `why` and the inspector show exactly this.
struct Decision {
    int attempt = 1; ///< the attempt it was made after
    Family family = Family::Success;
    std::optional<int> status;
    bool finalAttempt = false; ///< no delay was worked out (rule 5)

    std::optional<signals::Hint> hint;
    std::optional<Duration> backoff; ///< own candidate, jittered; absent where it was not drawn
    std::optional<double> jitterDraw;
    std::optional<DelayRule> rule;
    std::optional<DelaySource> source;
    std::optional<Duration> delay; ///< chosen, before padding; also when it was rejected
    Duration padding{};
    std::optional<double> paddingDraw;

    Duration maxWait{};
    bool clamped = false; ///< over_max_wait: clamp cut the delay: the client comes back early
    std::optional<Duration> timeLeft; ///< of total_timeout, at the decision
    std::optional<Duration> earliestSlot; ///< pacer: from the decision to the earliest slot known
    int maxAttempts = 0;
    std::optional<double> tokensBefore, tokensAfter; ///< budget
    std::string windowExhausted; ///< name of the window that has nothing left (window_exhausted)
    std::string extractionError; ///< the extractor's own cause (extraction_failed)

    std::optional<RefusalReason> refusal; ///< absent: a retry is scheduled
    Duration wait() const { return delay ? saturatingAdd(*delay, padding) : Duration::zero(); }
    bool operator==(const Decision &) const = default;
};

} // namespace throttlescope
