// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/fetch/opening.h"
#include "app/cli/fetch/policy_choice.h"
#include "app/cli/fetch/progress.h"
#include "app/cli/fetch/report.h"
#include "app/cli/fetch_arguments.h"
#include "app/cli/interrupts.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QTimer>
#include <fmt/format.h>

namespace throttlescope::cli {

namespace {

using namespace throttlescope::fetch;

int exitCodeOf(const Problem &problem)
{
    fmt::print(stderr, "throttlescope: {}\n", problem.text);
    switch (problem.kind) {
    case Problem::Kind::Usage: return kUsage;
    case Problem::Kind::CouldNotRun: return kCouldNotRun;
    }
    return kCouldNotRun;
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

int verdict(const Fetcher &fetcher, const RunFacts &facts)
{
    if (fetcher.problem())
        return exitCodeOf(*fetcher.problem());
    if (fetcher.interrupted())
        return kInterrupted;
    return fetcher.unchecked() > 0 || facts.skippedLines > 0 ? kFailed : kPassed;
}

int showPlan(const FetchArguments &arguments, OpenedFetch &opened, RunFacts facts)
{
    const std::vector<Item> &items = opened.worklist.items;
    Plan &plan = opened.plan;
    if (arguments.maxRequests)
        facts.leftOut = cutTo(*arguments.maxRequests, items, plan);
    const auto print = arguments.json ? planJson : planText;
    fmt::print("{}", print(items, plan, pacedStarts(items, plan.order, *opened.policy, arguments.concurrency), *opened.policy, facts));
    return facts.skippedLines > 0 ? kFailed : kPassed;
}

int run(const FetchArguments &arguments, OpenedFetch &opened, RunFacts facts)
{
    if (auto done = openOutputs(arguments, opened); !done)
        return exitCodeOf(done.error());
    const std::size_t total = opened.plan.order.size();
    Fetcher fetcher{setupOf(arguments, opened)};
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
        for (const LoadError &error : policy.error())
            fmt::print(stderr, "{}\n", error.format());
        return kUsage;
    }
    int count = 1;
    char name[] = "throttlescope";
    char *names[] = {name, nullptr};
    QCoreApplication application{count, names};
    auto opened = openFetch(arguments, std::move(*policy), [](const std::string &line) { fmt::print(stderr, "{}\n", line); });
    if (!opened)
        return exitCodeOf(opened.error());
    RunFacts facts;
    facts.settledBefore = arguments.unsettledOnly ? opened->plan.settledBefore : 0;
    facts.skippedLines = opened->worklist.skipped.size();
    facts.seed = opened->seed;
    return arguments.dryRun ? showPlan(arguments, *opened, facts) : run(arguments, *opened, facts);
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
