// SPDX-License-Identifier: Apache-2.0
#include "core/journal/event_reader.h"
#include "core/journal/event_writer.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"
#include "tests/bench/paired.h"

#include <benchmark/benchmark.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <simdjson.h>
#include <stdexcept>
#include <unistd.h>
#include <vector>

/// A journal written against std::fwrite of the same bytes to the same disk, and read against simdjson's own pass over the
/// file, which looks at every value of every line.
namespace {

using namespace throttlescope;
using bench::Paired;

/// Gone with the program.
const std::filesystem::path &file()
{
    static const struct Place {
        std::filesystem::path path = std::filesystem::temp_directory_path() / ("bench_journal." + std::to_string(::getpid()));
        ~Place() { std::filesystem::remove(path); }
    } place;
    return place.path;
}

struct Close {
    void operator()(std::FILE *opened) const { std::fclose(opened); }
};
using File = std::unique_ptr<std::FILE, Close>;

File created()
{
    File opened{std::fopen(file().c_str(), "wb")};
    if (!opened)
        throw std::runtime_error{file().string() + ": cannot be created"};
    return opened;
}

/// A batch under a limit of 30 a minute that tells three windows: as much in a line as there mostly is.
const Scenario &scenario()
{
    static const auto loaded = loadScenarioText("throttlescope: 1\n"
                                                "servers:\n"
                                                "  api:\n"
                                                "    latency: {lognormal: {median: 80ms, p99: 400ms}}\n"
                                                "    limits: [{name: minute, quota: 3000, per: 1m, window: fixed, align: calendar},\n"
                                                "             {name: hour, quota: 100000, per: 1h, window: sliding}]\n"
                                                "    on_limit: {retry_after: seconds, headers: [saia]}\n"
                                                "policies: {batch: {replay: safe}}\n"
                                                "workload: [{operation: read, server: api, method: GET, policy: batch,\n"
                                                "            arrivals: {workers: 50, count: 30000}}]\n",
        "bench.yaml");
    return loaded->scenario;
}

/// Listens, so that events are made.
struct Nobody final : journal::EventSink {
    void accept(const journal::Event &) override { }
};

double run(journal::EventSink &sink)
{
    const bench::Stopwatch watch;
    Simulation simulation{scenario(), &sink};
    simulation.run();
    return watch.thread();
}

std::string bytesOfFile()
{
    std::ifstream in{file(), std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void write(benchmark::State &state)
{
    Paired paired;
    for ([[maybe_unused]] auto _ : state) {
        Nobody nobody;
        const double alone = run(nobody);
        double written = 0;
        {
            const File opened = created();
            journal::JsonLinesWriter writer{opened.get()};
            written = run(writer);
            const bench::Stopwatch watch;
            writer.flush();
            written += watch.thread();
        }
        const std::string bytes = bytesOfFile();
        constexpr std::size_t piece = 64 * 1024;
        const File opened = created();
        const bench::Stopwatch watch;
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            std::fwrite(bytes.data() + at, 1, std::min(piece, bytes.size() - at), opened.get());
        std::fflush(opened.get());
        paired.add(written - alone, watch.thread());
        state.counters["MB"] = static_cast<double>(bytes.size()) / 1e6;
    }
    state.counters["s_writer"] = paired.ours();
    state.counters["s_fwrite"] = paired.other();
    bench::atLeast(state, "share_of_fwrites_speed", 1 / paired.ratio(), 0.3);
}
BENCHMARK(write)->Iterations(5)->Unit(benchmark::kMillisecond);

void visit(simdjson::dom::element element, std::uint64_t &sum)
{
    switch (element.type()) {
    case simdjson::dom::element_type::OBJECT:
        for (const auto [key, value] : simdjson::dom::object{element}) {
            sum += key.size();
            visit(value, sum);
        }
        break;
    case simdjson::dom::element_type::ARRAY:
        for (const simdjson::dom::element value : simdjson::dom::array{element})
            visit(value, sum);
        break;
    case simdjson::dom::element_type::STRING: sum += std::string_view{element}.size(); break;
    default: ++sum;
    }
}

void read(benchmark::State &state)
{
    {
        const File opened = created();
        journal::JsonLinesWriter writer{opened.get()};
        run(writer);
    }
    Paired paired;
    for ([[maybe_unused]] auto _ : state) {
        std::uint64_t sum = 0;
        bench::Stopwatch watch;
        {
            simdjson::dom::parser parser;
            for (const simdjson::dom::element line : parser.load_many(file().string()))
                visit(line, sum);
        }
        const double theirs = watch.thread();
        std::uint64_t events = 0;
        watch = {};
        std::ifstream in{file(), std::ios::binary};
        journal::EventReader{}.readAll(in, [&events](const journal::Event &event) { events += event.seq > 0 ? 1 : 0; });
        paired.add(watch.thread(), theirs);
        benchmark::DoNotOptimize(sum);
        state.counters["events"] = static_cast<double>(events);
    }
    state.counters["s_reader"] = paired.ours();
    state.counters["s_simdjson"] = paired.other();
    bench::atLeast(state, "share_of_simdjsons_speed", 1 / paired.ratio(), 0.3);
}
BENCHMARK(read)->Iterations(5)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
