// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/expectations.h"

#include "core/engine/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace throttlescope {

namespace {

using Selector = Expectation::Selector;

std::vector<std::string> labelsAskedFor(const Scenario &scenario)
{
    std::vector<std::string> labels;
    for (const Expectation &expectation : scenario.expectations) {
        const bool known = std::find(labels.begin(), labels.end(), expectation.of) != labels.end();
        if (expectation.selector == Selector::During && !known)
            labels.push_back(expectation.of);
    }
    return labels;
}

bool asksForRecovery(const Scenario &scenario)
{
    return std::any_of(scenario.expectations.begin(), scenario.expectations.end(),
        [](const Expectation &each) { return each.metric == "recovers_within"; });
}

bool within(const Expectation &expectation, double value, Duration tolerance)
{
    const double slack = std::abs(value) * 1e-12 + static_cast<double>(tolerance.count()); // ratios are quotients of doubles
    return (!expectation.min || value >= *expectation.min - slack) && (!expectation.max || value <= *expectation.max + slack);
}

} // namespace

std::string metricText(double value, bool isDuration)
{
    return isDuration ? durationText(durationFromMicroseconds(value)) : fmt::format("{}", value);
}

std::string boundText(const Expectation &expectation)
{
    const auto text = [&expectation](double bound) { return metricText(bound, expectation.isDuration); };
    if (expectation.min && expectation.max)
        return *expectation.min == *expectation.max ? text(*expectation.min)
                                                    : fmt::format("{} to {}", text(*expectation.min), text(*expectation.max));
    return expectation.max ? fmt::format("at most {}", text(*expectation.max)) : fmt::format("at least {}", text(*expectation.min));
}

std::string verdictText(const Judged &judged)
{
    const std::string tolerance = judged.tolerance == Duration{} ? "" : fmt::format(" (tolerance {})", durationText(judged.tolerance));
    return fmt::format("expected {}{}, got {}", judged.expected, tolerance, judged.got);
}

Expectations::Expectations(const Scenario &scenario, Duration tolerance)
    : m_scenario(scenario)
    , m_tolerance(tolerance)
    , m_metrics(labelsAskedFor(scenario), asksForRecovery(scenario))
{
    for (const ExpectedDecisions &decisions : scenario.decisions)
        m_followed.push_back({&decisions});
}

void Expectations::accept(const journal::Event &event)
{
    m_metrics.accept(event);
    if (!m_followed.empty())
        follow(event);
}

void Expectations::follow(const journal::Event &event)
{
    for (Followed &followed : m_followed) {
        if (std::holds_alternative<journal::OperationStarted>(event.payload) && event.operation == followed.expected->operation
            && ++followed.seen == followed.expected->index)
            followed.op = event.op;
        if (followed.op == 0 || event.op != followed.op)
            continue;
        const auto *scheduled = std::get_if<journal::RetryScheduled>(&event.payload);
        const auto *refused = std::get_if<journal::RetryRefused>(&event.payload);
        if (scheduled || refused) {
            const Decision &decision = scheduled ? *scheduled->decision : *refused->decision;
            ExpectedDecision made;
            made.attempt = decision.attempt;
            made.status = decision.status;
            made.hint = decision.hint ? std::optional{decision.hint->delay} : std::nullopt;
            made.decision = scheduled ? DecisionKind::Retry : DecisionKind::Refuse;
            made.delay = decision.delay;
            if (decision.source)
                made.source = std::string{word(*decision.source)};
            if (decision.refusal)
                made.reason = std::string{word(*decision.refusal)};
            followed.decided.push_back(std::move(made));
        } else if (const auto *finished = std::get_if<journal::OperationFinished>(&event.payload)) {
            const bool refusedBefore = !followed.decided.empty() && followed.decided.back().decision == DecisionKind::Refuse;
            if (!refusedBefore) {
                ExpectedDecision made;
                made.attempt = finished->attempts;
                made.status = finished->status;
                made.decision = finished->result == Result::Rejected ? DecisionKind::Refuse : DecisionKind::Finish;
                if (finished->reason)
                    made.reason = std::string{word(*finished->reason)};
                followed.decided.push_back(std::move(made));
            }
            followed.decided.back().result = std::string{word(finished->result)};
        }
    }
}

