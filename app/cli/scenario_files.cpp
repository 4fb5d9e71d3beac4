// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/scenario_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <glob.h>

namespace throttlescope::cli {

namespace {

bool isScenario(const std::filesystem::path &file)
{
    const auto extension = file.extension();
    return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

/// What a glob matches, sorted; the argument itself where it is none.
std::vector<std::filesystem::path> expanded(const std::string &argument)
{
    if (argument.find_first_of("*?[") == std::string::npos || std::filesystem::exists(argument))
        return {argument};
    std::vector<std::filesystem::path> paths;
    glob_t matches{};
    if (glob(argument.c_str(), 0, nullptr, &matches) == 0)
        paths.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    globfree(&matches);
    return paths;
}

std::vector<std::filesystem::path> scenariosBelow(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::recursive_directory_iterator at{folder, std::filesystem::directory_options::skip_permission_denied, error}, end;
         !error && at != end; at.increment(error)) {
        if (at->path().filename().native().front() == '.') // .git, .github: nobody's scenarios
            at.disable_recursion_pending();
        else if (at->is_regular_file(error) && isScenario(at->path()))
            files.push_back(at->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

std::vector<std::filesystem::path> findScenarios(const std::vector<std::string> &arguments)
{
    std::vector<std::filesystem::path> files;
    for (const std::string &argument : arguments) {
        const std::size_t before = files.size();
        for (const std::filesystem::path &path : expanded(argument)) {
            std::error_code error;
            if (std::filesystem::is_directory(path, error)) {
                const auto below = scenariosBelow(path);
                files.insert(files.end(), below.begin(), below.end());
            } else {
                files.push_back(path);
            }
        }
        if (files.size() == before) {
            fmt::print(stderr, "throttlescope: no scenario in '{}', expected *.yaml, *.yml or *.json files\n", argument);
            return {};
        }
    }
    return files;
}

std::vector<LoadedScenario> loadAll(
    const std::vector<std::filesystem::path> &files, const LoadOptions &options, const std::function<void(const LoadError &)> &onError)
{
    std::vector<LoadedScenario> loaded;
    bool good = true;
    for (const std::filesystem::path &file : files) {
        auto scenario = loadScenario(file, options);
        if (scenario) {
            loaded.push_back(std::move(*scenario));
            continue;
        }
        good = false;
        for (const LoadError &error : scenario.error()) {
            fmt::print(stderr, "{}\n", error.format());
            if (onError)
                onError(error);
        }
    }
    return good ? std::move(loaded) : std::vector<LoadedScenario>{};
}

} // namespace throttlescope::cli
