// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/fetch/acknowledged.h"
#include "app/cli/fetch/fetcher.h"
#include "app/cli/fetch/policy_choice.h"
#include "app/cli/fetch/progress.h"
#include "app/cli/fetch/report.h"
#include "app/cli/fetch/trust.h"
#include "app/cli/fetch_arguments.h"
#include "app/cli/fetch_paths.h"
#include "app/cli/interrupts.h"
#include "core/engine/words.h"
#include "simulator/scenario/policy_text.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QTimer>
#include <fmt/format.h>

namespace throttlescope::cli {

namespace {

using namespace throttlescope::fetch;

/// What the arguments open. Whatever is wrong shows before the first request.
struct Opened {
    Worklist worklist;
    std::string fingerprint; ///< of the worklist
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
    opened.fingerprint = fetch::fingerprint(opened.worklist.items);
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

/// The order of asking. A dry run only reads the checkpoint.
OrProblem<Plan> openPlan(const FetchArguments &arguments, Opened &opened, std::uint64_t seed)
{
    std::map<std::string, Settled> read;
    const std::map<std::string, Settled> *settled = &read;
    if (!arguments.checkpoint.empty() && arguments.dryRun) {
        auto known = Checkpoint::read(arguments.checkpoint, opened.fingerprint);
        if (!known)
            return tl::unexpected(known.error());
        read = std::move(*known);
    } else if (!arguments.checkpoint.empty()) {
        auto checkpoint = Checkpoint::open(arguments.checkpoint, opened.fingerprint);
        if (!checkpoint)
            return tl::unexpected(checkpoint.error());
        opened.checkpoint = std::move(*checkpoint);
        settled = &opened.checkpoint->settled();
    }
    return makePlan(opened.worklist.items, *settled, arguments.unsettledOnly, seed);
}

/// The journal comes last: it is emptied.
OrProblem<void> openOutputs(const FetchArguments &arguments, Opened &opened)
{
    const Redactor secrets{secretsIn(opened.credentials.headers, opened.worklist.items)};
    if (!arguments.out.empty()) {
        auto output = OutputFolder::open(arguments.out, secrets);
        if (!output)
            return tl::unexpected(output.error());
        opened.output = std::move(*output);
    }
    auto journal = RunJournal::open(arguments.journal, secrets);
    if (!journal)
        return tl::unexpected(journal.error());
    opened.journal = std::move(*journal);
    return {};
}

/// Takes what was opened.
FetchSetup setupOf(const FetchArguments &arguments, Opened &opened, Plan plan, std::uint64_t seed)
{
    FetchSetup setup;
    setup.items = std::move(opened.worklist.items);
    setup.plan = std::move(plan);
    setup.concurrency = arguments.concurrency;
    setup.maxRequests = arguments.maxRequests;
    setup.credentials = std::move(opened.credentials.headers);
    setup.acknowledged = std::move(opened.acknowledged);
    setup.policy = opened.policy;
    setup.client.run = {QFileInfo{QString::fromStdString(arguments.worklist)}.fileName().toStdString(), std::move(opened.fingerprint),
        policiesJson({{opened.policy->name, opened.policy}})};
    setup.client.seed = seed;
    setup.client.tls = std::move(opened.tls);
    setup.client.largestBody = arguments.maxBody;
    setup.journal = opened.journal;
    setup.checkpoint = opened.checkpoint.get();
    setup.output = opened.output ? &*opened.output : nullptr;
    return setup;
}

/// Runs the event loop until the fetcher is done.
void runToEnd(Fetcher &fetcher, std::size_t total)
{
    ProgressLine progress{total};
    Interrupts interrupts;
    QObject::connect(&interrupts, &Interrupts::interrupted, &fetcher, &Fetcher::interrupt);
    const auto show = [&] { progress.show(fetcher.reports().size(), fetcher.unchecked()); };
    QObject::connect(&fetcher, &Fetcher::progressed, &interrupts, show);
    QTimer redraw;
    QObject::connect(&redraw, &QTimer::timeout, &interrupts, show);
    redraw.start(1s);
    QObject::connect(&fetcher, &Fetcher::finished, qApp, &QCoreApplication::quit, Qt::QueuedConnection);
    fetcher.start();
    QCoreApplication::exec();
}

/// Time in the pacer's queue counts in total_timeout: what cannot be in time must not be handed over.
OrProblem<void> checkPacing(const FetchArguments &arguments, const Opened &opened, const Plan &plan)
{
    const auto &limit = opened.policy->totalTimeout;
    const auto starts = pacedStarts(opened.worklist.items, plan.order, *opened.policy, arguments.concurrency);
    const std::size_t asked = std::min<std::uint64_t>(starts.size(), arguments.maxRequests.value_or(UINT64_MAX)); // at most
    for (std::size_t i = 0; limit && i < asked; ++i) {
        const Duration queued = starts[i].start - starts[i].handedOver;
        if (queued > *limit)
            return usage(fmt::format("--concurrency {}: the pacing lets item {} go after {}, expected no more than the policy's "
                                     "total_timeout of {}: fewer at a time, or a longer total_timeout",
                arguments.concurrency, i + 1, durationText(queued), durationText(*limit)));
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

int showPlan(const FetchArguments &arguments, const Opened &opened, Plan plan, RunFacts facts)
{
    const std::vector<Item> &items = opened.worklist.items;
    if (arguments.maxRequests)
        facts.leftOut = cutTo(*arguments.maxRequests, items, plan);
    const auto print = arguments.json ? planJson : planText;
    fmt::print("{}", print(items, plan, pacedStarts(items, plan.order, *opened.policy, arguments.concurrency), *opened.policy, facts));
    return facts.skippedLines > 0 ? kFailed : kPassed;
}

int run(const FetchArguments &arguments, Opened &opened, Plan plan, RunFacts facts)
{
    if (auto done = openOutputs(arguments, opened); !done)
        return exitCodeOf(done.error());
    const std::size_t total = plan.order.size();
    Fetcher fetcher{setupOf(arguments, opened, std::move(plan), facts.seed)};
    runToEnd(fetcher, total);
    facts.requests = fetcher.requests();
    facts.interrupted = fetcher.interrupted();
    const auto print = arguments.json ? reportJson : reportTable;
    fmt::print("{}", print(fetcher.items(), fetcher.reports(), facts));
    return verdict(fetcher, facts);
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
    if (auto done = readInputs(arguments, opened); !done)
        return exitCodeOf(done.error());
    if (!pathsApart(arguments, opened.worklist.items))
        return kUsage;
    const std::uint64_t seed = arguments.seed.value_or(QRandomGenerator::system()->generate64() >> 1); // what --seed takes
    auto plan = openPlan(arguments, opened, seed);
    if (!plan)
        return exitCodeOf(plan.error());
    if (auto good = checkPacing(arguments, opened, *plan); !good)
        return exitCodeOf(good.error());
    RunFacts facts;
    facts.settledBefore = arguments.unsettledOnly ? plan->settledBefore : 0;
    facts.skippedLines = opened.worklist.skipped.size();
    facts.seed = seed;
    return arguments.dryRun ? showPlan(arguments, opened, std::move(*plan), facts) : run(arguments, opened, std::move(*plan), facts);
}

} // namespace

void addFetchCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<FetchArguments>();
    CLI::App *command = app.add_subcommand("fetch", "Fetch a list of URLs politely, and go on where an earlier fetch ended");
    addFetchOptions(*command, *arguments);
    command->footer("Exit codes: 0 all settled, 1 some unchecked or lines skipped, 2 usage, 3 it could not run, 130 interrupted.\n"
                    "Example: throttlescope fetch urls.txt --checkpoint urls.db --unsettled-only --out pages/\n"
                    "         throttlescope fetch urls.txt --policy saia --set max_wait=30s --dry-run");
    command->callback([arguments, &exitCode] { exitCode = fetch(*arguments); });
}

} // namespace throttlescope::cli
