// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"
#include "tests/bench/paired.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

/// Whether the simulator's cost grows with the work and with nothing else: operations, waiters, scopes; and what an operation
/// in flight takes in memory.
namespace {

using namespace throttlescope;

std::string workload(std::uint64_t operations, int inFlight)
{
    return fmt::format("throttlescope: 1\nservers: {{api: {{latency: {{lognormal: {{median: 80ms, p99: 400ms}}}}}}}}\n"
                       "timeline: [{{at: 0s, for: 100d, server: api, label: bad, faults: {{503: 30%}}}}]\n"
                       "policies: {{p: {{max_attempts: 4, backoff: {{kind: exponential, base: 500ms, max: 30s}}}}}}\n"
                       "workload: [{{operation: read, server: api, method: GET, policy: p, arrivals: {{workers: {}, count: {}}}}}]\n",
        inFlight, operations);
}

Scenario loaded(const std::string &text)
{
    return loadScenarioText(text, "bench.yaml")->scenario;
}

double nanosecondsPerAttempt(const Scenario &scenario)
{
    const bench::Stopwatch watch;
    Simulation simulation{scenario, nullptr};
    simulation.run();
    return watch.thread() * 1e9 / static_cast<double>(simulation.attemptsSent());
}

/// The least of some runs: what disturbs makes a run slower, never faster.
double leastPerAttempt(const std::string &text, int runs)
{
    const Scenario scenario = loaded(text);
    double least = nanosecondsPerAttempt(scenario);
    for (int i = 1; i < runs; ++i)
        least = std::min(least, nanosecondsPerAttempt(scenario));
    return least;
}

/// An attempt of the larger run may cost this much more than one of the smaller.
void compare(benchmark::State &state, const char *name, const std::string &small, const std::string &large, int runs)
{
    const double few = leastPerAttempt(small, runs), many = leastPerAttempt(large, runs);
    state.counters["ns_small"] = few;
    state.counters["ns_large"] = many;
    bench::atMost(state, name, many / few, 1.5);
}

void operations(benchmark::State &state)
{
    constexpr int inFlight = 1000;
    std::vector<double> costs;
    for ([[maybe_unused]] auto _ : state) {
        for (const std::uint64_t count : {10'000, 100'000, 1'000'000, 10'000'000}) {
            costs.push_back(leastPerAttempt(workload(count, inFlight), count > 1'000'000 ? 1 : 5));
            state.counters[fmt::format("ns_at_{}", count)] = costs.back();
        }
    }
    bench::atMost(state, "dearest_against_cheapest",
        *std::max_element(costs.begin(), costs.end()) / *std::min_element(costs.begin(), costs.end()), 1.5);
}
BENCHMARK(operations)->Iterations(1)->Unit(benchmark::kMillisecond);

/// All ask for the same slots of a pacer; one in a hundred thousand has a turn.
void waiters(benchmark::State &state)
{
    const auto text = [](int count) {
        return fmt::format("throttlescope: 1\nservers: {{api: {{latency: {{fixed: 1ms}}}}}}\n"
                           "policies: {{p: {{pacer: {{requests_per_second: 1000}}}}}}\n"
                           "workload: [{{operation: read, server: api, method: GET, policy: p, arrivals: {{batch: {}}}}}]\n",
            count);
    };
    for ([[maybe_unused]] auto _ : state)
        compare(state, "of_100000_waiters_against_1000", text(1000), text(100'000), 3);
}
BENCHMARK(waiters)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Each client of a row is a process of its own, and so are its pacer, breaker and budget.
void scopes(benchmark::State &state)
{
    const auto text = [](int count) {
        return fmt::format("throttlescope: 1\nservers: {{api: {{latency: {{fixed: 1ms}}}}}}\n"
                           "policies: {{p: {{pacer: {{requests_per_second: 1000}}}}}}\n"
                           "workload: [{{operation: read, server: api, method: GET, policy: p, clients: {}, arrivals: {{batch: {}}}}}]\n",
            count, 1'000'000 / count);
    };
    for ([[maybe_unused]] auto _ : state)
        compare(state, "in_10000_scopes_against_100", text(100), text(10'000), 2);
}
BENCHMARK(scopes)->Iterations(1)->Unit(benchmark::kMillisecond);

/// The same, and each has a policy and a row of its own.
void scopesAndPolicies(benchmark::State &state)
{
    const auto text = [](int count) {
        std::string all = "throttlescope: 1\nservers: {api: {latency: {fixed: 1ms}}}\npolicies:\n";
        for (int i = 0; i < count; ++i)
            all += fmt::format("  p{}: {{pacer: {{scope: s{}, requests_per_second: 1000}}}}\n", i, i);
        all += "workload:\n";
        for (int i = 0; i < count; ++i)
            all += fmt::format(
                "  - {{operation: o{}, server: api, method: GET, policy: p{}, arrivals: {{batch: {}}}}}\n", i, i, 1'000'000 / count);
        return all;
    };
    for ([[maybe_unused]] auto _ : state)
        compare(state, "in_10000_scopes_and_policies_against_100", text(100), text(10'000), 2);
}
BENCHMARK(scopesAndPolicies)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Between the start and the end of a batch of 100,000 that is all under way.
void memory(benchmark::State &state)
{
    constexpr int count = 100'000;
    const Scenario scenario
        = loaded(fmt::format("throttlescope: 1\nservers: {{api: {{latency: {{fixed: 10s}}}}}}\npolicies: {{p: {{max_attempts: 4}}}}\n"
                             "workload: [{{operation: read, server: api, method: GET, policy: p, arrivals: {{batch: {}}}}}]\n",
            count));
    double bytes = 0;
    for ([[maybe_unused]] auto _ : state) {
        const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
        Simulation simulation{scenario, nullptr};
        simulation.advance(MonotonicTime{std::chrono::seconds{5}});
        bytes = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd - before) / count;
    }
    bench::atMost(state, "bytes_in_flight", bytes, 256);
}
BENCHMARK(memory)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
