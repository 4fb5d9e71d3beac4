// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulator/scenario/loader.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace throttlescope::cli {

/// Files as given, folders searched recursively for *.yaml, *.yml and *.json in order of path, globs expanded. What
/// matches nothing is said on stderr; the result is then empty.
std::vector<std::filesystem::path> findScenarios(const std::vector<std::string> &arguments);

/// Loads all of them; every error goes to stderr, one a line, and to `onError`. Empty where any failed: there is no partial output.
std::vector<LoadedScenario> loadAll(const std::vector<std::filesystem::path> &files, const LoadOptions &options,
    const std::function<void(const LoadError &)> &onError = {});

} // namespace throttlescope::cli
