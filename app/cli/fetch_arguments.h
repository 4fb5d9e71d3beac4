// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/credentials.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace throttlescope::cli {

/// The command line of `fetch`. An empty path is none.
struct FetchArguments {
    std::string worklist;
    std::string policy = "provider";
    std::vector<std::string> set;
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
    fetch::CredentialSources credentials;
    bool dryRun = false;
    bool json = false;
};

/// Adds the options, which write to `arguments`: it must outlive the parsing.
void addFetchOptions(CLI::App &command, FetchArguments &arguments);

} // namespace throttlescope::cli
