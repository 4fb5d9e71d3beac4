// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/server_plan.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::incident {

ServerPlan serverPlan(const Incident &incident, const std::vector<LimitFinding> &limits)
{
    ServerPlan plan;
    for (std::uint32_t host = 0; host < incident.hosts.size(); ++host)
        plan.servers.push_back({serverName(incident, host), host, {}});
    const std::vector<std::uint32_t> resolved = resolvedEndpoints(incident);
    for (const Endpoint &endpoint : incident.endpoints)
        plan.ofEndpoint.push_back(endpoint.host);
    for (const LimitFinding &finding : limits) {
        if (finding.endpoints.empty()) {
            plan.servers[finding.host].limits.push_back(finding);
            continue;
        }
        // What proxy and upstream limit alike is one server with both.
        const auto same = std::find_if(plan.servers.begin() + static_cast<std::ptrdiff_t>(incident.hosts.size()), plan.servers.end(),
            [&finding](const ServerPlan::Entry &entry) { return entry.limits.front().endpoints == finding.endpoints; });
        if (same != plan.servers.end()) {
            same->limits.push_back(finding);
            continue;
        }
        const auto number = static_cast<std::uint32_t>(plan.servers.size());
        const std::size_t before = number - incident.hosts.size();
        plan.servers.push_back(
            {fmt::format("{}-limited{}", serverName(incident, finding.host), before == 0 ? "" : fmt::format("-{}", before + 1)),
                finding.host, {finding}});
        for (std::size_t endpoint = 0; endpoint < plan.ofEndpoint.size(); ++endpoint) {
            if (std::binary_search(finding.endpoints.begin(), finding.endpoints.end(), resolved[endpoint]))
                plan.ofEndpoint[endpoint] = number;
        }
    }
    return plan;
}

std::string serverName(const Incident &incident, std::uint32_t host)
{
    if (!incident.hosts[host].empty())
        return incident.hosts[host];
    return incident.hosts.size() == 1 ? "server" : "server-without-name";
}

} // namespace throttlescope::incident