Judged Expectations::judgeMetric(const Expectation &expectation) const
{
    Judged judged;
    judged.name = expectation.selector == Selector::Run ? expectation.metric : expectation.of + ": " + expectation.metric;
    judged.expected = boundText(expectation);
    judged.mark = expectation.mark;
    std::optional<double> value;
    if (expectation.metric == "recovers_within") {
        const auto recovery = m_metrics.recovery(expectation.of);
        value = recovery.after ? std::optional{static_cast<double>(recovery.after->count())} : std::nullopt;
        judged.got = recovery.after ? durationText(*recovery.after) : std::string{recovery.whyNot};
    } else {
        journal::Metrics metrics;
        if (expectation.selector == Selector::Run) {
            metrics = m_metrics.total();
        } else if (expectation.selector == Selector::During) {
            metrics = *m_metrics.during(expectation.of);
        } else if (const auto found = m_metrics.byOperation().find(expectation.of); found != m_metrics.byOperation().end()) {
            metrics = found->second;
        }
        value = journal::metricValue(metrics, expectation.metric)->value;
        judged.got = metricText(*value, expectation.isDuration);
    }
    judged.tolerance = expectation.isDuration ? m_tolerance : Duration{};
    judged.passed = value && within(expectation, *value, judged.tolerance);
    return judged;
}

namespace {

std::string_view word(DecisionKind kind)
{
    switch (kind) {
    case DecisionKind::Retry: return "retry";
    case DecisionKind::Refuse: return "refuse";
    case DecisionKind::Finish: return "finish";
    }
    return {};
}

/// Only what the expectation names is shown of what was decided, so that the two read alike.
std::string decisionText(const ExpectedDecision &decision, const ExpectedDecision &shownLike)
{
    std::string text = fmt::format("attempt {}", decision.attempt);
    const auto part = [&text](std::string_view name, const std::string &value) { text += fmt::format(", {} {}", name, value); };
    if (shownLike.status)
        part("status", decision.status ? std::to_string(*decision.status) : "none");
    if (shownLike.hint)
        part("hint", decision.hint ? durationText(*decision.hint) : "none");
    text += fmt::format(", {}", word(decision.decision));
    if (shownLike.delay)
        part("delay", decision.delay ? durationText(*decision.delay) : "none");
    if (shownLike.source)
        part("source", decision.source.value_or("none"));
    if (shownLike.reason)
        part("reason", decision.reason.value_or("none"));
    if (shownLike.result)
        part("result", decision.result.value_or("none"));
    return text;
}

bool agrees(const ExpectedDecision &expected, const ExpectedDecision &made)
{
    const auto same = [](const auto &wanted, const auto &got) { return !wanted || wanted == got; };
    return expected.attempt == made.attempt && expected.decision == made.decision && same(expected.status, made.status)
        && same(expected.hint, made.hint) && same(expected.delay, made.delay) && same(expected.source, made.source)
        && same(expected.reason, made.reason) && same(expected.result, made.result);
}

} // namespace

Judged Expectations::judgeDecisions(const Followed &followed) const
{
    Judged judged;
    const ExpectedDecisions &expected = *followed.expected;
    judged.name = fmt::format("decisions of {} {}", expected.operation, expected.index);
    judged.mark = expected.mark;
    judged.op = followed.op;
    judged.expected = judged.got = fmt::format("{} decisions", expected.is.size());
    for (std::size_t i = 0; i < std::max(expected.is.size(), followed.decided.size()); ++i) {
        const ExpectedDecision none;
        if (i < expected.is.size() && i < followed.decided.size() && agrees(expected.is[i], followed.decided[i]))
            continue;
        judged.passed = false;
        const ExpectedDecision &like = i < expected.is.size() ? expected.is[i] : followed.decided[i];
        judged.expected = i < expected.is.size() ? decisionText(expected.is[i], like) : "no further decision";
        judged.got = i < followed.decided.size() ? decisionText(followed.decided[i], like)
            : followed.op == 0                   ? "no such operation"
                                                 : "no further decision";
        judged.mark = i < expected.is.size() ? expected.is[i].mark : expected.mark;
        break;
    }
    return judged;
}

std::vector<Judged> Expectations::judge(bool stopped) const
{
    std::vector<Judged> all;
    bool unfinishedExpected = false;
    for (const Expectation &expectation : m_scenario.expectations) {
        all.push_back(judgeMetric(expectation));
        unfinishedExpected = unfinishedExpected || expectation.metric == "operations.unfinished";
    }
    for (const Followed &followed : m_followed)
        all.push_back(judgeDecisions(followed));
    const std::uint64_t unfinished = m_metrics.total().operations[static_cast<std::size_t>(Result::Unfinished)];
    if (stopped && unfinished > 0 && !unfinishedExpected)
        all.push_back({"operations.unfinished", false, "0, since stop_after came first", std::to_string(unfinished), {}, {}, 0, {}});
    return all;
}

} // namespace throttlescope
