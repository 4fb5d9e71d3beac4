// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/decision_log.h"

#include "core/engine/words.h"

#include <fmt/format.h>

namespace throttlescope {

namespace {

std::string cameBack(const journal::AttemptFinished &finished)
{
    switch (finished.end) {
    case journal::AttemptEnd::Answered: return fmt::format("{} ({})", finished.status.value_or(0), word(finished.family));
    case journal::AttemptEnd::TransportFailed:
        return finished.failure ? std::string{word(*finished.failure)} : std::string{"transport failure"};
    case journal::AttemptEnd::Cancelled: return "cancelled";
    case journal::AttemptEnd::Deadline: return "out of time";
    }
    return {};
}

std::string candidates(const Decision &decision)
{
    std::string text;
    if (decision.hint)
        text += fmt::format(", hint {} ({})", durationText(decision.hint->delay), decision.hint->header);
    if (decision.backoff)
        text += fmt::format(", own {}", durationText(*decision.backoff));
    if (decision.delay)
        text += fmt::format(", delay {}", durationText(*decision.delay));
    if (decision.rule && decision.source)
        text += fmt::format(" by {} from {}", word(*decision.rule), word(*decision.source));
    if (decision.padding > Duration::zero())
        text += fmt::format(" + {}", durationText(decision.padding));
    if (decision.clamped)
        text += ", clamped";
    if (decision.tokensAfter)
        text += fmt::format(", {:.6g} tokens left", *decision.tokensAfter);
    return text;
}

/// Empty: no decision.
std::string stepOf(const journal::Event &event)
{
    if (const auto *started = std::get_if<journal::AttemptStarted>(&event.payload))
        return fmt::format(
            "{} {} sent{}", started->fallback ? "fallback attempt" : "attempt", event.attempt, started->probe ? " as a probe" : "");
    if (const auto *finished = std::get_if<journal::AttemptFinished>(&event.payload))
        return fmt::format("attempt {} came to {}", event.attempt, cameBack(*finished));
    if (const auto *scheduled = std::get_if<journal::RetryScheduled>(&event.payload))
        return fmt::format("after attempt {}: retry{}", event.attempt, candidates(*scheduled->decision));
    if (const auto *refused = std::get_if<journal::RetryRefused>(&event.payload))
        return fmt::format(
            "after attempt {}: refused, {}{}", event.attempt, word(*refused->decision->refusal), candidates(*refused->decision));
    if (const auto *exceeded = std::get_if<journal::RateLimitWaitExceeded>(&event.payload))
        return fmt::format("wait exceeded: {} over {}", durationText(exceeded->delay), durationText(exceeded->maxWait));
    if (const auto *started = std::get_if<journal::FallbackStarted>(&event.payload))
        return fmt::format("fallback to {}", started->to);
    if (std::holds_alternative<journal::BreakerRejected>(event.payload))
        return "turned away by the breaker";
    if (const auto *finished = std::get_if<journal::OperationFinished>(&event.payload))
        return fmt::format("{}{}{}, {} attempts", word(finished->result), finished->reason ? ": " : "",
            finished->reason ? word(*finished->reason) : std::string_view{}, finished->attempts);
    return {};
}

} // namespace

void DecisionLog::accept(const journal::Event &event)
{
    if (event.op == 0)
        return;
    if (std::string step = stepOf(event); !step.empty()) {
        Operation &operation = m_operations[event.op];
        operation.name = event.operation;
        operation.steps.push_back(std::move(step));
    }
}

std::optional<DecisionDifference> firstDifference(const DecisionLog &first, const DecisionLog &second)
{
    auto a = first.operations().begin();
    auto b = second.operations().begin();
    const auto endA = first.operations().end();
    const auto endB = second.operations().end();
    static const DecisionLog::Operation none;
    while (a != endA || b != endB) {
        const bool onlyB = a == endA || (b != endB && b->first < a->first);
        const bool onlyA = b == endB || (a != endA && a->first < b->first);
        const DecisionLog::Operation &left = onlyB ? none : a->second;
        const DecisionLog::Operation &right = onlyA ? none : b->second;
        for (std::size_t i = 0; i < std::max(left.steps.size(), right.steps.size()); ++i) {
            const auto at = [i](const DecisionLog::Operation &operation) {
                return i < operation.steps.size() ? operation.steps[i] : std::string{"nothing more"};
            };
            if (at(left) != at(right))
                return DecisionDifference{onlyB ? b->first : a->first, i + 1, onlyB ? right.name : left.name, at(left), at(right)};
        }
        if (!onlyB)
            ++a;
        if (!onlyA)
            ++b;
    }
    return std::nullopt;
}

} // namespace throttlescope
