// SPDX-License-Identifier: Apache-2.0
#include "core/engine/words.h"
#include "simulator/run/expectations.h"

#include <algorithm>

namespace throttlescope {

namespace {

using Selector = Expectation::Selector;

/// By how much one event raises a plain count; 0 for a metric that no single event raises.
double raisedBy(const std::string &metric, const journal::Event &event)
{
    const auto *finished = std::get_if<journal::OperationFinished>(&event.payload);
    const auto *started = std::get_if<journal::AttemptStarted>(&event.payload);
    const auto *refused = std::get_if<journal::RetryRefused>(&event.payload);
    if (finished && metric == "operations." + std::string{word(finished->result)})
        return 1;
    if (started && !started->fallback && (metric == "attempts" || (metric == "retry_attempts" && event.attempt > 1)))
        return 1;
    if (started && started->fallback && metric == "fallback_attempts")
        return 1;
    if (std::holds_alternative<journal::RateLimitDetected>(event.payload) && metric == "throttled_responses")
        return 1;
    if (std::holds_alternative<journal::RateLimitWaitExceeded>(event.payload) && metric == "wait_exceeded")
        return 1;
    if (std::holds_alternative<journal::BreakerOpened>(event.payload) && metric == "breaker_trips")
        return 1;
    if (refused && metric == "refused." + std::string{word(*refused->decision->refusal)})
        return 1;
    if (finished && finished->result == Result::Rejected && finished->reason && metric == "refused." + std::string{word(*finished->reason)})
        return 1;
    if (const auto *answered = std::get_if<journal::ServerAnswered>(&event.payload)) {
        if (metric == "early_returns")
            return answered->due && event.at.monotonic < *answered->due ? 1 : 0;
        if (metric == "duplicate_effects")
            return answered->executed && answered->effect && answered->executions > 1 ? 1 : 0;
    }
    return 0;
}

/// A single event that is over the bound by itself.
bool overByItself(const Expectation &expectation, const journal::Event &event)
{
    const auto *started = std::get_if<journal::AttemptStarted>(&event.payload);
    const auto over = [&expectation](Duration value) { return static_cast<double>(value.count()) > *expectation.max; };
    if (started && expectation.metric == "waits.max")
        return over(started->waited);
    if (started && expectation.metric == "pacing.max")
        return over(started->paced);
    if (started && !started->fallback && expectation.metric == "attempts_per_operation.max")
        return event.attempt > *expectation.max;
    if (std::holds_alternative<journal::OperationFinished>(event.payload) && expectation.metric == "finish")
        return over(event.at.monotonic.time_since_epoch());
    return false;
}

} // namespace

ExcessFinder::ExcessFinder(const Scenario &scenario, std::vector<Judged> &judged)
{
    for (std::size_t i = 0; i < scenario.expectations.size() && i < judged.size(); ++i) {
        if (!judged[i].passed)
            m_watches.push_back({&scenario.expectations[i], &judged[i], 0, scenario.expectations[i].metric == "operations.succeeded"});
    }
}

void ExcessFinder::accept(const journal::Event &event)
{
    if (const auto *marker = std::get_if<journal::Marker>(&event.payload))
        m_active[std::string{marker->label}] = marker->begin;
    for (Watch &watch : m_watches) {
        const Expectation &expectation = *watch.expectation;
        if (watch.judged->at || (expectation.selector == Selector::Operation && event.operation != expectation.of))
            continue;
        if (expectation.selector == Selector::During && !m_active[expectation.of])
            continue;
        watch.count += raisedBy(expectation.metric, event);
        const auto *finished = std::get_if<journal::OperationFinished>(&event.payload);
        const bool failed = watch.tooFew && finished && finished->result != Result::Succeeded;
        const bool excess = expectation.max && (watch.count > *expectation.max || overByItself(expectation, event));
        if (!excess && !failed)
            continue;
        watch.judged->at = event.at.monotonic;
        watch.judged->op = event.op;
        watch.judged->atWhat = excess ? "first excess" : "first " + std::string{word(finished->result)};
    }
}

} // namespace throttlescope
