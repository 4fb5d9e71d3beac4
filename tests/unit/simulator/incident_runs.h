// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event_writer.h"
#include "incident_log_writers.h"
#include "incident_traffic.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

/// Runs of known scenarios, and the logs that they would have left.
namespace throttlescope::test {

/// What a run's journal says of its requests, as a proxy before the server would have seen them. An operation bears its
/// client and its path in its name: "c3/orders/17".
class CallsSink final : public journal::EventSink {
public:
    explicit CallsSink(bool keepsJournal)
        : m_keepsJournal(keepsJournal)
    {
    }

    void accept(const journal::Event &event) override
    {
        if (m_keepsJournal) {
            journal.emplace_back();
            journal::appendJson(journal.back(), event);
            journal.back() += '\n';
        }
        if (std::holds_alternative<journal::OperationFinished>(event.payload)) {
            m_open.erase(event.op);
        } else if (std::holds_alternative<journal::AttemptStarted>(event.payload)) {
            m_open[event.op].at = event.at.wall;
        } else if (const auto *answered = std::get_if<journal::ServerAnswered>(&event.payload)) {
            testing::LoggedCall &call = m_open[event.op];
            call.told = answered->told ? std::optional{*answered->told - event.at.monotonic} : std::nullopt;
        } else if (const auto *finished = std::get_if<journal::AttemptFinished>(&event.payload)) {
            testing::LoggedCall call = m_open[event.op];
            const std::size_t slash = event.operation.find('/');
            call.client = static_cast<std::uint32_t>(std::stoul(std::string{event.operation.substr(1, slash - 1)}));
            call.path = event.operation.substr(slash);
            call.method = "POST";
            call.took = event.at.wall - call.at;
            call.status = finished->status.value_or(0);
            call.operation = event.op;
            call.attempt = static_cast<std::uint32_t>(event.attempt);
            call.size = 100 + event.op * 7919 % 400;
            calls.push_back(std::move(call));
        }
    }

    std::vector<testing::LoggedCall> calls; ///< in order of their ends
    std::vector<std::string> journal; ///< lines

private:
    const bool m_keepsJournal;
    std::map<journal::OperationId, testing::LoggedCall> m_open;
};

inline std::string policyText(Retries retries)
{
    switch (retries) {
    case Retries::None: return "{retry: off}";
    case Retries::Backoff:
        return "{max_attempts: 5, replay: safe, rate_limit: {hint: ignore}, backoff: {kind: exponential, base: 1s, factor: 2, max: 30s}}";
    case Retries::Told: return "{max_attempts: 4, replay: safe, rate_limit: {max_wait: 40h, padding: {add: 100ms, jitter: 2s}}}";
    }
    return {};
}

/// Plays a plan's calls through the simulator.
inline void play(const LogPlan &plan, std::uint64_t seed, CallsSink &sink)
{
    const std::string text
        = fmt::format("throttlescope: 1\nseed: {}\nstart: 2026-06-02T00:00:00Z\n"
                      "servers: {{api: {{latency: {{lognormal: {{median: 40ms, p99: 250ms}}}}}}}}\n"
                      "policies: {{p: {}}}\nworkload: [{{operation: all, server: api, policy: p, arrivals: {{batch: 1}}}}]\n",
            seed, policyText(plan.retries));
    auto loaded = loadScenarioText(text, "round-trip.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().front().format().c_str());
    Scenario &scenario = loaded->scenario;
    scenario.start = wall("2026-06-02T00:00:00Z") + plan.begin;
    scenario.stopAfter = scaled(plan.limit.per.length, plan.periods);
    scenario.servers[0].limits = {plan.limit};
    scenario.servers[0].limits[0].keyHeader = plan.perKey ? "k" : "";
    Dice dice{seed};
    auto operations = std::make_shared<std::vector<TracedOperation>>();
    for (Calls calls = plannedCalls(plan, dice); !calls.empty(); calls.pop()) {
        TracedOperation operation;
        operation.at = durationFromSeconds(calls.top().at);
        operation.operation = fmt::format("c{}/orders/{}", calls.top().client, dice.below(800));
        operation.key = std::to_string(calls.top().client);
        operation.method = "POST";
        operations->push_back(std::move(operation));
    }
    scenario.workload[0].arrivals = TraceArrivals{"round-trip.csv", std::move(operations)};
    Simulation simulation{scenario, &sink};
    simulation.run();
    if (!simulation.failure().empty())
        qFatal("%s", simulation.failure().c_str());
}

} // namespace throttlescope::test
