// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

/// Stands in for fetch_command.cpp in a build without Qt's network and database.
namespace throttlescope::cli {

void addFetchCommand(CLI::App &app, int &exitCode)
{
    CLI::App *command = app.add_subcommand("fetch", "Not in this build: it was made without Qt 6 Network and Sql");
    command->allow_extras();
    command->callback([&exitCode] {
        fmt::print(stderr, "throttlescope: fetch is not in this build, expected one with Qt 6 Network and Sql (Debian: qt6-base-dev)\n");
        exitCode = kCouldNotRun;
    });
}

} // namespace throttlescope::cli
