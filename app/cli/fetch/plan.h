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

/// When the pacer would let each of them go, from the first; one a place in the order. Answers and refusals are not known.
std::vector<Duration> pacedStarts(const std::vector<Item> &items, const std::vector<std::size_t> &order, const Policy &policy);

} // namespace throttlescope::fetch
