// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/option_checks.h"
#include "app/cli/output_paths.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace throttlescope::cli {

namespace {

constexpr const char *kDashboard = "throttlescope-dashboard";

struct ReportArguments {
    std::vector<std::string> files;
    std::vector<std::string> set;
    std::string out = "report.html";
    std::string theme = "light";
};

/// Beside this program, as it is installed; in the folder that it is built in; else wherever PATH has it.
std::string dashboard()
{
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    for (const auto &place : {self.parent_path() / kDashboard, self.parent_path().parent_path() / "dashboard" / kDashboard}) {
        if (!error && ::access(place.c_str(), X_OK) == 0 && !std::filesystem::is_directory(place, error))
            return place.string();
    }
    return kDashboard;
}

/// Becomes the renderer: its exit code, 0 to 3 as everywhere, is the command's. Returns where there is none.
int report(const ReportArguments &arguments)
{
    for (const std::string &file : arguments.files) {
        if (!keptApart(arguments.out, file, "what is reported"))
            return kUsage;
    }
    const std::string program = dashboard();
    std::vector<std::string> words{program, "--render", arguments.out, "--theme", arguments.theme};
    for (const std::string &each : arguments.set)
        words.insert(words.end(), {"--set", each});
    words.emplace_back("--");
    words.insert(words.end(), arguments.files.begin(), arguments.files.end());
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    std::fflush(nullptr);
    ::execvp(program.c_str(), argv.data());
    fmt::print(stderr, "throttlescope: report is drawn by {}, which cannot be started: {}\n", program, std::strerror(errno));
    return kCouldNotRun;
}

} // namespace

void addReportCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<ReportArguments>();
    CLI::App *command = app.add_subcommand("report", "Draw journals or scenarios into one page, without a display");
    command->add_option("files", arguments->files, "Journals (.jsonl) or scenarios (.yaml)")->required();
    command->add_option("-o,--out", arguments->out, "The page: .html, .pdf, .png or .svg, by its name's end")
        ->check(pathGiven())
        ->capture_default_str();
    command->add_option("--set", arguments->set, "PATH=VALUE, changes a value of the scenarios")->allow_extra_args(false);
    command->add_option("--theme", arguments->theme, "light or dark")->check(CLI::IsMember({"light", "dark"}))->capture_default_str();
    command->footer("Exit codes: 0 drawn, 1 drawn and an expectation failed, 2 usage or an invalid file, 3 it could not be drawn.\n"
                    "Example: throttlescope report out/*.jsonl -o report.html");
    command->callback([arguments, &exitCode] { exitCode = report(*arguments); });
}

} // namespace throttlescope::cli
