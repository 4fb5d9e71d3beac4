// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/event_words.h"

#include "app/dashboard/data/spoken_time.h"
#include "core/engine/words.h"
#include "core/journal/event_writer.h"
#include "core/journal/printable.h"

#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

using fmt::format;

std::string moment(MonotonicTime time)
{
    return format("t={:.3f}", secondsOf(time.time_since_epoch()));
}

std::string untilText(const std::optional<MonotonicTime> &until)
{
    return until ? "until " + moment(*until) : std::string{"for the rest of the run"};
}

std::string hintText(const signals::Hint &hint)
{
    return hint.raw.empty() ? format("{} asks for {}", hint.header, spoken(hint.delay))
                            : format("{}: {} asks for {}", hint.header, hint.raw, spoken(hint.delay));
}

std::string statusText(std::optional<int> status)
{
    return status ? std::to_string(*status) : std::string{"no answer"};
}

struct Anonymizer {
    void operator()(journal::RunStarted &run) const { run.scenario = "a scenario"; }
    void operator()(journal::Marker &marker) const { marker.label = "a label"; }
    void operator()(journal::OperationStarted &started) const { started.policy = "a policy"; }
    void operator()(journal::FallbackStarted &fallback) const
    {
        fallback.to = "another call";
        fallback.toServer = "another server";
    }
    void operator()(journal::FallbackFinished &fallback) const { fallback.to = "call"; }
    void operator()(journal::PolicyChanged &changed) const { changed.policy = "a policy"; }
    template <typename Nameless>
    void operator()(Nameless &) const
    {
    }
};

struct Teller {
    const journal::Event &event;

