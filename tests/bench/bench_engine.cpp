// SPDX-License-Identifier: Apache-2.0
#include "core/engine/execution.h"
#include "core/engine/philox_draw.h"
#include "tests/bench/paired.h"

#include <benchmark/benchmark.h>
#include <queue>

/// What the engine adds to an attempt: a 429 with a hint is read, judged and scheduled, and the retry is sent, against a
/// virtual call and a push and a pop of a heap of a thousand, which a client's own loop could not do without.
namespace {

using namespace throttlescope;
using bench::Paired;

constexpr int kInFlight = 1000;
constexpr int kDecisions = 200'000;

struct Due {
    std::int64_t at;
    std::uint32_t index;
    bool operator<(const Due &other) const { return at > other.at; }
};
using Heap = std::priority_queue<Due>;

struct Handler {
    virtual ~Handler() = default;
    virtual std::int64_t answered(std::int64_t now, const Outcome &outcome) = 0;
};
struct AlwaysLater final : Handler {
    std::int64_t answered(std::int64_t now, const Outcome &) override { return now + 5'000'000; }
};

Outcome throttled()
{
    return Response{429, {{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"Retry-After", "5"}}, {}};
}

/// The work that both have: who is due next, and when it is due again.
template <typename Answer>
void everyoneInTurn(Answer answer)
{
    Heap heap;
    for (std::uint32_t i = 0; i < kInFlight; ++i)
        heap.push({static_cast<std::int64_t>(i) * 997 % 5'000, i});
    for (int i = 0; i < kDecisions; ++i) {
        const Due due = heap.top();
        heap.pop();
        heap.push({answer(due.index, due.at), due.index});
    }
}

double bareLoop()
{
    std::unique_ptr<Handler> handler = std::make_unique<AlwaysLater>();
    benchmark::DoNotOptimize(handler);
    const Outcome outcome = throttled();
    const bench::Stopwatch watch;
    everyoneInTurn([&](std::uint32_t, std::int64_t now) { return handler->answered(now, outcome); });
    return watch.thread() * 1e9 / kDecisions;
}

double engineLoop()
{
    Policy policy;
    policy.maxAttempts = kUnlimitedAttempts;
    const auto call = std::make_shared<Call>();
    call->operation = call->server = "api";
    call->replay = ReplayRule::Safe;
    call->policy = std::make_shared<Policy>(policy);
    WakeList wakeList;
    call->scope = std::make_shared<Scope>(ScopeSpec{}, wakeList);
    const PhiloxDraw draw{1};
    journal::Recorder recorder{nullptr};
    const Environment environment{draw, recorder};
    const Outcome outcome = throttled();
    const auto clock = [](std::int64_t now) { return Now{MonotonicTime{Duration{now}}, WallTime{Duration{now}}}; };

    std::vector<std::unique_ptr<Execution>> executions;
    for (std::uint64_t i = 0; i < kInFlight; ++i) {
        executions.push_back(std::make_unique<Execution>(*call, OperationIdentity{i + 1, i, static_cast<WaiterId>(i)}, environment));
        executions.back()->next(clock(0), Start{});
    }
    const bench::Stopwatch watch;
    everyoneInTurn([&](std::uint32_t index, std::int64_t now) {
        Execution &execution = *executions[index];
        const Step step = execution.next(clock(now), Answered{outcome});
        const auto at = std::get<WaitUntil>(step).at;
        execution.next(Now{at, WallTime{at.time_since_epoch()}}, TimeReached{});
        return at.time_since_epoch().count();
    });
    return watch.thread() * 1e9 / kDecisions;
}

void decision(benchmark::State &state)
{
    Paired paired;
    for ([[maybe_unused]] auto _ : state)
        paired.add(engineLoop(), bareLoop());
    state.counters["ns_engine"] = paired.ours();
    state.counters["ns_bare"] = paired.other();
    bench::atMost(state, "decision_against_bare", paired.ratio(), 3);
}
BENCHMARK(decision)->Iterations(11)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
