// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/rate_limit_state.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::signals {

/// What a response says, for people and for other programs: `throttlescope hint` prints it field by field.
struct Verdict {
    std::optional<Duration> delay; ///< from now; none where nothing readable was said
    bool valid = false; ///< a delay was told and could be read
    bool actionable = false; ///< the status asks to wait: on a success a Retry-After orders nothing
    std::string source; ///< the header as received, or "body /pointer"; empty without a delay
    std::string_view form; ///< "delay-seconds", "http-date", "epoch", "duration", "milliseconds", "body"; or empty
    std::string_view spelling; ///< finer: "rfc850-date", "epoch-milliseconds", see `Spelling`; or empty
    std::string_view dialect; ///< name in the dialect table, or empty where nothing tells one
    std::string why; ///< plain words, never empty
    std::vector<Window> windows;
    std::vector<Unreadable> unreadable;
    bool saysRateLimited = false;
    bool operator==(const Verdict &) const = default;
};

/// `read`, with words for everything. Same cost class, a few allocations more. Throws nothing but bad_alloc.
Verdict explain(const Response &response, WallTime wall, const ReadOptions &options = {});

} // namespace throttlescope::signals
