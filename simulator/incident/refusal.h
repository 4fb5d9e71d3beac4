// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_entry.h"

#include <optional>
#include <string_view>

namespace throttlescope::incident {

/// What a log tells about the origin of an answer, beside its status and headers.
struct Evidence {
    /// The proxy's own word that it limited this request; empty where it has none: `limit_req`, `RL`.
    std::string_view limited{};
    /// The answer came from behind, or certainly not; none: the log does not say.
    std::optional<bool> answeredBehind{};
    std::string_view how{}; ///< the log's own words for that: `via_upstream`, `OriginStatus 429`
    bool clientsOwn = false; ///< a client's record: whoever refused was upstream
    bool proxyAnswers503 = false; ///< by default this proxy limits with 503, and sends it for nothing else: nginx
};

/// Sets `refusedBy` and `refusedHow` from status, headers and evidence. A refusal is a 429, a status of which the headers
/// say so (GitHub's 403 with nothing remaining), or a 503 with a sign of limiting: a Retry-After, the proxy's own word. Any
/// other 5xx is a failure, not a refusal.
void judge(LogEntry &entry, const Evidence &evidence);

} // namespace throttlescope::incident
