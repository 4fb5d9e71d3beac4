// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/codec.h"

#include <string>
#include <vector>

namespace throttlescope {

/// The field table of a policy, one row a key. Its record fields merge by key, everything else is replaced whole.
const Codec<Policy> &policyCodec();

/// One leaf of the table, for editors, `explain` and the reference page.
struct PolicyRow {
    std::string path;        ///< "rate_limit.max_wait"
    std::string expected;    ///< type, range or words
    std::string defaultText; ///< empty: unset by default
    std::string doc;
};
std::vector<PolicyRow> policyRows();

/// The flow text of a written value: `60s`, `{within: 5s}`, `[429]`.
std::string flowText(const Node &node);

} // namespace throttlescope
