// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/option_checks.h"
#include "app/cli/scenario_files.h"
#include "core/engine/words.h"
#include "core/journal/event_reader.h"
#include "core/journal/json_line.h"
#include "simulator/run/story.h"
#include "simulator/scenario/presets.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

/// The commands that read and explain, and run nothing: check, explain, why, presets.
namespace throttlescope::cli {

namespace {

int check(const std::vector<std::string> &arguments, const LoadOptions &options)
{
    const auto files = findScenarios(arguments);
    const auto scenarios = files.empty() ? std::vector<LoadedScenario>{} : loadAll(files, options);
    if (scenarios.empty())
        return kUsage;
    for (const LoadedScenario &loaded : scenarios) {
        const Scenario &scenario = loaded.scenario;
        fmt::print("ok    {}   {} server{}, {} workload row{}, {} expectation{}\n", scenario.file, scenario.servers.size(),
            scenario.servers.size() == 1 ? "" : "s", scenario.workload.size(), scenario.workload.size() == 1 ? "" : "s",
            scenario.expectations.size() + scenario.decisions.size(),
            scenario.expectations.size() + scenario.decisions.size() == 1 ? "" : "s");
    }
    return kPassed;
}

void explainTimeline(const Scenario &scenario)
{
    std::string start;
    journal::appendRfc3339(start, scenario.start);
    fmt::print("\ntimeline\n  {:<10} t = 0, {}\n", "0s", start);
    std::vector<const TimelineEntry *> entries;
    for (const TimelineEntry &entry : scenario.timeline)
        entries.push_back(&entry);
    std::stable_sort(entries.begin(), entries.end(), [](const auto *a, const auto *b) { return a->at < b->at; });
    for (const TimelineEntry *entry : entries) {
        std::string faults;
        for (const FaultShare &fault : entry->faults) {
            static constexpr std::array<std::string_view, 6> kinds{"", "reset", "timeout", "truncate", "slow", "refuse"};
            const std::string name
                = fault.kind == FaultKind::Status ? std::to_string(fault.status) : std::string{kinds[static_cast<std::size_t>(fault.kind)]};
            faults += fmt::format(" {} {}", name, percentText(fault.share));
        }
        fmt::print("  {:<10} {}{}{}{}\n", durationText(entry->at), entry->label, entry->span ? " for " + durationText(*entry->span) : "",
            entry->server.empty() ? "" : " on " + entry->server, faults);
    }
    if (scenario.stopAfter)
        fmt::print("  {:<10} nothing starts from here on\n", durationText(*scenario.stopAfter));
}

void explainOne(const LoadedScenario &loaded)
{
    const Scenario &scenario = loaded.scenario;
    fmt::print("{}\n{}{}", scenario.name, scenario.summary, scenario.summary.empty() ? "" : "\n");
    explainTimeline(scenario);
    for (const auto &[name, fields] : loaded.provenance) {
        fmt::print("\npolicy {}\n", name);
        for (const ResolvedField &field : fields)
            fmt::print("  {:<34} {:<28} {}\n", field.path, field.value, field.origin);
    }
    fmt::print("\nreplay\n");
    for (const WorkloadRow &row : scenario.workload)
        fmt::print("  {:<20} {:<8} {:<8} because of: {}\n", row.operation, row.method.empty() ? "-" : row.method, word(row.replay.rule),
            row.replay.because);
}

int explain(const std::vector<std::string> &arguments, const LoadOptions &options)
{
    const auto files = findScenarios(arguments);
    const auto scenarios = files.empty() ? std::vector<LoadedScenario>{} : loadAll(files, options);
    for (const LoadedScenario &loaded : scenarios) {
        fmt::print("{}{}\n", &loaded == &scenarios.front() ? "" : "\n", loaded.scenario.file);
        explainOne(loaded);
    }
    return scenarios.empty() ? kUsage : kPassed;
}

int why(const std::string &file, std::uint64_t op)
{
    std::ifstream opened;
    if (file != "-") {
        std::error_code error;
        opened.open(file);
        if (!opened || std::filesystem::is_directory(file, error)) {
            fmt::print(stderr, "throttlescope: {} cannot be read, expected a journal\n", file);
            return kUsage;
        }
    }
    Story story{op};
    std::uint64_t last = 0;
    journal::EventReader reader;
    const auto outcome = reader.readAll(file == "-" ? std::cin : opened, [&](const journal::Event &event) {
        story.accept(event);
        last = std::max(last, event.op);
    });
    if (outcome.brokenLine > 0) {
        fmt::print(stderr, "{}:{}:1: {}\n", file, outcome.brokenLine, outcome.error);
        return kUsage;
    }
    if (!story.found()) {
        fmt::print(stderr, "throttlescope: {} has no operation {}, expected {}\n", file, op,
            last == 0 ? "a journal with operations" : fmt::format("1 to {}", last));
        return kUsage;
    }
    fmt::print("{}", story.text());
    if (outcome.cutLastLine)
        fmt::print(stderr, "throttlescope: the last line of {} is cut, it was left out\n", file);
    return kPassed;
}

int listPresets(const std::string &wanted)
{
    bool any = false;
    for (const Preset &preset : presets()) {
        if (!wanted.empty() && preset.name != wanted)
            continue;
        any = true;
        fmt::print("{}\n  # {}\n", preset.name, preset.source);
        for (const Node::Entry &entry : presetNode(preset).entries)
            fmt::print("  {}: {}\n", entry.key, flowText(entry.value));
    }
    if (any)
        return kPassed;
    std::vector<std::string> names;
    for (const Preset &preset : presets())
        names.emplace_back(preset.name);
    fmt::print(stderr, "throttlescope: unknown preset '{}'{}\n", wanted, suggestion(wanted, names));
    return kUsage;
}

struct FileArguments {
    std::vector<std::string> files;
    LoadOptions load;
};

CLI::App *addFileCommand(CLI::App &app, const std::string &name, const std::string &description, FileArguments &arguments)
{
    CLI::App *command = app.add_subcommand(name, description);
    command->add_option("files", arguments.files, "Scenario files, folders (searched recursively) or globs")->required();
    command->add_option("--set", arguments.load.set, "PATH=VALUE, over everything else")->allow_extra_args(false);
    return command;
}

} // namespace

void addCheckCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<FileArguments>();
    CLI::App *command = addFileCommand(app, "check", "Say what is wrong with scenario files, and run nothing", *arguments);
    auto schema = std::make_shared<bool>(false);
    auto reference = std::make_shared<bool>(false);
    command->add_flag("--schema", *schema, "Print the JSON Schema of scenario files instead");
    command->add_flag("--reference", *reference, "Print the reference of all keys instead");
    command->get_option("files")->required(false);
    command->footer("Example: throttlescope check scenarios/");
    command->callback([arguments, schema, reference, &exitCode] {
        if (*schema || *reference) {
            fmt::print("{}", *schema ? scenarioSchema() : fieldReference());
            exitCode = kPassed;
        } else if (arguments->files.empty()) {
            fmt::print(stderr, "throttlescope: check needs scenario files\n");
            exitCode = kUsage;
        } else {
            exitCode = check(arguments->files, arguments->load);
        }
    });
}

void addExplainCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<FileArguments>();
    CLI::App *command = addFileCommand(
        app, "explain", "Show the resolved timeline, policies with the origin of each value, and replay rules", *arguments);
    command->footer("Example: throttlescope explain scenarios/minute-window.yaml --set policies.batch.max_attempts=3");
    command->callback([arguments, &exitCode] { exitCode = explain(arguments->files, arguments->load); });
}

void addWhyCommand(CLI::App &app, int &exitCode)
{
    struct Arguments {
        std::string journal;
        std::uint64_t op = 0;
    };
    auto arguments = std::make_shared<Arguments>();
    CLI::App *command = app.add_subcommand("why", "Tell the story of one operation from a journal, and what would have changed it");
    command->add_option("journal", arguments->journal, "A journal file, or - for standard input")->required();
    command->add_option("op", arguments->op, "The operation's number")->required()->check(wholeNumber(1));
    command->footer("Example: throttlescope run scenarios/minute-window.yaml --journal out.jsonl && throttlescope why out.jsonl 31");
    command->callback([arguments, &exitCode] { exitCode = why(arguments->journal, arguments->op); });
}

void addPresetsCommand(CLI::App &app, int &exitCode)
{
    auto name = std::make_shared<std::string>();
    CLI::App *command = app.add_subcommand("presets", "Print the presets with their sources");
    command->add_option("name", *name, "Only this one");
    command->footer("Example: throttlescope presets saia");
    command->callback([name, &exitCode] { exitCode = listPresets(*name); });
}

} // namespace throttlescope::cli
