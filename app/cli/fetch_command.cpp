// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/fetch/acknowledged.h"
#include "app/cli/fetch/credentials.h"
#include "app/cli/fetch/fetcher.h"
#include "app/cli/fetch/policy_choice.h"
#include "app/cli/fetch/progress.h"
#include "app/cli/fetch/report.h"
#include "app/cli/fetch/trust.h"
#include "app/cli/interrupts.h"
#include "app/cli/option_checks.h"
#include "core/engine/words.h"
#include "simulator/scenario/policy_text.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QFileInfo>
#include <QRandomGenerator>
#include <filesystem>
#include <fmt/format.h>

namespace throttlescope::cli {

namespace {

using namespace throttlescope::fetch;

struct FetchArguments {
    std::string worklist;
    std::string policy = "provider";
    std::vector<std::string> set;
    std::size_t concurrency = 4;
    std::string checkpoint;
    bool unsettledOnly = false;
    std::string out;
    std::string journal;
    std::string acknowledged;
    std::optional<std::uint64_t> maxRequests;
    std::optional<std::uint64_t> seed;
    std::string caFile;
    CredentialSources credentials;
    bool dryRun = false;
    bool json = false;
};

/// What the arguments open. Whatever is wrong shows before the first request.
struct Opened {
    Worklist worklist;
    std::shared_ptr<const Policy> policy;
    Credentials credentials;
    std::set<std::string> acknowledged;
    std::optional<QSslConfiguration> tls;
    std::optional<OutputFolder> output;
    std::unique_ptr<Checkpoint> checkpoint;
    std::shared_ptr<RunJournal> journal;
};

void say(const std::vector<LoadError> &errors)
{
    for (const LoadError &error : errors)
        fmt::print(stderr, "{}\n", error.format());
}

int exitCodeOf(const Problem &problem)
{
    fmt::print(stderr, "throttlescope: {}\n", problem.text);
    switch (problem.kind) {
    case Problem::Kind::Usage: return kUsage;
    case Problem::Kind::CouldNotRun: return kCouldNotRun;
    }
    return kCouldNotRun;
}

/// What is read. Lines that are no items are named and go on without them.
OrProblem<void> readInputs(const FetchArguments &arguments, Opened &opened)
{
    auto worklist = readWorklist(arguments.worklist);
    if (!worklist)
        return tl::unexpected(worklist.error());
    opened.worklist = std::move(*worklist);
    say(opened.worklist.skipped);
    if (opened.worklist.items.empty() && opened.worklist.skipped.empty())
        return usage(fmt::format("{}: nothing to fetch, expected a URL or a JSON object a line", arguments.worklist));
    auto credentials = readCredentials(arguments.credentials, opened.worklist.items);
    if (!credentials)
        return tl::unexpected(credentials.error());
    opened.credentials = std::move(*credentials);
    for (const std::string &warning : opened.credentials.warnings)
        fmt::print(stderr, "throttlescope: {}\n", warning);
    if (!arguments.caFile.empty()) {
        auto tls = trusting(arguments.caFile);
        if (!tls)
            return tl::unexpected(tls.error());
        opened.tls = std::move(*tls);
    }
    if (arguments.acknowledged.empty())
        return {};
    auto acknowledged = readAcknowledged(arguments.acknowledged, opened.worklist.items);
    if (!acknowledged)
        return tl::unexpected(acknowledged.error());
    opened.acknowledged = std::move(acknowledged->ids);
    say(acknowledged->strangers);
    return {};
}

/// The journal is written from its beginning: it must not be one of the files that are read or kept.
OrProblem<void> checkJournal(const FetchArguments &arguments)
{
    const std::string &checkpoint = arguments.checkpoint; // SQLite keeps files beside it, which come and go
    for (const std::string &other : {arguments.worklist, checkpoint, checkpoint + "-journal", checkpoint + "-wal", checkpoint + "-shm",
             arguments.policy, arguments.acknowledged, arguments.caFile, arguments.credentials.headerFile}) {
        std::error_code error;
        if (arguments.journal == other || std::filesystem::equivalent(arguments.journal, other, error))
            return usage(fmt::format("--journal {}: would overwrite {}, expected a file of its own", arguments.journal, other));
    }
    return {};
}

/// What is written. A dry run makes none of it; a checkpoint that is there tells it what is settled.
OrProblem<void> openOutputs(const FetchArguments &arguments, Opened &opened)
{
    const Redactor secrets{secretsIn(opened.credentials.headers, opened.worklist.items)};
    if (!arguments.dryRun && !arguments.out.empty()) {
        auto output = OutputFolder::open(arguments.out, secrets);
        if (!output)
            return tl::unexpected(output.error());
        opened.output = std::move(*output);
    }
    const bool isThere = QFileInfo::exists(QString::fromStdString(arguments.checkpoint));
    if (!arguments.checkpoint.empty() && (isThere || !arguments.dryRun)) {
        auto checkpoint = Checkpoint::open(arguments.checkpoint, fingerprint(opened.worklist.items));
        if (!checkpoint)
            return tl::unexpected(checkpoint.error());
        opened.checkpoint = std::move(*checkpoint);
    }
    if (!arguments.dryRun && !arguments.journal.empty()) {
        if (auto good = checkJournal(arguments); !good)
            return good;
    }
    auto journal = RunJournal::open(arguments.dryRun ? std::string{} : arguments.journal, secrets);
    if (!journal)
        return tl::unexpected(journal.error());
    opened.journal = std::move(*journal);
    return {};
}

FetchSetup setupOf(const FetchArguments &arguments, Opened &opened, Plan plan, std::uint64_t seed)
{
    FetchSetup setup;
    setup.items = opened.worklist.items;
    setup.plan = std::move(plan);
    setup.concurrency = arguments.concurrency;
    setup.maxRequests = arguments.maxRequests;
    setup.credentials = opened.credentials.headers;
    setup.acknowledged = opened.acknowledged;
    setup.policy = opened.policy;
    setup.client.run = {QFileInfo{QString::fromStdString(arguments.worklist)}.fileName().toStdString(), fingerprint(setup.items),
        policiesJson({{opened.policy->name, opened.policy}})};
    setup.client.seed = seed;
    setup.client.tls = opened.tls;
    setup.journal = opened.journal;
    setup.checkpoint = opened.checkpoint.get();
    setup.output = opened.output ? &*opened.output : nullptr;
    return setup;
}

/// Runs the event loop until the fetcher is done.
void runToEnd(QCoreApplication &application, Fetcher &fetcher, std::size_t total)
{
    ProgressLine progress{total};
    Interrupts interrupts;
    QObject::connect(&interrupts, &Interrupts::interrupted, &fetcher, &Fetcher::interrupt);
    QObject::connect(&fetcher, &Fetcher::progressed, &application, [&] { progress.show(fetcher.reports().size(), fetcher.unchecked()); });
    QObject::connect(&fetcher, &Fetcher::finished, &application, &QCoreApplication::quit, Qt::QueuedConnection);
    fetcher.start();
    QCoreApplication::exec();
}

/// Time in the pacer's queue counts in total_timeout: what cannot be in time must not be handed over.
OrProblem<void> checkConcurrency(const FetchArguments &arguments, const Opened &opened, const Plan &plan)
{
    const auto &limit = opened.policy->totalTimeout;
    const std::vector<Duration> starts = pacedStarts(opened.worklist.items, plan.order, *opened.policy);
    const std::size_t together = std::min(arguments.concurrency, starts.size());
    for (std::size_t i = 0; limit && i < together; ++i) {
        if (starts[i] > *limit)
            return usage(fmt::format("--concurrency {}: the pacing lets item {} go after {}, expected no more at a time than go within the "
                                     "policy's total_timeout of {}",
                arguments.concurrency, i + 1, durationText(starts[i]), durationText(*limit)));
    }
    return {};
}

int verdict(const Fetcher &fetcher, const RunFacts &facts)
{
    if (fetcher.problem())
        return exitCodeOf(*fetcher.problem());
    if (fetcher.interrupted())
        return kInterrupted;
    return fetcher.unchecked() > 0 || facts.skippedLines > 0 ? kFailed : kPassed;
}

int fetch(const FetchArguments &arguments)
{
    auto policy = choosePolicy(arguments.policy, arguments.set);
    if (!policy) {
        say(policy.error());
        return kUsage;
    }
    int count = 1;
    char name[] = "throttlescope";
    char *names[] = {name, nullptr};
    QCoreApplication application{count, names};
    Opened opened;
    opened.policy = std::move(*policy);
    for (const auto step : {readInputs, openOutputs}) {
        if (auto done = step(arguments, opened); !done)
            return exitCodeOf(done.error());
    }
    const std::uint64_t seed = arguments.seed.value_or(QRandomGenerator::system()->generate64() >> 1); // what --seed takes
    const std::map<std::string, Settled> nothing;
    Plan plan = makePlan(opened.worklist.items, opened.checkpoint ? opened.checkpoint->settled() : nothing, arguments.unsettledOnly, seed);
    if (auto good = checkConcurrency(arguments, opened, plan); !good)
        return exitCodeOf(good.error());
    RunFacts facts{arguments.unsettledOnly ? plan.settledBefore : 0, opened.worklist.skipped.size(), 0, seed, false};
    if (arguments.dryRun) {
        fmt::print("{}", planText(opened.worklist.items, plan, *opened.policy, facts));
        return facts.skippedLines > 0 ? kFailed : kPassed;
    }
    const std::size_t total = plan.order.size();
    Fetcher fetcher{setupOf(arguments, opened, std::move(plan), seed)};
    runToEnd(application, fetcher, total);
    facts.requests = fetcher.requests();
    facts.interrupted = fetcher.interrupted();
    const auto print = arguments.json ? reportJson : reportTable;
    fmt::print("{}", print(opened.worklist.items, fetcher.reports(), facts));
    return verdict(fetcher, facts);
}

void addSources(CLI::App &command, FetchArguments &arguments)
{
    command
        .add_option(
            "worklist", arguments.worklist, "One URL a line, or JSON Lines {id, method, url, headers, body, class, idempotent, units}")
        ->required();
    command.add_option("--policy", arguments.policy, "A preset, or a YAML file of policy keys")->check(pathGiven())->capture_default_str();
    command.add_option("--set", arguments.set, "KEY=VALUE of the policy, over everything else: rate_limit.max_wait=30s")
        ->allow_extra_args(false);
    command.add_option("--acknowledged", arguments.acknowledged, "Ids whose changed or gone answer is known, one a line")
        ->check(pathGiven());
    command.add_option("--header-file", arguments.credentials.headerFile, "Send these headers, lines 'Name: value'; one origin only")
        ->check(pathGiven());
    command
        .add_option(
            "--bearer-env", arguments.credentials.bearerVariable, "Send the token that this environment variable holds; one origin only")
        ->check(pathGiven());
    command.add_option("--ca-file", arguments.caFile, "Trust these certificates (PEM), too")->check(pathGiven());
}

void addCourse(CLI::App &command, FetchArguments &arguments)
{
    command.add_option("--concurrency", arguments.concurrency, "Items under way at a time, their waits included")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_option("--max-requests", arguments.maxRequests, "Send no more than these, retries included")->check(wholeNumber(0));
    command.add_option("--seed", arguments.seed, "Of order and jitter, to repeat a run")->check(wholeNumber(0));
    command.add_flag("--dry-run", arguments.dryRun, "Print what would be asked, in order, and how long the pacing takes");
}

void addOutputs(CLI::App &command, FetchArguments &arguments)
{
    CLI::Option *checkpoint
        = command.add_option("--checkpoint", arguments.checkpoint, "Keep each settled answer in this file and go on from it")
              ->check(pathGiven());
    command.add_flag("--unsettled-only", arguments.unsettledOnly, "Leave out what the checkpoint has")->needs(checkpoint);
    command.add_option("--out", arguments.out, "Write a body and a meta file for each answer into this folder")->check(pathGiven());
    command.add_option("--journal", arguments.journal, "Write the journal to this file")->check(pathGiven());
    command.add_flag("--json", arguments.json, "Print every item's result as JSON");
}

} // namespace

void addFetchCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<FetchArguments>();
    CLI::App *command = app.add_subcommand("fetch", "Fetch a list of URLs politely, and go on where an earlier fetch ended");
    addSources(*command, *arguments);
    addCourse(*command, *arguments);
    addOutputs(*command, *arguments);
    command->footer("Exit codes: 0 all settled, 1 some unchecked or lines skipped, 2 usage, 3 it could not run, 130 interrupted.\n"
                    "Example: throttlescope fetch urls.txt --checkpoint urls.db --unsettled-only --out pages/\n"
                    "         throttlescope fetch urls.txt --policy saia --set max_wait=30s --dry-run");
    command->callback([arguments, &exitCode] { exitCode = fetch(*arguments); });
}

} // namespace throttlescope::cli
