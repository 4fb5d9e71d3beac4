// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/run_batch.h"
#include "app/cli/run_output.h"
#include "app/cli/scenario_files.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
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
    const auto scenarios = loadAll(files, arguments.load);
    if (scenarios.empty())
        return kUsage;
    if (!prepareOutputs(arguments, scenarios.size()))
        return kCouldNotRun;
    const LinePrinter printer{scenarios};
    const auto runs = runBatch(scenarios, arguments.batch, [&](const FinishedRun &finished) {
        if (!arguments.json)
            printer.print(finished);
        if (arguments.annotations == "github")
            printAnnotations(finished);
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
    CLI::App *command = app.add_subcommand("run", "Run scenarios in virtual time and judge their expectations");
    command->add_option("files", arguments->files, "Scenario files, folders (searched recursively) or globs")->required();
    command->add_option("--jobs,-j", arguments->batch.jobs, "Scenarios at a time")->check(CLI::Range(1, 1024))->capture_default_str();
    command->add_option("--seed", arguments->load.seed, "Instead of the scenario's own")->check(CLI::NonNegativeNumber);
    command->add_option("--set", arguments->load.set, "PATH=VALUE, over everything else: policies.batch.rate_limit.max_wait=30s")
        ->allow_extra_args(false);
    command->add_option("--journal", arguments->batch.journal, "Write the journal to this file, or one a scenario into this folder");
    command->add_option("--junit", arguments->junit, "Write a JUnit report, one testcase an expectation");
    command->add_flag("--json", arguments->json, "Print metrics and verdicts as JSON");
    command->add_option("--annotations", arguments->annotations, "Print annotations for a CI service")->check(CLI::IsMember({"github"}));
    command->add_option(
        "--artifacts", arguments->batch.artifacts, "For each failure, write its journal and the story of its first excess here");
    command->add_flag("--require-expectations", arguments->batch.requireExpectations, "A scenario that expects nothing fails");
    command->footer("Example: throttlescope run scenarios/ --jobs 2 --junit report.xml\n         throttlescope run "
                    "scenarios/minute-window.yaml --set policies.batch.rate_limit.max_wait=30s --json");
    command->callback([arguments, &exitCode] { exitCode = run(*arguments); });
}

} // namespace throttlescope::cli
