// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/numbers.h"
#include "core/signals/rate_limit_state.h"

#include <optional>
#include <string_view>
#include <vector>

/// The RateLimit fields of the IETF drafts (draft-ietf-httpapi-ratelimit-headers) as structured fields. A malformed field is
/// ignored whole, as the drafts want it: nothing is returned. Several lines are one value, joined with ", " (RFC 9651 4.2).
/// A value over 64 KiB counts as malformed.
namespace throttlescope::signals {

struct StateField {
    bool list = false; ///< drafts 08 to 10; else the dictionary of draft 07
    std::vector<Window> windows;
    bool operator==(const StateField &) const = default;
};

/// RateLimit: `"default";r=50;t=30` (the List is tried first) or `limit=100, remaining=50, reset=5`.
std::optional<StateField> readStateField(std::string_view text);

/// One quota policy, whichever generation wrote it.
struct QuotaPolicy {
    std::string name; ///< of a String item or a name parameter; else empty
    std::optional<std::uint64_t> quota;
    std::optional<Duration> length;
    std::string unit;
    std::string partition;
    bool operator==(const QuotaPolicy &) const = default;
};

/// RateLimit-Policy: `"burst";q=100;w=60` or `100;w=60;name="burst"`, both in one field too.
std::optional<std::vector<QuotaPolicy>> readPolicyField(std::string_view text);

/// RateLimit-Limit, also Envoy's and Docker Hub's: `100`, `10, 10;w=1, 50;w=60`, `100;w=21600`.
struct LimitField {
    std::uint64_t limit = 0;
    std::optional<Duration> length;
    std::vector<QuotaPolicy> policies;
    bool operator==(const LimitField &) const = default;
};
std::optional<LimitField> readLimitField(std::string_view text);

/// Tells the windows what the policies say: by name, an unnamed one by its quota. What fits no window becomes one, up to
/// `most` windows.
void applyPolicies(const std::vector<QuotaPolicy> &policies, std::vector<Window> &windows, std::size_t most);

} // namespace throttlescope::signals
