// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/run_pass.h"

#include <algorithm>

namespace throttlescope::dashboard {

namespace {

// A turn of some thousand events takes a few milliseconds.
constexpr std::uint64_t kFewEvents = 512, kManyEvents = 2'048;
constexpr Duration kShortestSlice{1}, kLongestSlice{1s};
constexpr Duration kStep{1ms};

/// Leaves a simulation that nobody wants any more, from within its sink: it looks at no flag between its turns.
struct RunCancelled { };

} // namespace

bool isOfInterest(const journal::Event &event)
{
    using namespace journal;
    return std::visit(
        [](const auto &payload) {
            using Payload = std::decay_t<decltype(payload)>;
            if constexpr (std::is_same_v<Payload, OperationFinished>)
                return payload.result != Result::Succeeded;
            else if constexpr (std::is_same_v<Payload, BudgetExhausted> || std::is_same_v<Payload, TransportResent>)
                return true;
            else
                return std::is_same_v<Payload,
                           RateLimitWaitExceeded> || std::is_same_v<Payload, RetryScheduled> || std::is_same_v<Payload, RetryRefused> || std::is_same_v<Payload, BreakerOpened> || std::is_same_v<Payload, BreakerHalfOpen> || std::is_same_v<Payload, BreakerClosed> || std::is_same_v<Payload, BreakerRejected> || std::is_same_v<Payload, FallbackStarted> || std::is_same_v<Payload, Marker> || std::is_same_v<Payload, PolicyChanged>;
        },
        event.payload);
}

RunPass::RunPass(ScenarioPointer scenario, const std::atomic<bool> &cancelled, OnBatch onBatch, std::uint64_t mostOpen)
    : m_scenario(std::move(scenario))
    , m_cancelled(cancelled)
    , m_onBatch(std::move(onBatch))
    , m_expectations(m_scenario->scenario)
    , m_simulation(m_scenario->scenario, this, mostOpen)
    , m_policies(m_scenario->scenario.policies)
{
}

void RunPass::accept(const journal::Event &event)
{
    if (m_cancelled.load(std::memory_order_relaxed))
        throw RunCancelled{};
    ++m_events;
    m_lastEvent = event.at.monotonic;
    m_interesting = m_interesting || isOfInterest(event);
    if (const auto *changed = std::get_if<journal::PolicyChanged>(&event.payload))
        m_waitsKept = changed->waitsKept;
    m_expectations.accept(event);
    m_builder.accept(event);
    if (m_builder.size() >= kLargestBatch)
        flush();
}

void RunPass::flush()
{
    if (m_builder.size() > 0)
        m_onBatch(m_builder.take());
}

void RunPass::advance(MonotonicTime until)
{
    m_events = 0;
    try {
        if (m_cancelled.load(std::memory_order_relaxed))
            m_state = State::Cancelled;
        else if (!m_simulation.advance(until))
            m_state = State::Over;
        m_reached = m_state == State::Over ? m_simulation.now() : until;
    } catch (const RunCancelled &) {
        m_state = State::Cancelled;
    }
}

RunPass::State RunPass::turn(MonotonicTime until)
{
    if (m_state != State::Going || until <= m_reached)
        return m_state;
    const bool cut = saturatingAdd(m_reached, m_slice) > until;
    advance(cut ? until : saturatingAdd(m_reached, m_slice));
    // In a long silence slices may grow with it, or a month would be two million of them.
    const Duration longest = std::max(kLongestSlice, (m_reached - m_lastEvent) / 64);
    if (m_events < kFewEvents && !cut)
        m_slice = std::min(m_slice * 2, longest);
    else if (m_events > kManyEvents)
        m_slice = std::max(m_slice / 2, kShortestSlice);
    return m_state;
}

RunPass::State RunPass::step()
{
    m_interesting = false;
    while (m_state == State::Going && !m_interesting)
        advance(saturatingAdd(m_reached, std::max(kStep, (m_reached - m_lastEvent) / 1'024)));
    return m_state;
}

std::vector<Retuned> RunPass::retune(const ScenarioPointer &scenario)
{
    std::vector<Retuned> done;
    if (m_state == State::Going && m_reached == MonotonicTime{})
        advance(MonotonicTime{Duration{-1}}); // run.started comes first
    m_reached = std::max(m_reached, MonotonicTime{});
    for (const auto &[name, policy] : scenario->scenario.policies) {
        const auto now = m_policies.find(name);
        if (m_state != State::Going || now == m_policies.end() || *now->second == *policy)
            continue;
        try {
            m_simulation.replacePolicy(name, policy);
            done.push_back({name, m_waitsKept, m_reached});
            now->second = policy;
        } catch (const RunCancelled &) {
            m_state = State::Cancelled;
        }
    }
    if (!done.empty())
        m_retuned.push_back(scenario);
    return done;
}

RunReport RunPass::report() const
{
    RunReport report;
    report.take(m_expectations.metrics());
    report.operations = operations();
    report.interrupted = state() == State::Cancelled;
    report.error = m_simulation.failure();
    if (m_state == State::Over && report.error.empty() && m_retuned.empty()) // what was retuned is another experiment
        report.judged = m_expectations.judge(m_simulation.stopped());
    return report;
}

} // namespace throttlescope::dashboard
