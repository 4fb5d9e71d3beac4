// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/fetcher.h"

#include <string>
#include <vector>

namespace throttlescope::fetch {

/// What a run came to, beside its items.
struct RunFacts {
    std::size_t settledBefore = 0; ///< skipped, since they are settled
    std::size_t skippedLines = 0;
    std::uint64_t requests = 0;
    std::uint64_t seed = 0;
    bool interrupted = false;
    std::size_t leftOut = 0; ///< of the plan, by max_requests
};

/// Counts by result, then each unchecked id with its reason and hint, the first twenty.
std::string reportTable(const std::vector<Item> &items, const std::vector<ItemReport> &reports, const RunFacts &facts);
/// All of them, one JSON object.
std::string reportJson(const std::vector<Item> &items, const std::vector<ItemReport> &reports, const RunFacts &facts);
/// What would be asked, in order, and when the pacing lets it go; `starts`: one a place in the plan's order.
std::string planText(
    const std::vector<Item> &items, const Plan &plan, const std::vector<PacedStart> &starts, const Policy &policy, const RunFacts &facts);
/// The same, one JSON object.
std::string planJson(
    const std::vector<Item> &items, const Plan &plan, const std::vector<PacedStart> &starts, const Policy &policy, const RunFacts &facts);

} // namespace throttlescope::fetch
