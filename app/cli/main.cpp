// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "core/version.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fmt/format.h>

int main(int argc, char **argv)
{
    using namespace throttlescope::cli;
    CLI::App app{"Throttlescope: see what retries and rate limits do, before they do it to you.", "throttlescope"};
    app.set_version_flag("--version", std::string{throttlescope::version()});
    app.require_subcommand(1);
    app.footer("Exit codes: 0 passed, 1 an expectation failed, 2 usage, invalid file or nothing matched, 3 it could not run, 130 "
               "interrupted.\nExample: throttlescope run scenarios/");
    int exitCode = kPassed;
    addRunCommand(app, exitCode);
    addCheckCommand(app, exitCode);
    addExplainCommand(app, exitCode);
    addWhyCommand(app, exitCode);
    addPresetsCommand(app, exitCode);
    addFetchCommand(app, exitCode);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        const int code = app.exit(error);
        return code == 0 ? kPassed : kUsage;
    } catch (const std::exception &error) {
        fmt::print(stderr, "throttlescope: {}\n", error.what());
        return kCouldNotRun;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        fmt::print(stderr, "throttlescope: the output could not be written\n");
        return kCouldNotRun;
    }
    return exitCode;
}