    std::string operator()(const journal::RunStarted &run) const
    {
        return format("{} run of '{}', seed {}", journal::trafficName(run.traffic), run.scenario, run.seed);
    }
    std::string operator()(const journal::RunFinished &run) const
    {
        return format("the run {} after {} operations", run.stopped ? "was stopped" : "ended", run.operations);
    }
    std::string operator()(const journal::Marker &marker) const { return format("{} {}", marker.label, marker.begin ? "begins" : "ends"); }
    std::string operator()(const journal::OperationStarted &started) const
    {
        return format("{} under policy {}, replay {}{}", started.method.empty() ? "request" : started.method,
            started.policy.empty() ? "none" : started.policy, word(started.replay),
            started.units == 1 ? std::string{} : format(", {} units", started.units));
    }
    std::string operator()(const journal::OperationFinished &finished) const
    {
        std::string text = format("{}{} after {} attempt{}", word(finished.result), finished.viaFallback ? " through the fallback" : "",
            finished.attempts, finished.attempts == 1 ? "" : "s");
        if (const auto reason = finished.reason ? finished.reason : finished.rejected)
            text += format(" ({})", word(*reason));
        if (finished.metadata.rateLimitWait > Duration::zero())
            text += format(", {} of it waiting because of rate limits", spoken(finished.metadata.rateLimitWait));
        return text;
    }
    std::string operator()(const journal::PacerWait &wait) const
    {
        return format("queued {}, {} ahead, {}", wait.cooldown ? "behind the shared cooldown" : "in the pacer", wait.ahead,
            wait.earliest ? "earliest start " + moment(*wait.earliest) : std::string{"until an attempt ends"});
    }
    std::string operator()(const journal::AttemptStarted &started) const
    {
        std::string text = started.fallback ? "fallback sent" : started.probe ? "sent as the breaker's probe" : "sent";
        if (started.waited > Duration::zero())
            text += format(", after a wait of {}", spoken(started.waited));
        if (started.paced > Duration::zero())
            text += format(", after {} in the queue", spoken(started.paced));
        return text;
    }
    std::string operator()(const journal::AttemptFinished &finished) const
    {
        switch (finished.end) {
        case journal::AttemptEnd::Cancelled: return "cancelled under way after " + spoken(finished.took);
        case journal::AttemptEnd::Deadline: return format("stopped under way after {}: total_timeout was up", spoken(finished.took));
        case journal::AttemptEnd::Answered:
        case journal::AttemptEnd::TransportFailed: break;
        }
        std::string text = finished.failure ? std::string{word(*finished.failure)} : statusText(finished.status);
        text += format(" after {}, {}", spoken(finished.took), word(finished.family));
        if (finished.state && !finished.state->unreadable.empty())
            text += format("; {}: '{}' cannot be read", finished.state->unreadable.front().header, finished.state->unreadable.front().raw);
        return text;
    }
    std::string operator()(const journal::RateLimitDetected &detected) const
    {
        if (detected.finalAttempt)
            return format("{} on the final attempt", detected.status);
        return format("{}, {}", detected.status, detected.hint ? hintText(*detected.hint) : std::string{"no delay was named"});
    }
    std::string operator()(const journal::RateLimitWaitExceeded &exceeded) const
    {
        const auto [delay, maxWait] = spokenApart(exceeded.delay, exceeded.maxWait);
        return format("{} is over max_wait {} ({})", delay, maxWait, word(exceeded.source));
    }
    std::string operator()(const journal::RetryScheduled &scheduled) const
    {
        const Decision &decision = *scheduled.decision;
        return format("retries in {}{}{}", spoken(decision.wait()),
            decision.source ? format(" ({})", word(*decision.source)) : std::string{},
            decision.padding > Duration::zero() ? format(", {} of it padding", spoken(decision.padding)) : std::string{});
    }
    std::string operator()(const journal::RetryRefused &refused) const
    {
        const Decision &decision = *refused.decision;
        return format("given up: {}{}", decision.refusal ? word(*decision.refusal) : "refused",
            decision.delay ? format(", the delay was {}", spoken(*decision.delay)) : std::string{});
    }
    std::string operator()(const journal::BreakerOpened &opened) const
    {
        return format("breaker open ({}) {}", opened.cause, untilText(opened.until));
    }
    std::string operator()(const journal::BreakerHalfOpen &) const { return "breaker half-open"; }
    std::string operator()(const journal::BreakerClosed &) const { return "breaker closed"; }
    std::string operator()(const journal::BreakerRejected &rejected) const
    {
        return rejected.halfOpen ? std::string{"turned away: breaker half-open, its probes are out"}
                                 : "turned away: breaker open " + untilText(rejected.until);
    }
    std::string operator()(const journal::BudgetExhausted &exhausted) const
    {
        return format("budget has {} left, a retry costs {}", exhausted.tokens, exhausted.cost);
    }
    std::string operator()(const journal::FallbackStarted &fallback) const
    {
        return format("falls back to {} on {}", fallback.to, fallback.toServer);
    }
    std::string operator()(const journal::FallbackFinished &fallback) const
    {
        return format("fallback {} {} ({})", fallback.to, word(fallback.result), statusText(fallback.status));
    }
    std::string operator()(const journal::PolicyChanged &changed) const
    {
        return format("policy {} replaced, {} wait{} the old values", changed.policy, changed.waitsKept,
            changed.waitsKept == 1 ? " keeps" : "s keep");
    }
    std::string operator()(const journal::ServerAnswered &answered) const
    {
        std::string text = answered.status ? format("the server decides {}", *answered.status) : std::string{"the server gives no answer"};
        if (!answered.violated.empty())
            text += format(", limit '{}' is full", answered.violated);
        if (!answered.fault.empty())
            text += format(", fault {}", answered.fault);
        if (answered.due && event.at.monotonic < *answered.due)
            text += format(", {} too early", spoken(*answered.due - event.at.monotonic));
        if (answered.effect && answered.executions > 1)
            text += format(", executed {} times", answered.executions);
        return text;
    }
    std::string operator()(const journal::ServerWindow &window) const
    {
        return format("window {}{} has {} of {} used{}", window.limit, window.key.empty() ? std::string{} : format(" {}", window.key),
            window.used, window.quota, window.resets ? ", resets " + moment(*window.resets) : std::string{});
    }
    std::string operator()(const journal::TransportResent &resent) const
    {
        return format("sent {} times by the transport behind the engine's back", resent.requests);
    }
};

} // namespace

journal::Event withoutNames(const journal::Event &event)
{
    journal::Event nameless = event;
    nameless.operation = {};
    nameless.server = {};
    std::visit(Anonymizer{}, nameless.payload);
    return nameless;
}

std::string whatHappened(const journal::Event &event)
{
    return journal::printable(std::visit(Teller{event}, event.payload));
}

} // namespace throttlescope::dashboard
