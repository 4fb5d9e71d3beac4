// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/live_runs.h"
#include "app/cli/option_checks.h"
#include "app/cli/output_paths.h"
#include "app/cli/run_batch.h"
#include "app/cli/run_output.h"
#include "app/cli/scenario_files.h"
#include "simulator/scenario/text_values.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <optional>
#include <thread>

namespace throttlescope::cli {

namespace {

struct RunArguments {
    std::vector<std::string> files;
    LoadOptions load;
    BatchOptions batch;
    std::string junit;
    std::string annotations;
    bool json = false;
    LiveArguments live;
};

/// Every file that is to be written can be: before the first run, not after the last.
bool prepareOutputs(RunArguments &arguments, std::size_t scenarios)
{
    const auto folder = [](const std::string &path) {
        std::error_code error;
        std::filesystem::create_directories(path, error);
        if (error)
            fmt::print(stderr, "throttlescope: the folder {} cannot be made ({})\n", path, error.message());
        return !error;
    };
    BatchOptions &batch = arguments.batch;
    if (!batch.artifacts.empty() && !folder(batch.artifacts))
        return false;
    std::error_code error;
    batch.journalIsFolder
        = !batch.journal.empty() && (scenarios > 1 || batch.journal.back() == '/' || std::filesystem::is_directory(batch.journal, error));
    return !batch.journalIsFolder || folder(batch.journal);
}

int verdict(const std::vector<FinishedRun> &runs)
{
    int worst = kPassed;
    for (const FinishedRun &run : runs) {
        if (run.report.interrupted)
            return kInterrupted;
        if (!run.report.error.empty())
            worst = kCouldNotRun;
        else if (!run.report.passed() && worst == kPassed)
            worst = kFailed;
    }
    return worst;
}

int run(RunArguments &arguments)
{
    const auto files = findScenarios(arguments.files);
    if (files.empty())
        return kUsage;
    const bool annotate = arguments.annotations == "github";
    std::FILE *annotations = arguments.json ? stderr : stdout; // where they do not stand in the results
    if ((arguments.live.scale || arguments.live.tolerance) && !arguments.live.live) {
        fmt::print(stderr, "throttlescope: --time-scale and --tolerance go with --live: virtual time jumps, and is exact\n");
        return kUsage;
    }
    const auto scenarios = loadAll(files, arguments.load, [&](const LoadError &error) {
        if (annotate)
            printAnnotation(annotations, error.file, error.mark, error.text);
    });
    if (scenarios.empty() || !keptApart({{arguments.batch.journal, "the journal"}, {arguments.junit, "the JUnit report"}}, scenarios))
        return kUsage;
    if (arguments.live.live && !prepareLive(arguments.live, scenarios, arguments.batch))
        return kCouldNotRun;
    if (!prepareOutputs(arguments, scenarios.size()))
        return kCouldNotRun;
    const LinePrinter printer{scenarios};
    const auto runs = runBatch(scenarios, arguments.batch, [&](const FinishedRun &finished) {
        if (!arguments.json)
            printer.print(finished);
        if (annotate)
            printAnnotations(annotations, finished);
    });
    if (arguments.json)
        printJson(runs);
    else
        printer.summary(runs, scenarios.size());
    int code = verdict(runs);
    if (!arguments.junit.empty() && !writeJUnit(runs, arguments.junit))
        code = kCouldNotRun;
    return code;
}

} // namespace

void addRunCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<RunArguments>();
    CLI::App *command = app.add_subcommand("run", "Run scenarios, in virtual time or on real sockets, and judge their expectations");
    command->add_option("files", arguments->files, "Scenario files, folders (searched recursively) or globs")->required();
    command->add_option("--jobs,-j", arguments->batch.jobs, "Scenarios at a time")->check(wholeNumber(1, 1024))->capture_default_str();
    command->add_option("--seed", arguments->load.seed, "Instead of the scenario's own")->check(wholeNumber(0));
    command->add_option("--set", arguments->load.set, "PATH=VALUE, over everything else: policies.batch.rate_limit.max_wait=30s")
        ->allow_extra_args(false);
    command->add_option("--journal", arguments->batch.journal, "Write the journal to this file, or one a scenario into this folder")
        ->check(pathGiven());
    command->add_option("--junit", arguments->junit, "Write a JUnit report, one testcase an expectation")->check(pathGiven());
    command->add_flag("--live", arguments->live.live, "Through real sockets on the loopback, the workload sent by the real client");
    command->add_option("--time-scale", arguments->live.scale, "With --live: time runs N times faster at both ends (default 1)")
        ->check(wholeNumber(1, 1'000'000));
    command
        ->add_option_function<std::string>(
            "--tolerance", [arguments](const std::string &text) { arguments->live.tolerance = *parseDuration(text); },
            "With --live: real time by which durations may miss what is expected (default 100ms)")
        ->check(durationGiven());
    command->add_flag("--json", arguments->json, "Print metrics and verdicts as JSON");
    command->add_option("--annotations", arguments->annotations, "Print annotations for a CI service")->check(CLI::IsMember({"github"}));
    command
        ->add_option(
            "--artifacts", arguments->batch.artifacts, "For each failure, write its journal and the story of its first excess here")
        ->check(pathGiven());
    command->add_flag("--require-expectations", arguments->batch.requireExpectations, "A scenario that expects nothing fails");
    command->footer("Example: throttlescope run scenarios/ --jobs 2 --junit report.xml\n         throttlescope run "
                    "scenarios/minute-window.yaml --set policies.batch.rate_limit.max_wait=30s --json\n         throttlescope run "
                    "scenarios/minute-window.yaml --live --time-scale 20");
    command->callback([arguments, &exitCode] { exitCode = run(*arguments); });
}

} // namespace throttlescope::cli
