// SPDX-License-Identifier: GPL-3.0-or-later
#include "dashboard_support.h"

#include "app/dashboard/plot/plot_canvas.h"
#include "app/dashboard/plot/run_plot.h"
#include "app/dashboard/window/main_window.h"
#include "simulator/run/runner.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"

#include <QApplication>
#include <QFile>
#include <algorithm>
#include <benchmark/benchmark.h>

/// The dashboard's goals, without a display: a journal of a million events, its plots under pan and zoom against
/// QCustomPlot's own scatter, and what-if, from the edit to the figures and the plots that show it.
namespace {

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::bench;

constexpr QSize kPlots{1600, 900};

OwnFolder &folder()
{
    static OwnFolder made;
    return made;
}

/// A scenario as `throttlescope run --journal` writes it down.
QString journalOf(const QString &name, const std::string &text)
{
    const QString file = folder().file(name);
    if (QFile::exists(file))
        return file;
    const auto scenario = loadScenarioText(text, name.toStdString());
    if (!scenario)
        qFatal("%s", scenario.error().front().format().c_str());
    if (const auto report = runScenario(scenario->scenario, {.journal = file.toStdString()}); !report.error.empty())
        qFatal("%s", report.error.c_str());
    return file;
}

/// Some million events.
QString largeJournal()
{
    return journalOf("large.jsonl", shippedText("minute-window.yaml", "workers: 2, count: 200", "workers: 4, count: 145000"));
}

/// Some million events, too: every pixel has answers of each kind, waits, calls that were given up, and trips of the breaker.
QString crowdedJournal()
{
    return journalOf("crowded.jsonl", R"(throttlescope: 1
servers:
  api:
    latency: {lognormal: {median: 80ms, p99: 400ms}}
    limits: [{name: second, quota: 60, per: 1s, window: sliding}, {name: hour, quota: 900000, per: 1h, window: fixed}]
    on_limit: {retry_after: seconds}
timeline:
  - {at: 0s, for: 3h, label: bad night, server: api, faults: {503: 10%, reset: 5%, 404: 5%}}
policies:
  batch: {replay: safe, max_attempts: 3, rate_limit: {max_wait: 20s}, budget: {token_bucket: {capacity: 100}},
          breaker: {trip: {consecutive: 6}, open_for: 2s}}
  hasty: {replay: safe, rate_limit: {max_wait: 500ms}}
workload:
  - {operation: read, server: api, method: GET, policy: batch, arrivals: {workers: 60, count: 80000}}
  - {operation: peek, server: api, method: GET, policy: hasty, arrivals: {rate: 20/s, count: 30000}}
)");
}

void openJournal(benchmark::State &state)
{
    const QString file = largeJournal();
    std::vector<double> seconds, busy, memory;
    for ([[maybe_unused]] auto _ : state) {
        const double residentBefore = residentBytes();
        Workspace workspace;
        const Stopwatch watch;
        workspace.openJournal(file);
        waitUntil([&] { return workspace.state() == Workspace::State::Finished; });
        seconds.push_back(watch.wall());
        busy.push_back(watch.process());
        const RunRecord &record = workspace.record();
        const double events = record.store.rowCount();
        const auto counted = static_cast<double>(record.store.bytes() + record.series.bytes());
        if (memory.empty()) { // later ones get what this one gave back
            memory = {counted / events, (residentBytes() - residentBefore) / events};
            state.counters["events"] = events;
        }
    }
    judge(state, "wall_s", median(seconds), 5, "a journal of a million events is opened in {:.2f} s, the goal is {}");
    state.counters["processor_s"] = median(busy);
    judge(state, "bytes_an_event", memory[0], 120, "an event takes {:.0f} bytes by the store's and the series' own count, the goal is {}");
    judge(state, "resident_an_event", memory[1], 120, "the process grew by {:.0f} bytes an event, the goal is {}");
}
BENCHMARK(openJournal)->Iterations(5)->Unit(benchmark::kMillisecond);

/// Views of a pan and of a zoom over a run, in seconds.
std::vector<std::pair<double, double>> views(double end)
{
    std::vector<std::pair<double, double>> found;
    constexpr int steps = 15;
    for (int i = 0; i < steps; ++i)
        found.emplace_back(end * 0.7 * i / steps, end * (0.3 + 0.7 * i / steps));
    for (int i = 0; i < steps; ++i) {
        const double size = end * std::pow(0.5, i);
        found.emplace_back(end / 2 - size / 2, end / 2 + size / 2);
    }
    return found;
}

/// What each view took: processor seconds, the least of its rounds (what disturbs does so once), and those of every frame of
/// every round, by the processor and by the wall.
struct Frames {
    std::vector<double> least, busy, wall;
};
template <typename Draw>
Frames frames(const std::vector<std::pair<double, double>> &all, int rounds, Draw draw)
{
    Frames found;
    found.least.assign(all.size(), 1e9);
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Stopwatch watch;
            draw(all[i].first, all[i].second);
            found.busy.push_back(watch.thread());
            found.wall.push_back(watch.wall());
            found.least[i] = std::min(found.least[i], found.busy.back());
        }
    }
    return found;
}

