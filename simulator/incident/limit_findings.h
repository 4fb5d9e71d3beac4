// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/incident.h"
#include "simulator/incident/limit_inference.h"

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::incident {

enum class FoundBy {
    Timing, ///< as inferLimit() is confident of
    Headers, ///< the server says so
    Assumed ///< the likeliest that timing leaves open, or as much as was let through
};

/// A limit of a host as the incident shows it.
struct LimitFinding {
    std::uint32_t host = 0;
    RefusedBy by = RefusedBy::Unknown;
    std::string how; ///< the proxy's words for its own limit
    int status = 429; ///< of most of its refusals
    std::uint64_t refusals = 0;
    /// That it is about (resolved, by number), where it explains nothing unless only these count; empty: all of the host's.
    std::vector<std::uint32_t> endpoints;
    InferredLimit limit;
    FoundBy foundBy = FoundBy::Assumed;
    Inference inference; ///< what timing says
    bool perAssumed = false; ///< of headers: none of them says how long
    bool kindAssumed = false; ///< of headers: neither they nor the timing say which kind of window
    bool partial = false; ///< from a part of a log that is too long to be looked at whole

    bool operator==(const LimitFinding &) const = default;
};

/// One for every host and whoever refuses there: what is behind the proxy, and each limit of the proxy's own. The error is
/// that of the temporary file.
tl::expected<std::vector<LimitFinding>, std::string> findLimits(const Incident &incident);

} // namespace throttlescope::incident
