// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/verdict.h"
#include "app/cli/fetch/worklist.h"
#include "core/engine/policy.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace throttlescope::fetch {

struct Plan {
    std::vector<std::size_t> order; ///< indices of items
    std::size_t settledBefore = 0; ///< how many a checkpoint knows
};

/// Never-settled ones first, then the settled ones unless `unsettledOnly`, shuffled within each group. The same from every
/// compiler.
Plan makePlan(const std::vector<Item> &items, const std::map<std::string, Settled> &settled, bool unsettledOnly, std::uint64_t seed);

/// Leaves in the plan what `most` requests are enough for where every first answer settles. Gives back how many it left out.
std::size_t cutTo(std::uint64_t most, const std::vector<Item> &items, Plan &plan);

/// From the first start.
struct PacedStart {
    Duration handedOver{}; ///< when it joins the pacer's queue
    Duration start{};
    bool operator==(const PacedStart &) const = default;
};

/// When the pacer would let each of them go, `concurrency` under way at a time; one a place in the order. Every answer comes
/// at once: what a server takes, and what it refuses, is not known.
std::vector<PacedStart> pacedStarts(
    const std::vector<Item> &items, const std::vector<std::size_t> &order, const Policy &policy, std::size_t concurrency);

} // namespace throttlescope::fetch
