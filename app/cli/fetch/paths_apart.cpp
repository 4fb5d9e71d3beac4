// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/paths_apart.h"

#include "app/cli/fetch/output_folder.h"
#include "simulator/scenario/presets.h"
#include "simulator/scenario/same_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::fetch {

namespace {

namespace files = std::filesystem;

struct NamedPath {
    std::string path;
    std::string_view what;
};

OrProblem<void> apart(const std::string &output, const std::vector<NamedPath> &others)
{
    for (const auto &[path, what] : others) {
        if (!output.empty() && !path.empty() && sameFile(output, path))
            return usage(fmt::format("{} would overwrite {}, expected a file of its own", output, what));
    }
    return {};
}

files::path folderOf(const files::path &file)
{
    std::error_code error;
    return files::weakly_canonical(files::absolute(file, error), error).parent_path();
}

/// What the items' files in --out would overwrite is asked only for paths that lead into that folder.
OrProblem<void> folderApart(const std::string &folder, const std::vector<NamedPath> &others, const std::vector<Item> &items)
{
    const files::path whole = folderOf(files::path{folder} / "file");
    std::vector<NamedPath> inside;
    std::copy_if(others.begin(), others.end(), std::back_inserter(inside),
        [&whole](const NamedPath &other) { return !other.path.empty() && folderOf(other.path) == whole; });
    for (const Item &item : inside.empty() ? std::vector<Item>{} : items) {
        const std::string base = (files::path{folder} / fileName(item.id)).string();
        for (const char *ending : {".body", ".json"}) {
            if (auto good = apart(base + ending, inside); !good)
                return good;
        }
    }
    return {};
}

} // namespace

OrProblem<void> pathsApart(const FetchOrder &order, const std::vector<Item> &items)
{
    const std::string policyFile = findPreset(order.policy) ? std::string{} : order.policy;
    std::vector<NamedPath> others{{order.worklist, "the worklist"}, {policyFile, "the policy's file"},
        {order.acknowledged, "the acknowledged ids"}, {order.caFile, "the certificates"},
        {order.credentials.headerFile, "the headers' file"}};
    std::vector<NamedPath> kept{{order.checkpoint, "the checkpoint"}};
    if (!order.checkpoint.empty()) { // SQLite keeps files beside it, which come and go
        for (const char *suffix : {"-journal", "-wal", "-shm"})
            kept.push_back({order.checkpoint + suffix, "a file of the checkpoint"});
    }
    kept.push_back({order.out, "the folder of --out"});
    for (const NamedPath &output : kept) {
        if (auto good = apart(output.path, others); !good)
            return good;
    }
    others.insert(others.end(), kept.begin(), kept.end());
    if (auto good = apart(order.journal, others); !good)
        return good;
    if (auto good = apart(order.out, {{order.checkpoint, "the checkpoint"}}); !good)
        return good;
    others.push_back({order.journal, "the journal"});
    return order.out.empty() ? OrProblem<void>{} : folderApart(order.out, others, items);
}

} // namespace throttlescope::fetch
