// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace throttlescope::cli {

void addServeCommand(CLI::App &app, int &exitCode)
{
    CLI::App *command = app.add_subcommand("serve", "Not in this build: it was made without Qt 6 Network, Boost or OpenSSL");
    command->prefix_command();
    command->callback([&exitCode] {
        fmt::print(stderr, "throttlescope: this build has no serve, it was made without Qt 6 Network, Boost or OpenSSL\n");
        exitCode = kCouldNotRun;
    });
}

} // namespace throttlescope::cli
