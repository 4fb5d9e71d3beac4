// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/compare_output.h"
#include "app/cli/dashboard_process.h"
#include "app/cli/interrupt_flag.h"
#include "app/cli/option_checks.h"
#include "app/cli/output_paths.h"
#include "app/cli/scenario_files.h"
#include "app/cli/scratch_folder.h"
#include "core/journal/event_reader.h"
#include "core/journal/tee.h"
#include "simulator/run/journal_file.h"
#include "simulator/run/simulation.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <optional>

namespace throttlescope::cli {

namespace {

struct CompareArguments {
    std::vector<std::string> files;
    std::vector<std::string> policies;
    LoadOptions load;
    std::vector<std::string> metrics;
    std::string report;
    bool decisions = false;
    bool json = false;
    bool csv = false;
    bool markdown = false;
};

/// All that is kept of a run's events.
class Watch final : public journal::EventSink {
public:
    Watch(std::string name, const CompareArguments &arguments)
        : m_decisions(arguments.decisions)
    {
        run.name = std::move(name);
    }
    void accept(const journal::Event &event) override
    {
        m_metrics.accept(event);
        run.fates.accept(event);
        if (m_decisions) // text for each step of each operation
            run.decisions.accept(event);
    }
    ComparedRun take()
    {
        run.metrics = m_metrics.total();
        return std::move(run);
    }

    ComparedRun run;

private:
    const bool m_decisions;
    journal::RunMetrics m_metrics;
};

/// The scenario as every row that starts operations would run under that policy.
std::optional<LoadedScenario> under(const std::string &policy, const Scenario &scenario, const CompareArguments &arguments)
{
    LoadOptions options = arguments.load;
    for (std::size_t row = 0; row < scenario.workload.size(); ++row) {
        if (!scenario.workload[row].onDemand)
            options.set.push_back(fmt::format("workload.{}.policy={}", row, policy));
    }
    auto loaded = loadAll({scenario.file}, options);
    return loaded.empty() ? std::nullopt : std::optional{std::move(loaded.front())};
}

/// Nothing: said on stderr, with the exit code.
using Runs = tl::expected<std::vector<ComparedRun>, int>;

std::string journalName(std::size_t number, std::string policy)
{
    std::replace(policy.begin(), policy.end(), '/', '-');
    return fmt::format("{}-{}.jsonl", number, policy);
}

Runs runPolicies(const CompareArguments &arguments, const std::optional<ScratchFolder> &scratch)
{
    const auto files = findScenarios(arguments.files);
    const auto scenarios = files.empty() ? std::vector<LoadedScenario>{} : loadAll(files, arguments.load);
    if (scenarios.empty())
        return tl::unexpected(int{kUsage});
    if (scenarios.size() > 1) {
        fmt::print(stderr, "throttlescope: --policy compares runs of one scenario, got {}\n", scenarios.size());
        return tl::unexpected(int{kUsage});
    }
    std::vector<ComparedRun> runs;
    for (const std::string &policy : arguments.policies) {
        const auto loaded = under(policy, scenarios.front().scenario, arguments);
        if (!loaded)
            return tl::unexpected(int{kUsage});
        Watch watch{policy, arguments};
        JournalFile file{scratch ? scratch->file(journalName(runs.size() + 1, policy)) : std::string{}};
        journal::Tee sink{watch, file.sink()};
        Simulation simulation{loaded->scenario, &sink};
        simulation.run(&interrupted());
        std::string problem = file.finish();
        problem = simulation.failure().empty() ? problem : simulation.failure();
        if (!problem.empty()) {
            fmt::print(stderr, "throttlescope: {}\n", problem);
            return tl::unexpected(int{kCouldNotRun});
        }
        if (interrupted()) {
            fmt::print(stderr, "throttlescope: interrupted at policy '{}', nothing is compared\n", policy);
            return tl::unexpected(int{kInterrupted});
        }
        runs.push_back(watch.take());
    }
    return runs;
}

Runs readJournals(const CompareArguments &arguments)
{
    std::vector<ComparedRun> runs;
    for (const std::string &name : arguments.files) {
        std::error_code error;
        std::ifstream file{name};
        if (!file || std::filesystem::is_directory(name, error)) {
            fmt::print(stderr, "throttlescope: {} cannot be read, expected a journal\n", name);
            return tl::unexpected(int{kUsage});
        }
        Watch watch{name, arguments};
        journal::EventReader reader;
        const auto outcome = reader.readAll(file, [&watch](const journal::Event &event) { watch.accept(event); });
        if (outcome.brokenLine > 0) {
            fmt::print(stderr, "{}:{}:1: {}{}\n", name, outcome.brokenLine, outcome.error,
                outcome.events == 0 ? "; a scenario is compared with itself by --policy A,B" : "");
            return tl::unexpected(int{kUsage});
        }
        if (outcome.events == 0) {
            fmt::print(stderr, "throttlescope: {} has no event, expected a journal\n", name);
            return tl::unexpected(int{kUsage});
        }
        if (outcome.cutLastLine)
            fmt::print(stderr, "throttlescope: the last line of {} is cut, it was left out\n", name);
        runs.push_back(watch.take());
    }
    return runs;
}

/// As `cmp` does: the first decision that differs, or nothing.
int printDecisions(const std::vector<ComparedRun> &runs)
{
    int code = kPassed;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        const auto difference = firstDifference(runs.front().decisions, runs[i].decisions);
        if (!difference) {
            fmt::print("{} and {}: the same decisions for {} operations\n", runs.front().name, runs[i].name,
                runs[i].decisions.operations().size());
            continue;
        }
        code = kFailed;
        fmt::print("{} and {} differ first at op {} ({}), decision {}\n  {}\n  {}\n", runs.front().name, runs[i].name, difference->op,
            difference->name, difference->step, difference->first, difference->second);
    }
    return code;
}

std::string output(const std::vector<ComparedRun> &runs, const CompareArguments &arguments)
{
    if (arguments.json)
        return comparisonJson(runs);
    return (arguments.csv ? comparisonCsv : arguments.markdown ? comparisonMarkdown : comparisonTable)(runs, arguments.metrics);
}

bool isSound(const CompareArguments &arguments)
{
    const bool byPolicy = !arguments.policies.empty();
    if (arguments.json + arguments.csv + arguments.markdown + arguments.decisions > 1)
        fmt::print(stderr, "throttlescope: --json, --csv, --markdown and --decisions are forms of output, expected one of them\n");
    else if (!arguments.metrics.empty() && (arguments.json || arguments.decisions))
        fmt::print(stderr, "throttlescope: --metric chooses lines of a table, --csv or --markdown; --json has every metric\n");
    else if (byPolicy ? arguments.policies.size() < 2 : arguments.files.size() < 2)
        fmt::print(stderr, "throttlescope: nothing to compare with, expected FILE --policy A,B or two journals\n");
    else if (!byPolicy && !(arguments.load.set.empty() && !arguments.load.seed))
        fmt::print(stderr, "throttlescope: --set and --seed change a scenario that is run with --policy, journals are as they are\n");
    else
        return true;
    return false;
}

int compare(const CompareArguments &arguments)
{
    if (!isSound(arguments))
        return kUsage;
    for (const std::string &file : arguments.files) {
        if (!keptApart(arguments.report, file, "what is compared"))
            return kUsage;
    }
    std::optional<InterruptFlag> flag;
    std::optional<ScratchFolder> scratch;
    if (!arguments.policies.empty())
        flag.emplace();
    if (!arguments.policies.empty() && !arguments.report.empty() && !scratch.emplace().isThere())
        return kCouldNotRun;
    const Runs runs = arguments.policies.empty() ? readJournals(arguments) : runPolicies(arguments, scratch);
    if (!runs)
        return runs.error();
    int code = kPassed;
    if (arguments.decisions)
        code = printDecisions(*runs);
    else
        fmt::print("{}", output(*runs, arguments));
    if (arguments.report.empty())
        return code;
    Drawing drawing;
    drawing.out = arguments.report;
    drawing.files = arguments.files;
    if (scratch) {
        drawing.files.clear();
        for (std::size_t i = 0; i < runs->size(); ++i)
            drawing.files.push_back(scratch->file(journalName(i + 1, (*runs)[i].name)));
    }
    const int drawn = draw(drawing);
    return drawn == kPassed ? code : drawn;
}

} // namespace

void addCompareCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<CompareArguments>();
    CLI::App *command = app.add_subcommand("compare", "Compare policies on the same faults, or journals with each other");
    command->add_option("files", arguments->files, "One scenario with --policy, or two and more journals")->required();
    command->add_option("--policy", arguments->policies, "A,B,…: the scenario with each in place of the policies of its rows")
        ->delimiter(',');
    command->add_option("--set", arguments->load.set, "PATH=VALUE, changes a value of the scenario")->allow_extra_args(false);
    command->add_option("--seed", arguments->load.seed, "Instead of the scenario's own")->check(wholeNumber(0));
    command->add_option("--metric", arguments->metrics, "A,B,…: these in place of the chief ones, by their paths in a scenario's expect")
        ->delimiter(',')
        ->check(metricGiven());
    command->add_flag("--decisions", arguments->decisions, "Name the first decision that differs; exit 1 if one does");
    command->add_flag("--json", arguments->json, "Print every metric and change as JSON");
    command->add_flag("--csv", arguments->csv, "Print every metric as CSV");
    command->add_flag("--markdown", arguments->markdown, "Print a table of Markdown, a line a run");
    command->add_option("--report", arguments->report, "Draw the runs into this page, too: .html, .pdf, .png or .svg")->check(pathGiven());
    command->footer("The same draws decide about faults and jitter in every run. Differences are to the first.\n"
                    "Example: throttlescope compare scenarios/minute-window.yaml --policy saia,none");
    command->callback([arguments, &exitCode] { exitCode = compare(*arguments); });
}

} // namespace throttlescope::cli
