// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace throttlescope::incident {

/// Who said no. A log of a proxy tells of both: of what came from behind it, and of what it turned away itself.
enum class RefusedBy {
    Nobody,
    Upstream, ///< the status is that of the server behind, or the log is a client's own (HAR)
    ThisProxy, ///< the proxy that wrote the log: nginx `limit_req`, Envoy's flag RL or UO, a status without an upstream's
    Unknown ///< a refusal, and the log cannot tell whose
};

/// One request as a log tells of it. Redacted by construction: a reader copies no query string, no cookie, no credential,
/// no body and no user name into it, and of the headers only those that speak of a limit.
struct LogEntry {
    WallTime at{}; ///< when the request arrived: where the log has the end, the duration was taken off
    Duration precision{}; ///< of `at`: 1 s for nginx's `$time_local`
    std::optional<Duration> took;
    std::optional<int> status; ///< what the client got; absent: aborted, 0 or "-" in the log
    std::string method;
    std::string host; ///< in lower case, without port or userinfo; empty where not logged
    std::string path; ///< without query and fragment, starts with '/'; empty where the log has no readable request
    std::string client; ///< an address as logged, or a key's stand-in (`standIn()`); a pseudonym only in output
    std::optional<std::uint64_t> requestSize; ///< bytes
    std::string correlation; ///< stands for the value of `--correlate`'s header: equal where that is; empty where none is logged
    RefusedBy refusedBy = RefusedBy::Nobody;
    std::string refusedHow; ///< in the log's own words: `limit_req zone "per_ip"`, `RL`, `via_upstream`
    /// Names in lower case: retry-after, ratelimit*, x-ratelimit-* and the vendors' (signals/dialect_table.cpp).
    std::vector<std::pair<std::string, std::string>> limitHeaders;
    bool delayed = false; ///< held back by this proxy, not refused: nginx `delaying request`
    /// Told beside the access log, by nginx's error log: where that is read as well, it holds the same request.
    bool sideNote = false;

    bool operator==(const LogEntry &) const = default;
};

} // namespace throttlescope::incident
