// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/codec.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope {

/// The field table of a policy, one row a key. Its record fields merge by key, everything else is replaced whole.
const Codec<Policy> &policyCodec();
/// The same as a file may write it: with `preset` and the flat keys.
const Codec<Policy> &policyFileCodec();

/// One leaf of the table, for editors, `explain` and the reference page.
struct PolicyRow {
    std::string path; ///< "rate_limit.max_wait"
    std::string expected; ///< type, range or words, in words
    std::string defaultText; ///< empty: unset by default
    std::string doc;
    Schema::Kind kind = Schema::Kind::Other;
    std::vector<std::string> words; ///< of Words, a Choice, or a List of words
    std::string least, most; ///< inclusive, as a file writes them; empty where unbounded
};
std::vector<PolicyRow> policyRows();

/// The value at a row's path as a file would write it; empty where it is not set.
std::string policyValue(const Policy &policy, std::string_view path);
/// Sets the value at a row's path from such text; empty or `null` unsets it. On an error, which is one sentence, the
/// policy stays as it was.
tl::expected<void, std::string> setPolicyValue(Policy &policy, std::string_view path, std::string_view text);

/// The flow text of a written value: `60s`, `{within: 5s}`, `[429]`; a file reads it back to the same value.
std::string flowText(const Node &node);
/// The node at a dotted path, or null.
const Node *nodeAt(const Node &root, std::string_view path);

} // namespace throttlescope
