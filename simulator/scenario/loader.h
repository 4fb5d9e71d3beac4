// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/policy_layers.h"
#include "simulator/scenario/problems.h"
#include "simulator/scenario/scenario.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope {

inline constexpr int kScenarioVersion = 1;
inline constexpr std::uintmax_t kLargestScenario = std::uintmax_t{16} << 20; ///< bytes of a file

struct LoadOptions {
    std::vector<std::string> set; ///< "policies.batch.rate_limit.max_wait=30s"
    std::optional<std::uint64_t> seed;
};

struct LoadedScenario {
    Scenario scenario;
    /// Where each value of each policy in use comes from, by policy name.
    std::map<std::string, std::vector<ResolvedField>> provenance;
};

/// Reads, resolves and checks a scenario. All errors of the file, in order of place, at most twenty; never a part of it.
tl::expected<LoadedScenario, std::vector<LoadError>> loadScenario(const std::filesystem::path &file, const LoadOptions &options = {});
/// The same from text; `file` names it and is the base of trace files.
tl::expected<LoadedScenario, std::vector<LoadError>> loadScenarioText(
    std::string_view text, const std::string &file, const LoadOptions &options = {});

/// Applies one `--set PATH=VALUE` to a document; policies are set apart, since they come after a row's own layer. An item
/// of a list is told by its name, operation or label (all that bear it), else by its index from 0.
bool applySet(Node &document, std::map<std::string, Node> &policySets, const std::string &assignment, Problems &problems);

/// JSON Schema (draft 2020-12) of scenario files, and the reference page in Markdown; both off the field table.
std::string scenarioSchema();
std::string fieldReference();

} // namespace throttlescope
