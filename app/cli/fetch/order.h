// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/credentials.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::fetch {

/// What is to be fetched, and how. An empty path is none.
struct FetchOrder {
    std::string worklist;
    std::string policy = "provider"; ///< a preset, or a file of policy keys
    std::vector<std::string> set; ///< KEY=VALUE of the policy
    std::size_t concurrency = 4; ///< items
    std::string checkpoint;
    bool unsettledOnly = false;
    std::string out;
    std::string journal;
    std::string acknowledged;
    std::optional<std::uint64_t> maxRequests;
    std::uint64_t maxBody = std::uint64_t{16} << 20; ///< bytes
    std::optional<std::uint64_t> seed;
    std::string caFile;
    CredentialSources credentials;
    bool dryRun = false; ///< only what would be asked: nothing is written
};

} // namespace throttlescope::fetch
