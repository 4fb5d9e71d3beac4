// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch_paths.h"

#include "app/cli/fetch/output_folder.h"
#include "app/cli/output_paths.h"
#include "simulator/scenario/presets.h"

#include <algorithm>

namespace throttlescope::cli {

namespace {

namespace files = std::filesystem;

struct NamedPath {
    std::string path;
    std::string_view what;
};

bool apart(const std::string &output, const std::vector<NamedPath> &others)
{
    return std::all_of(others.begin(), others.end(), [&](const NamedPath &other) { return keptApart(output, other.path, other.what); });
}

files::path folderOf(const files::path &file)
{
    std::error_code error;
    return files::weakly_canonical(files::absolute(file, error), error).parent_path();
}

/// What the items' files in --out would overwrite is asked only for paths that lead into that folder.
bool folderApart(const std::string &folder, const std::vector<NamedPath> &others, const std::vector<fetch::Item> &items)
{
    const files::path whole = folderOf(files::path{folder} / "file");
    std::vector<NamedPath> inside;
    std::copy_if(others.begin(), others.end(), std::back_inserter(inside),
        [&whole](const NamedPath &other) { return !other.path.empty() && folderOf(other.path) == whole; });
    return inside.empty() || std::all_of(items.begin(), items.end(), [&](const fetch::Item &item) {
        const std::string base = (files::path{folder} / fetch::fileName(item.id)).string();
        return apart(base + ".body", inside) && apart(base + ".json", inside);
    });
}

} // namespace

bool pathsApart(const FetchArguments &arguments, const std::vector<fetch::Item> &items)
{
    const std::string policyFile = findPreset(arguments.policy) ? std::string{} : arguments.policy;
    std::vector<NamedPath> others{{arguments.worklist, "the worklist"}, {policyFile, "the policy's file"},
        {arguments.acknowledged, "the acknowledged ids"}, {arguments.caFile, "the certificates"},
        {arguments.credentials.headerFile, "the headers' file"}};
    std::vector<NamedPath> kept{{arguments.checkpoint, "the checkpoint"}};
    if (!arguments.checkpoint.empty()) { // SQLite keeps files beside it, which come and go
        for (const char *suffix : {"-journal", "-wal", "-shm"})
            kept.push_back({arguments.checkpoint + suffix, "a file of the checkpoint"});
    }
    kept.push_back({arguments.out, "the folder of --out"});
    const auto apartFromInputs = [&others](const NamedPath &output) { return apart(output.path, others); };
    if (!std::all_of(kept.begin(), kept.end(), apartFromInputs))
        return false;
    others.insert(others.end(), kept.begin(), kept.end());
    if (!apart(arguments.journal, others) || !keptApart(arguments.out, arguments.checkpoint, "the checkpoint"))
        return false;
    others.push_back({arguments.journal, "the journal"});
    return arguments.out.empty() || folderApart(arguments.out, others, items);
}

} // namespace throttlescope::cli
