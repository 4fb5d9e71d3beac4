// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/dashboard_process.h"

#include "app/cli/commands.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

constexpr const char *kDashboard = "throttlescope-dashboard";

std::string dashboard()
{
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    for (const auto &place : {self.parent_path() / kDashboard, self.parent_path().parent_path() / "dashboard" / kDashboard}) {
        if (::access(place.c_str(), X_OK) == 0 && !std::filesystem::is_directory(place, error))
            return place.string();
    }
    return kDashboard;
}

} // namespace

int draw(const Drawing &drawing)
{
    const std::string program = dashboard();
    std::vector<std::string> words{program, "--render", drawing.out, "--theme", drawing.theme};
    for (const std::string &each : drawing.set)
        words.insert(words.end(), {"--set", each});
    words.emplace_back("--");
    words.insert(words.end(), drawing.files.begin(), drawing.files.end());
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    std::fflush(nullptr);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, program.c_str(), nullptr, nullptr, argv.data(), environ);
    int status = 0;
    if (failed == 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) <= kCouldNotRun)
        return WEXITSTATUS(status);
    fmt::print(stderr, "throttlescope: pages are drawn by {}, which {}\n", program,
        failed != 0 ? fmt::format("cannot be started: {}", std::strerror(failed)) : "did not come to its end");
    return kCouldNotRun;
}

} // namespace throttlescope::cli
