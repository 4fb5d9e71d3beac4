// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "core/version.h"
#include "simulator/scenario/problems.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <string_view>
#include <unistd.h>

namespace {

std::vector<std::string> commandNames(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands({}))
        names.push_back(command->get_name());
    return names;
}

/// CLI11 repeats what it could not take. Beside `hint` stands whatever was copied from a response or a request: the error
/// names the option at most.
std::string withoutValues(const CLI::App &app, const CLI::Error &error)
{
    const std::string text = error.what();
    for (const CLI::App *command : app.get_subcommands()) {
        for (const CLI::Option *option : command->get_options()) {
            const std::string name = option->get_lnames().empty() ? std::string{} : "--" + option->get_lnames().front();
            if (!name.empty() && text.find(name) != std::string::npos)
                return fmt::format("{} does not take what is given to it, expected {}; see throttlescope hint --help", name,
                    option->get_expected_min() == 0 ? "no value" : option->get_type_name());
        }
    }
    return "an argument is not expected; a header line is written 'Name: value', see throttlescope hint --help";
}

/// Somebody who looks for an option such as curl's -H gives a credential with it: of `fetch`, no argument that was not taken
/// is repeated.
std::string failureText(std::string_view command, const CLI::App &app, const CLI::Error &error)
{
    if (command == "hint")
        return withoutValues(app, error);
    if (command == "fetch" && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
        return "an argument is not expected; headers and credentials come from --header-file, --bearer-env or the worklist, see "
               "throttlescope fetch --help";
    return error.what();
}

constexpr std::string_view kNoMemory = "throttlescope: out of memory\n";

/// Out of memory where nobody can catch it: in a destructor, or inside Qt. What is left to do needs none.
[[noreturn]] void endUncaught()
{
    try {
        if (std::current_exception())
            throw;
    } catch (const std::bad_alloc &) {
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kNoMemory.data(), kNoMemory.size());
        ::_exit(throttlescope::cli::kCouldNotRun);
    } catch (...) { // a fault of the program: the core shows where
    }
    std::abort();
}

} // namespace

int main(int argc, char **argv)
{
    std::set_terminate(endUncaught);
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
    addServeCommand(app, exitCode);
    addHintCommand(app, exitCode);
    addFetchCommand(app, exitCode);
    addCompareCommand(app, exitCode);
    addSweepCommand(app, exitCode);
    addImportCommand(app, exitCode);
    addReportCommand(app, exitCode);
    const std::vector<std::string> commands = commandNames(app);
    const std::string_view command = argc > 1 ? argv[1] : "-";
    app.failure_message([command](const CLI::App *parsed, const CLI::Error &error) {
        return fmt::format("throttlescope: {}\n", failureText(command, *parsed, error));
    });
    if (!command.empty() && command.front() != '-' && std::find(commands.begin(), commands.end(), command) == commands.end()) {
        fmt::print(
            stderr, "throttlescope: unknown command '{}'{}\n", throttlescope::shown(command), throttlescope::suggestion(command, commands));
        return kUsage;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (app.exit(error) != 0)
            return kUsage;
    } catch (const std::bad_alloc &) {
        std::fwrite(kNoMemory.data(), 1, kNoMemory.size(), stderr);
        return kCouldNotRun;
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
