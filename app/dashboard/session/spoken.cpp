// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/spoken.h"

#include "core/engine/words.h"

#include <fmt/format.h>

namespace throttlescope::dashboard {

std::string spokenFamily(Family family, std::optional<int> status)
{
    switch (family) {
    case Family::Success: return fmt::format("success ({})", status.value_or(200));
    case Family::RateLimited: return fmt::format("a rate limit ({})", status.value_or(429));
    case Family::Ambiguous: return fmt::format("a server error ({})", status.value_or(500));
    case Family::Transport: return "a lost connection";
    case Family::Interrupted: return "a body that broke off";
    case Family::Permanent: return fmt::format("a permanent answer ({})", status.value_or(400));
    }
    return {};
}

std::string spokenRefusal(const Decision &decision)
{
    switch (*decision.refusal) {
    case RefusalReason::RetryOff: return "retry was off";
    case RefusalReason::NotReplayable:
        return fmt::format("its replay rule allows no other try after {}", spokenFamily(decision.family, decision.status));
    case RefusalReason::NotSelected:
        return decision.family == Family::Permanent ? spokenFamily(decision.family, decision.status) + " is not tried again"
                                                    : fmt::format("{} was not in retry_on", word(decision.family));
    case RefusalReason::StreamingStarted: return "a part of the body had been handed on";
    case RefusalReason::AttemptsExhausted:
        return decision.maxAttempts == 1 ? std::string{"one attempt was all it had"}
                                         : fmt::format("all {} attempts were used", decision.maxAttempts);
    case RefusalReason::ExtractionFailed: return "the extractor was not believed";
    case RefusalReason::ZeroHint: return "the server asked for no delay, which zero_hint refuses";
    case RefusalReason::NoHint: return "the server named no delay";
    case RefusalReason::HintsExhausted: return "the server's delays had been obeyed as often as max_hinted_retries says";
    case RefusalReason::WindowExhausted: return fmt::format("the window '{}' had nothing left", decision.windowExhausted);
    case RefusalReason::WaitExceeded: {
        const auto [delay, maxWait] = spokenApart(decision.delay.value_or(Duration{}), decision.maxWait);
        return fmt::format("the wait of {} was over max_wait {}", delay, maxWait);
    }
    case RefusalReason::Deadline:
        return decision.delay ? fmt::format("total_timeout left {}, too little for the wait of {}",
                   spokenApart(decision.timeLeft.value_or(Duration{}), decision.wait()).first,
                   spokenApart(decision.timeLeft.value_or(Duration{}), decision.wait()).second)
                              : std::string{"total_timeout was up"};
    case RefusalReason::Budget: return "the retry budget was used up";
    case RefusalReason::BreakerOpen: return "the breaker was open";
    case RefusalReason::BodyNotReplayable: return "the body could be sent only once";
    case RefusalReason::QueueFull: return "the pacer's queue was full";
    case RefusalReason::UnitsTooLarge: return "it had more units than max_units";
    }
    return {};
}

std::string spokenRejection(RefusalReason reason)
{
    Decision decision;
    decision.refusal = reason;
    return spokenRefusal(decision);
}

} // namespace throttlescope::dashboard
