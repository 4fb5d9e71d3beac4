// SPDX-License-Identifier: Apache-2.0
#include "core/engine/philox_draw.h"
#include "core/journal/event.h"
#include "simulator/model/latency.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"
#include "tests/bench/paired.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <queue>

/// The simulator without a journal against a bare std::priority_queue loop that makes the same draws: as many clients in
/// flight, as many attempts, the same latency, failures and jitter. Printed as a ratio of the medians of interleaved runs.
namespace {

using namespace throttlescope;

constexpr int kInFlight = 1000;

std::string scenarioText(int operations)
{
    return "throttlescope: 1\nservers: {api: {latency: {lognormal: {median: 80ms, p99: 400ms}}}}\n"
           "timeline: [{at: 0s, for: 100d, server: api, label: bad, faults: {503: 30%}}]\n"
           "policies: {p: {max_attempts: 4, backoff: {kind: exponential, base: 500ms, max: 30s}}}\n"
           "workload: [{operation: read, server: api, method: GET, policy: p, arrivals: {workers: "
        + std::to_string(kInFlight) + ", count: " + std::to_string(operations) + "}}]\n";
}

std::uint64_t simulate(const Scenario &scenario)
{
    Simulation simulation{scenario, nullptr};
    simulation.run();
    return simulation.attemptsSent();
}

/// The same course of events with nothing but the queue and the draws.
std::uint64_t bareLoop(int operations)
{
    struct Event {
        std::int64_t at;
        std::uint64_t sequence;
        std::uint64_t operation;
        std::uint32_t attempt;
        bool answer;
        bool operator<(const Event &other) const { return at != other.at ? at > other.at : sequence > other.sequence; }
    };
    const PhiloxDraw draw{1};
    const Distribution latency{LognormalLatency{80ms, 400ms}};
    std::priority_queue<Event> queue;
    std::uint64_t sequence = 0, attempts = 0, started = 0;
    const auto send = [&](std::int64_t now, std::uint64_t operation, std::uint32_t attempt) {
        ++attempts;
        const Duration takes = model::drawnLatency(latency, draw({Stream::Latency, operation, attempt}));
        queue.push({now + takes.count(), ++sequence, operation, attempt, true});
    };
    const auto begin = [&](std::int64_t now) {
        if (started < static_cast<std::uint64_t>(operations))
            send(now, operationDrawKey("read", 0, started++), 1);
    };
    for (int i = 0; i < kInFlight; ++i)
        begin(0);
    while (!queue.empty()) {
        const Event event = queue.top();
        queue.pop();
        if (!event.answer) {
            send(event.at, event.operation, event.attempt);
        } else if (draw({Stream::NetworkFault, event.operation, event.attempt}) < 0.3 && event.attempt < 4) {
            const double cap = std::min(30e6, 0.5e6 * static_cast<double>(1U << (event.attempt - 1)));
            queue.push({event.at + static_cast<std::int64_t>(cap * draw({Stream::BackoffJitter, event.operation, event.attempt})),
                ++sequence, event.operation, event.attempt + 1, false});
        } else {
            begin(event.at);
        }
    }
    return attempts;
}

template <typename Run>
double nanosecondsPerAttempt(Run run)
{
    const bench::Stopwatch watch;
    const std::uint64_t attempts = run();
    return watch.thread() * 1e9 / static_cast<double>(attempts);
}

void simulatorAgainstBareLoop(benchmark::State &state)
{
    const auto operations = static_cast<int>(state.range(0));
    const Scenario scenario = loadScenarioText(scenarioText(operations), "bench.yaml")->scenario;
    bench::Paired paired;
    for ([[maybe_unused]] auto _ : state)
        paired.add(nanosecondsPerAttempt([&] { return simulate(scenario); }), nanosecondsPerAttempt([&] { return bareLoop(operations); }));
    state.counters["ns_per_attempt"] = paired.ours();
    state.counters["ns_per_attempt_bare"] = paired.other();
    bench::atMost(state, "ratio", paired.ratio(), 3);
}
BENCHMARK(simulatorAgainstBareLoop)->Arg(100'000)->Iterations(7)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
