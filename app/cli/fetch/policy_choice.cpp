// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/policy_choice.h"

#include "app/cli/fetch/lines.h"
#include "simulator/scenario/file_text.h"
#include "simulator/scenario/loader.h"
#include "simulator/scenario/presets.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace throttlescope::fetch {

namespace {

constexpr std::uintmax_t kLargestPolicy = std::uintmax_t{1} << 20;

/// A policy is called as its file, in letters that --set and a journal take.
std::string nameOf(const std::string &file)
{
    std::string name = std::filesystem::path{file}.stem().string();
    const auto odd
        = [](char c) { return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'); };
    std::replace_if(name.begin(), name.end(), odd, '-');
    return name.empty() ? "policy" : name;
}

/// The file's keys as the policy of that name in a scenario without anything else. False: problems were added.
bool readPolicies(const std::string &file, const std::string &name, Node &document, Problems &problems)
{
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        std::vector<std::string> names;
        for (const Preset &preset : presets())
            names.emplace_back(preset.name);
        problems.add(file, {1, 1}, fmt::format("no preset and no file of that name{}", suggestion(file, names)));
        return false;
    }
    const auto text = readFile(file, kLargestPolicy);
    if (!text) {
        problems.add(file, {1, 1}, text.error());
        return false;
    }
    bool anything = false;
    eachLine(*text, [&anything](int, std::string_view line) {
        const std::string_view content = trimmed(line);
        anything = anything || (!content.empty() && content.front() != '#');
    });
    if (!anything) {
        problems.add(file, {1, 1},
            "no policy in this file, expected keys as they stand under policies.NAME in a scenario, such as 'preset: provider' or "
            "'max_attempts: 3'");
        return false;
    }
    Node keys;
    if (!parseYaml(*text, std::make_shared<const std::string>(file), keys, problems))
        return false;
    Node policies;
    policies.kind = Node::Kind::Map;
    policies.set(name, std::move(keys));
    document.set("policies", std::move(policies));
    return true;
}

} // namespace

tl::expected<std::shared_ptr<const Policy>, std::vector<LoadError>> choosePolicy(
    const std::string &presetOrFile, const std::vector<std::string> &set)
{
    const bool isPreset = findPreset(presetOrFile) != nullptr;
    const std::string name = isPreset ? presetOrFile : nameOf(presetOrFile);
    Problems problems{presetOrFile};
    Node document;
    document.kind = Node::Kind::Map;
    std::map<std::string, Node> sets;
    if (isPreset || readPolicies(presetOrFile, name, document, problems)) {
        for (const std::string &each : set)
            applySet(document, sets, fmt::format("policies.{}.{}", name, each), problems);
    }
    auto policy = std::make_shared<Policy>();
    if (problems.none()) {
        PolicyLayers layers{document.find("policies"), std::move(sets), problems};
        layers.bind(layers.merged(name, nullptr), name, *policy);
    }
    if (!problems.none())
        return tl::unexpected(problems.sorted());
    return policy;
}

} // namespace throttlescope::fetch
