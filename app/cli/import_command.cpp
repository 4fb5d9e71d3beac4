// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/import_files.h"
#include "app/cli/import_output.h"
#include "app/cli/interrupt_flag.h"
#include "app/cli/option_checks.h"
#include "app/cli/output_paths.h"
#include "app/cli/scratch_folder.h"
#include "simulator/incident/finding_words.h"
#include "simulator/incident/incident_scenario.h"
#include "simulator/scenario/loader.h"
#include "simulator/scenario/problems.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

struct ImportArguments {
    std::vector<std::string> files;
    std::string format;
    std::vector<std::string> fields;
    std::string timeZone;
    std::string since;
    std::string until;
    std::string correlate;
    std::string name;
    std::string out;
    bool verify = false;
    bool json = false;
};

int wrongImport(const std::string &what, int code = kUsage)
{
    fmt::print(stderr, "throttlescope: {}\n", what);
    return code;
}

int interruptedNow(std::string_view what)
{
    return wrongImport(fmt::format("interrupted, {}", what), kInterrupted);
}

/// How many lines were read, now and then, where somebody looks.
class ReadProgress {
public:
    bool goOn()
    {
        m_requests += kAskedEvery;
        const auto now = std::chrono::steady_clock::now();
        if (m_shows && now - m_last > std::chrono::milliseconds{200}) {
            m_last = now;
            fmt::print(stderr, "\r\x1b[K{} requests read", incident::grouped(m_requests));
        }
        return !interrupted();
    }
    void say(std::string_view what) const
    {
        if (m_shows)
            fmt::print(stderr, "\r\x1b[K{}", what);
    }
    void clear() const { say(""); }

private:
    static constexpr std::uint64_t kAskedEvery = 4096; ///< of readLogs()

    const bool m_shows = isatty(STDERR_FILENO) != 0;
    std::uint64_t m_requests = 0;
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

using Options = tl::expected<incident::LogReadOptions, std::string>;

tl::expected<void, std::string> setFormat(incident::LogReadOptions &options, const std::string &format)
{
    if (format.empty())
        return {};
    if (format.find('$') != std::string::npos) {
        options.stream.format = incident::FormatChoice{incident::LogFormat::NginxLogFormat, false};
        options.stream.reader.logFormat = format;
        return {};
    }
    const auto named = incident::formatNamed(format);
    if (!named)
        return tl::unexpected("--format " + named.error());
    options.stream.format = *named;
    return {};
}

Options readOptions(const ImportArguments &arguments)
{
    incident::LogReadOptions options;
    if (const auto set = setFormat(options, arguments.format); !set)
        return tl::unexpected(set.error());
    for (const std::string &field : arguments.fields) {
        const auto mapping = incident::fieldMapping(field);
        if (!mapping)
            return tl::unexpected("--field " + mapping.error());
        options.stream.reader.fields.push_back(*mapping);
    }
    if (!arguments.timeZone.empty()) {
        const auto zone = incident::LogTimeZone::named(arguments.timeZone);
        if (!zone)
            return tl::unexpected("--time-zone " + zone.error());
        options.stream.reader.zone = *zone;
        options.zoneNamed = true;
    }
    constexpr std::string_view header = "header:";
    if (!arguments.correlate.empty()) {
        if (!arguments.correlate.starts_with(header) || arguments.correlate.size() == header.size())
            return tl::unexpected(
                fmt::format("--correlate '{}', expected header:NAME such as header:X-Request-Id", shown(arguments.correlate)));
        std::string &name = options.stream.reader.correlate;
        name = arguments.correlate.substr(header.size());
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    }
    options.since = arguments.since;
    options.until = arguments.until;
    options.stream.stop = &interrupted();
    return options;
}

/// Where scenario and traces go. Without -o a replay needs a place as well.
struct Places {
    std::filesystem::path scenario;

