// SPDX-License-Identifier: Apache-2.0
#include "core/engine/backoff.h"
#include "core/engine/philox_draw.h"
#include "simulator/model/latency.h"
#include "simulator/sweep/sweep_runner.h"
#include "tests/bench/paired.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fstream>
#include <queue>
#include <sstream>

/// The whole backoff-and-jitter table of scenarios/README.md, 100 seeds each, as a sweep of one job and of two, against a
/// bare std::priority_queue loop that makes the same draws and sends the same attempts.
namespace {

using namespace throttlescope;

constexpr std::uint64_t kSeeds = 100;
constexpr int kFirst = 10, kLast = 190, kStep = 10;
const std::vector<std::string> kPolicies{"none", "exponential", "equal", "full", "decorrelated"};

std::string fileText()
{
    std::ifstream file{THROTTLESCOPE_SOURCE_DIR "/scenarios/literature/backoff-and-jitter.yaml"};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Taken {
    double seconds = 0;
    double attempts = 0;
};

Taken sweep(int jobs)
{
    SweepPlan plan;
    plan.axes = {*parseAxis(fmt::format("workload.update.arrivals.batch={}..{}:{}", kFirst, kLast, (kLast - kFirst) / kStep + 1)),
        *parseAxis(fmt::format("workload.update.policy={}", fmt::join(kPolicies, ",")))};
    plan.firstSeed = 1;
    plan.seeds = kSeeds;
    Taken taken;
    const bench::Stopwatch watch;
    const auto errors = runSweep(
        plan, {"attempts"}, loadingFrom(fileText(), "backoff-and-jitter.yaml", {}), {jobs, 0, nullptr}, [&taken](const SweepRow &row) {
            taken.attempts += row.values[0];
            return true;
        });
    taken.seconds = watch.wall();
    if (!errors.empty())
        fmt::print("{}\n", errors.front());
    return taken;
}

/// One run of the experiment: a read, and a write that is lost where another came in between.
std::uint64_t bareRun(int clients, const Backoff &backoff, std::uint64_t seed)
{
    enum class Step : std::uint8_t { Send, Read, Write, Answer };
    struct Due {
        std::int64_t at;
        std::uint64_t sequence;
        std::uint32_t client;
        Step step;
        bool operator<(const Due &other) const { return at != other.at ? at > other.at : sequence > other.sequence; }
    };
    struct Client {
        std::uint64_t key;
        std::uint64_t version = 0;
        std::uint32_t attempt = 0;
        bool written = false;
        BackoffMemory memory;
    };
    const PhiloxDraw draw{seed};
    const Distribution hop = NormalLatency{10ms, 2ms};
    std::vector<Client> all;
    std::priority_queue<Due> queue;
    std::uint64_t sequence = 0, attempts = 0, version = 0;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(clients); ++i) {
        all.push_back({operationDrawKey("update", 0, i), 0, 0, false, {}});
        queue.push({0, ++sequence, i, Step::Send});
    }
    while (!queue.empty()) {
        const Due due = queue.top();
        queue.pop();
        Client &client = all[due.client];
        const auto takes = [&](Stream stream) { return model::drawnLatency(hop, draw({stream, client.key, client.attempt})).count(); };
        const auto then = [&](std::int64_t at, Step step) { queue.push({at, ++sequence, due.client, step}); };
        switch (due.step) {
        case Step::Send:
            ++attempts;
            ++client.attempt;
            then(due.at + takes(Stream::NetworkOut), Step::Read);
            break;
        case Step::Read:
            client.version = version;
            then(due.at + takes(Stream::ReadBack) + takes(Stream::WriteOut), Step::Write);
            break;
        case Step::Write:
            client.written = client.version == version;
            version += client.written ? 1 : 0;
            then(due.at + takes(Stream::NetworkBack), Step::Answer);
            break;
        case Step::Answer:
            if (!client.written) {
                const double u = draw({Stream::BackoffJitter, client.key, client.attempt});
                then(due.at + jitteredBackoff(backoff, static_cast<int>(client.attempt), u, client.memory).count(), Step::Send);
            }
            break;
        }
    }
    return attempts;
}

Taken bareLoop()
{
    const auto loaded = loadScenarioText(fileText(), "backoff-and-jitter.yaml");
    Taken taken;
    const bench::Stopwatch watch;
    for (int clients = kFirst; clients <= kLast; clients += kStep) {
        for (const std::string &policy : kPolicies) {
            for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
                taken.attempts += static_cast<double>(bareRun(clients, loaded->scenario.policies.at(policy)->backoff, seed));
        }
    }
    taken.seconds = watch.wall();
    return taken;
}

void table(benchmark::State &state)
{
    for ([[maybe_unused]] auto _ : state) {
        const Taken one = sweep(1), bare = bareLoop(), two = sweep(2);
        state.counters["attempts"] = one.attempts;
        state.counters["attempts_bare"] = bare.attempts;
        state.counters["s_one_job"] = one.seconds;
        state.counters["s_bare"] = bare.seconds;
        bench::atMost(state, "table_against_bare", one.seconds / bare.seconds, 2);
        bench::atLeast(state, "two_jobs_faster_by", one.seconds / two.seconds, 1.8);
    }
}
BENCHMARK(table)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
