// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_findings.h"

#include <string>
#include <vector>

namespace throttlescope::incident {

/// The servers that a scenario has for the hosts of a log: one each, and another for the routes that a limit of their own is about.
struct ServerPlan {
    struct Entry {
        std::string name;
        std::uint32_t host = 0;
        std::vector<LimitFinding> limits;
    };
    std::vector<Entry> servers; ///< those of the hosts first, by number
    std::vector<std::uint32_t> ofEndpoint; ///< an index of `servers`

    const Entry &server(std::uint32_t endpoint) const { return servers[ofEndpoint[endpoint]]; }
};

ServerPlan serverPlan(const Incident &incident, const std::vector<LimitFinding> &limits);
/// The server that a host becomes.
std::string serverName(const Incident &incident, std::uint32_t host);

} // namespace throttlescope::incident
