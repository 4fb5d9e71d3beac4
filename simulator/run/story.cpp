// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/story.h"

#include "core/engine/words.h"
#include "core/journal/printable.h"

#include <fmt/format.h>

namespace throttlescope {

namespace {

using journal::printable;

std::string hintText(const signals::Hint &hint)
{
    std::string text = fmt::format(
        "{} asked for {}", hint.raw.empty() ? hint.header : fmt::format("{}: {}", hint.header, hint.raw), durationText(hint.delay));
    if (!hint.why.empty())
        text += fmt::format(" ({})", hint.why);
    return text;
}

std::string statusText(std::optional<int> status)
{
    return status ? std::to_string(*status) : "no answer";
}

struct Teller {
    const journal::Event &event;

    std::string operator()(const journal::OperationStarted &started) const
    {
        return fmt::format("{} {} started under policy {}, replay {}", started.method.empty() ? "request" : started.method, event.operation,
            started.policy, word(started.replay));
    }
    std::string operator()(const journal::PacerWait &wait) const
    {
        const std::string until = wait.earliest ? fmt::format("earliest start t={:.3f}", secondsOf(wait.earliest->time_since_epoch()))
                                                : "until an attempt ends";
        return fmt::format("queued {} {}, {} ahead, {}", wait.cooldown ? "behind the shared cooldown of" : "in the pacer of", event.server,
            wait.ahead, until);
    }
    std::string operator()(const journal::AttemptStarted &started) const
    {
        std::string text = fmt::format("{}attempt {} sent to {}", started.fallback ? "fallback " : "", event.attempt, event.server);
        if (started.waited > Duration::zero())
            text += fmt::format(", after a wait of {}", durationText(started.waited));
        if (started.paced > Duration::zero())
            text += fmt::format(", after {} in the pacer's queue", durationText(started.paced));
        if (started.probe)
            text += ", as the breaker's probe";
        return text;
    }
    std::string operator()(const journal::ServerAnswered &answered) const
    {
        std::string text
            = answered.status ? fmt::format("the server decided {}", *answered.status) : std::string{"the server gave no answer"};
        if (!answered.violated.empty())
            text += fmt::format(": its limit '{}' was full", answered.violated);
        if (!answered.fault.empty())
            text += fmt::format(" ({})", answered.fault);
        if (answered.due && event.at.monotonic < *answered.due)
            text += fmt::format("; the request came {} too early", durationText(*answered.due - event.at.monotonic));
        if (answered.effect && answered.executions > 1)
            text += fmt::format("; executed {} times", answered.executions);
        return text;
    }
    std::string operator()(const journal::AttemptFinished &finished) const
    {
        switch (finished.end) {
        case journal::AttemptEnd::Cancelled: return "cancelled while under way";
        case journal::AttemptEnd::Deadline: return "stopped while under way: total_timeout was up";
        case journal::AttemptEnd::Answered:
        case journal::AttemptEnd::TransportFailed: break;
        }
        std::string text = finished.failure ? fmt::format("failed: {}", word(*finished.failure))
                                            : fmt::format("answered {}", statusText(finished.status));
        text += fmt::format(" after {}, {}", durationText(finished.took), word(finished.family));
        for (std::size_t i = 0; finished.state && i < finished.state->unreadable.size(); ++i)
            text += fmt::format("; {}: '{}' cannot be read: {}", finished.state->unreadable[i].header, finished.state->unreadable[i].raw,
                finished.state->unreadable[i].why);
        return text;
    }
    std::string operator()(const journal::RateLimitDetected &detected) const
    {
        if (detected.finalAttempt)
            return "rate limited on the final attempt";
        return detected.hint ? "rate limited; " + hintText(*detected.hint) : std::string{"rate limited, and no delay was named"};
    }
    std::string operator()(const journal::RateLimitWaitExceeded &exceeded) const
    {
        return fmt::format("the delay of {} is over max_wait {}", durationText(exceeded.delay), durationText(exceeded.maxWait));
    }
    std::string operator()(const journal::RetryScheduled &scheduled) const
    {
        const Decision &decision = *scheduled.decision;
        std::string text = fmt::format("will retry in {}: {}", durationText(decision.wait()), delayReason(decision));
        if (decision.padding > Duration::zero())
            text += fmt::format(", padded by {}", durationText(decision.padding));
        return text + fmt::format("; {} ≤ max_wait {}", durationText(*decision.delay), durationText(decision.maxWait));
    }
    std::string operator()(const journal::RetryRefused &refused) const
    {
        std::string text = fmt::format("gave up: {}", word(*refused.decision->refusal));
        const std::string change = whatWouldHaveChanged(*refused.decision);
        return change.empty() ? text : text + " — " + change;
    }
    std::string operator()(const journal::BreakerOpened &opened) const
    {
        return fmt::format("this opened the breaker ({}), {}", opened.cause,
            opened.until ? fmt::format("until t={:.3f}", secondsOf(opened.until->time_since_epoch())) : "for the rest of the run");
    }
    std::string operator()(const journal::BreakerHalfOpen &) const { return "the breaker went half-open"; }
    std::string operator()(const journal::BreakerClosed &) const { return "this closed the breaker"; }
    std::string operator()(const journal::BreakerRejected &rejected) const
    {
        if (rejected.halfOpen)
            return "turned away: the breaker is half-open and its probes are out";
        return fmt::format("turned away: the breaker is open {}",
            rejected.until ? fmt::format("until t={:.3f}", secondsOf(rejected.until->time_since_epoch())) : "for the rest of the run");
    }
    std::string operator()(const journal::BudgetExhausted &exhausted) const
    {
        return fmt::format("the retry budget has {} left, a retry costs {}", exhausted.tokens, exhausted.cost);
    }
    std::string operator()(const journal::FallbackStarted &fallback) const
    {
        return fmt::format("falls back to {} on {}", fallback.to, fallback.toServer);
    }
    std::string operator()(const journal::FallbackFinished &fallback) const
    {
        return fmt::format("the fallback {} ({})", word(fallback.result), statusText(fallback.status));
    }
    std::string operator()(const journal::OperationFinished &finished) const
    {
        return fmt::format("{}{} after {} attempt{}{}", word(finished.result), finished.viaFallback ? " through the fallback" : "",
            finished.attempts, finished.attempts == 1 ? "" : "s", finished.reason ? fmt::format(" ({})", word(*finished.reason)) : "");
    }
    template <typename T>
    std::string operator()(const T &) const
    {
        return {};
    }
};

} // namespace

std::string delayReason(const Decision &decision)
{
    switch (*decision.rule) {
    case DelayRule::HintExact: return hintText(*decision.hint) + ", taken as it is";
    case DelayRule::HintAtLeast:
        return fmt::format(
            "{}, own backoff {}, the longer of the two", hintText(*decision.hint), durationText(decision.backoff.value_or(Duration{})));
    case DelayRule::HintWithin:
        return fmt::format(
            "{}, held within the own backoff {}", hintText(*decision.hint), durationText(decision.backoff.value_or(Duration{})));
    case DelayRule::HintSpread: return hintText(*decision.hint) + ", spread";
    case DelayRule::ZeroHintNow: return "the server asked for no delay (zero_hint: retry_now)";
    case DelayRule::NoHintFixed: return "no delay was named, the fixed blind wait";
    case DelayRule::Backoff: return "own backoff";
    }
    return {};
}

std::string whatWouldHaveChanged(const Decision &decision)
{
    switch (*decision.refusal) {
    case RefusalReason::RetryOff: return "would have been judged with retry: on";
    case RefusalReason::NotReplayable:
        return "the replay rule forbids it; idempotent: true or a replay rule of its own would have allowed it";
    case RefusalReason::NotSelected:
        return decision.family == Family::Permanent ? "no policy retries a permanent answer"
                                                    : fmt::format("would have been judged with {} in retry_on", word(decision.family));
    case RefusalReason::StreamingStarted: return "a part of the body had been handed on; nothing would have changed it";
    case RefusalReason::AttemptsExhausted: return fmt::format("would have gone on at max_attempts ≥ {}", decision.maxAttempts + 1);
    case RefusalReason::ExtractionFailed: return fmt::format("the extractor was not believed: {}", decision.extractionError);
    case RefusalReason::ZeroHint: return "would have retried with zero_hint: retry_now";
    case RefusalReason::NoHint: return "would have retried with no_hint: backoff, or more blind retries";
    case RefusalReason::HintsExhausted: return "would have waited with a larger max_hinted_retries";
    case RefusalReason::WindowExhausted:
        return fmt::format(
            "the window '{}' has nothing left; would have waited without it in refuse_when_exhausted", decision.windowExhausted);
    case RefusalReason::WaitExceeded:
        return fmt::format("would have waited at max_wait ≥ {}", durationText(decision.delay.value_or(Duration{})));
    case RefusalReason::Deadline:
        if (!decision.delay)
            return "would have gone on with a longer total_timeout";
        return fmt::format("would have waited with {} more of total_timeout",
            durationText(std::max(decision.wait(), decision.earliestSlot.value_or(Duration{})) - decision.timeLeft.value_or(Duration{})));
    case RefusalReason::Budget:
        return fmt::format("the budget had {} left; would have retried with more of it", decision.tokensBefore.value_or(0));
    case RefusalReason::BreakerOpen: return "would have gone on with the breaker closed";
    case RefusalReason::BodyNotReplayable: return "the body could be sent only once";
    case RefusalReason::QueueFull: return "would have queued with a larger max_waiting";
    case RefusalReason::UnitsTooLarge: return "would have been sent with a larger max_units";
    }
    return {};
}

void Story::accept(const journal::Event &event)
{
    if (event.op != m_op || m_op == 0)
        return;
    if (const std::string text = std::visit(Teller{event}, event.payload); !text.empty())
        line(event, text);
    if (const auto *finished = std::get_if<journal::OperationFinished>(&event.payload)) {
        m_headline = fmt::format("op {} {} ", m_op, event.operation);
        if (finished->metadata.rateLimitWait > Duration::zero())
            m_headline += fmt::format("waited {} because of rate limits, then ", durationText(finished->metadata.rateLimitWait));
        m_headline = printable(m_headline + std::visit(Teller{event}, event.payload));
    }
}

void Story::line(const journal::Event &event, const std::string &text)
{
    m_lines.push_back(fmt::format("t={:<11.6f} {}", secondsOf(event.at.monotonic.time_since_epoch()), printable(text)));
}

std::string Story::text() const
{
    std::string text = m_headline.empty() ? fmt::format("op {} did not end\n", m_op) : m_headline + '\n';
    for (const std::string &each : m_lines)
        text += "  " + each + '\n';
    return text;
}

} // namespace throttlescope