    /// "incident.csv", "incident-2.csv" for the clients of the second behaviour.
    std::filesystem::path trace(std::size_t kind) const
    {
        const std::string number = kind == 0 ? "" : fmt::format("-{}", kind + 1);
        return scenario.parent_path() / (scenario.stem().string() + number + ".csv");
    }
};

std::optional<Places> placesOf(const std::filesystem::path &out)
{
    const auto extension = out.extension();
    return extension == ".yaml" || extension == ".yml" ? std::optional{Places{out}} : std::nullopt;
}

bool isApart(const ImportArguments &arguments, const Places &places)
{
    std::vector<std::string> outputs{places.scenario.string()};
    for (std::size_t kind = 0; kind < incident::Behaviours::kMost; ++kind)
        outputs.push_back(places.trace(kind).string());
    return std::all_of(arguments.files.begin(), arguments.files.end(), [&outputs](const std::string &file) {
        return std::all_of(outputs.begin(), outputs.end(), [&file](const std::string &output) { return keptApart(output, file, "a log"); });
    });
}

/// All of the files, or none. An exit code where something is wrong.
int writeScenario(const ImportArguments &arguments, const Places &places, ImportReport &report)
{
    std::vector<std::unique_ptr<WholeFile>> files;
    incident::ScenarioNames names{arguments.name, {}};
    for (std::size_t kind = 0; kind < report.behaviours.kinds.size(); ++kind) {
        files.push_back(std::make_unique<WholeFile>(places.trace(kind)));
        names.traces.push_back(places.trace(kind).filename().string());
        report.traceFiles.push_back(places.trace(kind).string());
    }
    const auto written = incident::TraceWriter::write(*report.incident, report.plan, report.behaviours,
        [&files](std::size_t kind, std::string_view text) { return !interrupted() && files[kind]->write(text); });
    if (interrupted())
        return interruptedNow("nothing was written");
    for (const auto &file : files) {
        if (!file->close())
            return wrongImport(file->problem(), kCouldNotRun);
    }
    if (!written)
        return wrongImport(written.error(), kCouldNotRun);
    report.trace = *written;
    const incident::ScenarioText text = incident::scenarioOf(*report.incident, report.plan, report.behaviours, report.trace, names);
    report.assumed = text.assumed;
    files.push_back(std::make_unique<WholeFile>(places.scenario));
    files.back()->write(text.yaml);
    files.back()->close();
    for (const auto &file : files) { // the scenario last: it names the others
        if (!file->put())
            return wrongImport(file->problem(), kCouldNotRun);
    }
    return kPassed;
}

int verify(const Places &places, ImportReport &report, const ReadProgress &progress)
{
    const auto loaded = loadScenario(places.scenario);
    if (!loaded) {
        for (const LoadError &error : loaded.error())
            fmt::print(stderr, "{}\n", error.format());
        return wrongImport("the scenario that was made does not load", kCouldNotRun);
    }
    progress.say("replaying");
    const incident::ReplayCheck check = incident::replay(loaded->scenario, report.trace, &interrupted());
    progress.clear();
    if (check.interrupted)
        return interruptedNow("the replay was not judged");
    if (!check.failure.empty())
        return wrongImport(check.failure, kCouldNotRun);
    report.check = check;
    return kPassed;
}

/// Loud: a scenario that does not show the incident must not be taken for it.
int judge(const incident::ReplayCheck &check)
{
    if (!check.isApartInAll() && !check.isApartInWorst())
        return kPassed;
    fmt::print(stderr,
        "throttlescope: THE REPLAY DOES NOT SHOW THE INCIDENT: more than 10 % apart {}. Look at what is ASSUMED in the scenario, "
        "the limit and the policy first.\n",
        check.isApartInAll() ? "in all" : "in the worst minute");
    return kFailed;
}

int report(const ImportArguments &arguments, incident::Incident &incident, ReadProgress &progress)
{
    ImportReport report;
    report.incident = &incident;
    report.zoneNamed = !arguments.timeZone.empty();
    progress.say("looking for the limit");
    auto limits = incident::findLimits(incident);
    progress.clear();
    if (!limits)
        return wrongImport(limits.error(), kCouldNotRun);
    report.limits = std::move(*limits);
    auto behaviours = incident::behavioursOf(incident, report.limits);
    if (!behaviours)
        return wrongImport(behaviours.error(), kCouldNotRun);
    report.behaviours = std::move(*behaviours);
    report.plan = incident::serverPlan(incident, report.limits);
    report.counts = refusalCounts(incident);
    std::optional<ScratchFolder> scratch;
    if (arguments.out.empty() && arguments.verify && !scratch.emplace().isThere())
        return kCouldNotRun;
    const auto places = placesOf(scratch ? scratch->file("incident.yaml") : arguments.out);
    if (places) {
        if (const int code = writeScenario(arguments, *places, report); code != kPassed)
            return code;
        if (!scratch)
            report.scenario = places->scenario.string();
        incident.records = incident::RecordStore{}; // a replay needs the room
        if (const int code = arguments.verify ? verify(*places, report, progress) : int{kPassed}; code != kPassed)
            return code;
    }
    fmt::print("{}", (arguments.json ? importJson : importText)(report));
    return report.check ? judge(*report.check) : int{kPassed};
}

int import(const ImportArguments &arguments)
{
    auto options = readOptions(arguments);
    if (!options)
        return wrongImport(options.error());
    if (!arguments.out.empty()) {
        const auto places = placesOf(arguments.out);
        if (!places)
            return wrongImport(fmt::format("-o {}: expected a scenario's name that ends in .yaml", shown(arguments.out)));
        if (!isApart(arguments, *places))
            return kUsage;
    }
    const InterruptFlag flag;
    ReadProgress progress;
    options->goOn = [&progress] { return progress.goOn(); };
    auto incident = incident::readIncident(arguments.files, *options);
    progress.clear();
    if (interrupted())
        return interruptedNow("nothing was written");
    if (!incident)
        return wrongImport(incident.error().text, incident.error().kind == incident::IncidentError::Kind::NoRoom ? kCouldNotRun : kUsage);
    if (incident->log.entries == 0) {
        fmt::print(stderr, "{}", readText(incident->log));
        return wrongImport(incident->log.outside > 0 ? "no request is in that span, expected --since and --until around some"
                                                     : "there is no request in it, expected a log of requests");
    }
    return report(arguments, *incident, progress);
}

} // namespace

void addImportCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<ImportArguments>();
    CLI::App *command = app.add_subcommand("import", "Turn the logs of an incident into a scenario that shows it");
    command->add_option("files", arguments->files, "Logs, also .gz and .zst, rotated ones in any order; - is the standard input")
        ->required();
    command
        ->add_option(
            "--format", arguments->format, "A format's name, or nginx's log_format as its configuration has it; else it is detected")
        ->check(pathGiven());
    command->add_option("--field", arguments->fields, "Of JSON Lines: time=ts, status=code, header.retry-after=ra, …")
        ->allow_extra_args(false);
    command->add_option(
        "--time-zone", arguments->timeZone, "Of logs that do not write theirs, and of --since and --until: +02:00, Europe/Berlin");
    command->add_option("--since", arguments->since, "From then on: 01:50, or RFC 3339");
    command->add_option("--until", arguments->until, "Up to then");
    command->add_option("--correlate", arguments->correlate, "header:NAME, the request header that attempts of one operation share");
    command->add_option("-o,--out", arguments->out, "Write the scenario here, its trace (.csv) beside it")->check(pathGiven());
    command->add_option("--name", arguments->name, "The scenario's name");
    command->add_flag(
        "--verify", arguments->verify, "Replay it and hold the refusals against those of the log; exit 1 if more than 10 % apart");
    command->add_flag("--json", arguments->json, "Print what was found as JSON");
    command->footer(
        "No address, query, cookie, credential or body gets into any output.\n"
        "Example: throttlescope import access.log.2.gz access.log.1 error.log --since 01:50 --until 02:40 -o incident.yaml --verify");
    command->callback([arguments, &exitCode] { exitCode = import(*arguments); });
}

} // namespace throttlescope::cli
