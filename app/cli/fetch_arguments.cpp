// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch_arguments.h"

#include "app/cli/option_checks.h"

#include <CLI/CLI.hpp>

namespace throttlescope::cli {

namespace {

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
    command
        .add_option(
            "--max-requests", arguments.maxRequests, "Send no more than these, retries included; a HEAD is sent only where four are left")
        ->check(wholeNumber(0));
    command.add_option("--max-body", arguments.maxBody, "Give up a body, unpacked, that is longer: 512, 4kB, 1MiB; 16MiB unless given")
        ->transform(sizeGiven())
        ->type_name("SIZE");
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
    command.add_flag("--json", arguments.json, "Print every item's result, or the plan of a dry run, as JSON");
}

} // namespace

void addFetchOptions(CLI::App &command, FetchArguments &arguments)
{
    addSources(command, arguments);
    addCourse(command, arguments);
    addOutputs(command, arguments);
}

} // namespace throttlescope::cli
