// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_batch.h"

#include "app/cli/interrupt_flag.h"
#include "core/journal/event_reader.h"
#include "simulator/run/story.h"

#include <atomic>
#include <condition_variable>
#include <fmt/format.h>
#include <fmt/os.h>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

/// One line on a terminal, overwritten; nothing elsewhere.
class Progress {
public:
    explicit Progress(std::size_t total)
        : m_total(total)
        , m_shown(total > 1 && isatty(STDERR_FILENO) != 0)
    {
    }
    void done(std::size_t count) const
    {
        if (m_shown && count < m_total)
            fmt::print(stderr, "\r\x1b[K{} of {} scenarios", count, m_total);
    }
    void clear() const
    {
        if (m_shown)
            fmt::print(stderr, "\r\x1b[K");
    }

private:
    std::size_t m_total;
    bool m_shown;
};

/// The story of the first excess, read back from the journal that shows it.
void writeStory(const FinishedRun &run, const std::filesystem::path &file)
{
    std::ofstream out{file};
    for (const Judged &judged : run.report.judged) {
        if (judged.passed)
            continue;
        out << fmt::format("{}: {}\n", judged.name, verdictText(judged));
        if (judged.op == 0)
            continue;
        Story story{judged.op};
        journal::EventReader reader;
        std::ifstream journal{run.journal};
        reader.readAll(journal, [&story](const journal::Event &event) { story.accept(event); });
        out << story.text() << '\n';
    }
}

/// A live run cannot be had again, so its artifact is written while it runs.
std::string journalOf(const BatchOptions &options, const std::string &name)
{
    const std::string file = name + ".jsonl";
    if (options.journal.empty())
        return options.live && !options.artifacts.empty() ? (std::filesystem::path{options.artifacts} / file).string() : std::string{};
    return options.journalIsFolder ? (std::filesystem::path{options.journal} / file).string() : options.journal;
}

/// Of a live run that passed there is no artifact.
void dropArtifact(const BatchOptions &options, FinishedRun &run)
{
    if (!options.live || options.artifacts.empty() || !options.journal.empty() || !run.report.passed())
        return;
    std::error_code error;
    std::filesystem::remove(run.journal, error);
    run.journal.clear();
}

FinishedRun runOne(const LoadedScenario &loaded, const BatchOptions &options, const std::string &name)
{
    FinishedRun run;
    run.scenario = &loaded.scenario;
    run.live = options.live;
    run.journal = journalOf(options, name);
    const auto begin = std::chrono::steady_clock::now();
    try {
        run.report = options.run(loaded.scenario, {run.journal, &interrupted()});
    } catch (const std::bad_alloc &) {
        run.report = {};
        run.report.error = loaded.scenario.file + ": out of memory, the run was stopped";
    } catch (const std::exception &error) {
        run.report = {};
        run.report.error = fmt::format("{}: {}, the run was stopped", loaded.scenario.file, error.what());
    }
    run.wall = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    const bool expects = !loaded.scenario.expectations.empty() || !loaded.scenario.decisions.empty();
    if (options.requireExpectations && !expects)
        run.report.judged.push_back({"expect", false, "at least one expectation", "none", {1, 1}, {}, 0, {}});
    if (!options.artifacts.empty() && !run.report.passed() && run.report.error.empty() && !run.report.interrupted) {
        const std::filesystem::path folder{options.artifacts};
        if (!options.live) {
            run.journal = (folder / (name + ".jsonl")).string();
            run.report.error = runScenario(loaded.scenario, {run.journal, &interrupted()}).error;
        }
        writeStory(run, folder / (name + ".txt"));
    }
    dropArtifact(options, run);
    return run;
}

/// Names that differ even where two files in different folders are called the same.
std::vector<std::string> uniqueNames(const std::vector<LoadedScenario> &scenarios)
{
    std::vector<std::string> names;
    std::map<std::string, int> seen;
    for (const LoadedScenario &loaded : scenarios) {
        const std::string name = shortName(loaded.scenario);
        const int count = ++seen[name];
        names.push_back(count == 1 ? name : fmt::format("{}-{}", name, count));
    }
    return names;
}

} // namespace

std::string shortName(const Scenario &scenario)
{
    return std::filesystem::path{scenario.file}.stem().string();
}

std::vector<FinishedRun> runBatch(
    const std::vector<LoadedScenario> &scenarios, const BatchOptions &options, const std::function<void(const FinishedRun &)> &onFinished)
{
    const InterruptFlag guard;
    const Progress progress{scenarios.size()};
    const std::vector<std::string> names = uniqueNames(scenarios);
    std::vector<std::optional<FinishedRun>> finished(scenarios.size());
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<std::size_t> next{0};
    std::size_t workersLeft = std::min<std::size_t>(static_cast<std::size_t>(options.jobs), scenarios.size());
    const auto work = [&] {
        for (std::size_t i = next++; i < scenarios.size() && !interrupted().load(); i = next++) {
            FinishedRun run = runOne(scenarios[i], options, names[i]);
            const std::lock_guard lock{mutex};
            finished[i] = std::move(run);
            changed.notify_all();
        }
        const std::lock_guard lock{mutex};
        --workersLeft;
        changed.notify_all();
    };
    std::vector<std::thread> workers;
    for (std::size_t i = 0, count = workersLeft; i < count; ++i)
        workers.emplace_back(work);

    std::vector<FinishedRun> runs;
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        std::unique_lock lock{mutex};
        changed.wait(lock, [&] { return finished[i].has_value() || workersLeft == 0; });
        if (!finished[i])
            break; // interrupted before it was begun
        runs.push_back(std::move(*finished[i]));
        lock.unlock();
        progress.clear();
        onFinished(runs.back());
        progress.done(runs.size());
    }
    for (std::thread &worker : workers)
        worker.join();
    progress.clear();
    return runs;
}

} // namespace throttlescope::cli