double atShare(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// In milliseconds.
void countFrames(benchmark::State &state, const Frames &drawn)
{
    for (const auto &[name, values] : {std::pair{"busy", &drawn.busy}, {"wall", &drawn.wall}}) {
        for (const auto &[share, which] : {std::pair{0.5, "p50"}, {0.99, "p99"}, {1.0, "max"}})
            state.counters[fmt::format("{}_{}_ms", name, which)] = atShare(*values, share) * 1e3;
    }
}

void panAndZoom(benchmark::State &state, const QString &journal)
{
    Workspace workspace;
    workspace.openJournal(journal);
    waitUntil([&] { return workspace.state() == Workspace::State::Finished; });
    RunPlot plot;
    plot.setFollow(false);
    plot.resize(kPlots);
    plot.show();
    plot.setData(workspace.plotData());
    const std::vector<std::pair<double, double>> all = views(secondsAt(workspace.record().store.end()));

    const LodSeries &attempts = workspace.record().series.attempts();
    QVector<double> keys, values;
    for (std::size_t i = 0; i < attempts.size(); ++i) {
        keys << secondsAt(attempts.sample(i).at);
        values << static_cast<double>(attempts.sample(i).value);
    }
    QCustomPlot scatter;
    scatter.resize(kPlots);
    scatter.show();
    QCPGraph *graph = scatter.addGraph();
    graph->setLineStyle(QCPGraph::lsNone);
    graph->setScatterStyle({QCPScatterStyle::ssDisc, 4});
    graph->setData(keys, values, true);
    scatter.yAxis->rescale();

    Frames ours, theirs;
    for ([[maybe_unused]] auto _ : state) {
        ours = frames(all, 10, [&](double from, double to) {
            plot.setTimeRange(from, to);
            plot.canvas().replotNow();
        });
        theirs = frames(all, 1, [&](double from, double to) {
            scatter.xAxis->setRange(from, to);
            scatter.replot(QCustomPlot::rpImmediateRefresh);
        });
    }
    const auto milliseconds = [](double seconds) { return seconds * 1e3; };
    judge(state, "worst_ms", milliseconds(*std::max_element(ours.least.begin(), ours.least.end())), 33,
        "the slowest view of a million events is drawn in {:.1f} ms, the goal is {}");
    countFrames(state, ours);
    state.counters["scatter_ms"] = milliseconds(median(theirs.least));
    state.counters["scatter_worst_ms"] = milliseconds(*std::max_element(theirs.least.begin(), theirs.least.end()));
    state.counters["ratio"] = sum(theirs.least) / sum(ours.least);
    state.counters["samples"] = static_cast<double>(attempts.size());
    state.counters["events"] = workspace.record().store.rowCount();
}

void panAndZoomOfAMillion(benchmark::State &state)
{
    panAndZoom(state, largeJournal());
}
BENCHMARK(panAndZoomOfAMillion)->Iterations(1)->Unit(benchmark::kMillisecond);

void panAndZoomOfACrowd(benchmark::State &state)
{
    panAndZoom(state, crowdedJournal());
}
BENCHMARK(panAndZoomOfACrowd)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Processor seconds of the same run without a dashboard, whose events nobody looks at.
double runAlone(Workspace &workspace)
{
    struct Nobody final : journal::EventSink {
        void accept(const journal::Event &) override { }
    } nobody;
    const ScenarioPointer scenario = workspace.policy()->draft().scenario();
    std::vector<double> seconds;
    for (int i = 0; i < 3; ++i) {
        const Stopwatch watch;
        Simulation simulation{scenario->scenario, &nobody};
        simulation.run();
        seconds.push_back(watch.thread());
    }
    return median(seconds);
}

/// Drags max_wait to and fro in the whole window, as shown.
void whatIf(benchmark::State &state, const QString &file, double goalSeconds)
{
    MainWindow window{LookChoice::Dark};
    window.resize(1600, 1000);
    window.show();
    if (!window.open(file))
        qFatal("%s cannot be opened", qPrintable(file));
    Workspace &workspace = window.workspace();
    waitUntil([&] { return workspace.state() == Workspace::State::Finished; });
    waitUntil([&, curve = Stopwatch{}] { return (workspace.curve() && workspace.curve()->complete) || curve.wall() > 20; });

    bool finished = false, drawn = false;
    QObject::connect(&workspace, &Workspace::stateChanged, &window, [&] { finished |= workspace.state() == Workspace::State::Finished; });
    QObject::connect(&window.plot().canvas(), &QCustomPlot::afterReplot, &window, [&] { drawn |= finished; });
    std::vector<double> seconds, quiet, run, busy, blocked, blockedWall;
    int turn = 0;
    for ([[maybe_unused]] auto _ : state) {
        finished = drawn = false;
        LoopWatch loop;
        const auto before = otherThreads();
        const Stopwatch watch;
        workspace.setMaxWait(30s - 250ms * ++turn, true); // a value that the cliff has not seen either
        finished = false; // the run before this one
        waitUntil([&] { return drawn; });
        seconds.push_back(watch.wall());
        busy.push_back(watch.thread());
        const ThreadTimes worker = busiestSince(before);
        run.push_back(worker.busy);
        quiet.push_back(seconds.back() - worker.kept);
        blocked.push_back(loop.longestBusy());
        blockedWall.push_back(loop.longest());
    }
    // Without the time that the run was ready to go on and something else had the processor.
    judge(state, "edit_to_plot_ms", median(quiet) * 1e3, goalSeconds * 1e3, "a what-if is seen after {:.0f} ms, the goal is {}");
    judge(state, "blocked_ms", median(blocked) * 1e3, 50, "the event loop is blocked for {:.0f} ms of processor time, the goal is {}");
    state.counters["run_alone_ms"] = runAlone(workspace) * 1e3;
    state.counters["wall_ms"] = median(seconds) * 1e3;
    state.counters["run_ms"] = median(run) * 1e3;
    state.counters["gui_ms"] = median(busy) * 1e3;
    state.counters["blocked_wall_ms"] = median(blockedWall) * 1e3;
    state.counters["attempts"] = static_cast<double>(workspace.record().figures.figures().attempts);
    state.counters["events"] = workspace.record().store.rowCount();
}

void whatIfOfMinuteWindow(benchmark::State &state)
{
    whatIf(state, shippedFile("minute-window.yaml"), 0.1);
}
BENCHMARK(whatIfOfMinuteWindow)->Iterations(21)->Unit(benchmark::kMillisecond);

/// 200 workers against a limit that refuses two thirds of the attempts.
constexpr auto kManyWorkers = R"(throttlescope: 1
servers:
  api:
    latency: {lognormal: {median: 80ms, p99: 400ms}}
    limits: [{name: second, quota: 120, per: 1s, window: sliding}]
    on_limit: {retry_after: seconds}
policies:
  batch: {replay: safe, max_attempts: 6, rate_limit: {max_wait: 20s}}
workload:
  - {operation: read, server: api, method: GET, policy: batch, arrivals: {workers: 200, count: 40000}}
)";

void whatIfOf100000Attempts(benchmark::State &state, const std::string &text)
{
    const QString file = folder().file("many.yaml");
    QFile out{file};
    if (!out.open(QIODevice::WriteOnly) || out.write(QByteArray::fromStdString(text)) < 0)
        qFatal("%s", qPrintable(out.errorString()));
    out.close();
    whatIf(state, file, 0.5);
}
BENCHMARK_CAPTURE(whatIfOf100000Attempts, many_workers, kManyWorkers)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(
    whatIfOf100000Attempts, minute_window, shippedText("minute-window.yaml", "workers: 2, count: 200", "workers: 4, count: 100000"))
    ->Iterations(9)
    ->Unit(benchmark::kMillisecond);

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application{argc, argv};
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    return verdict();
}
