// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/import_output.h"

#include "simulator/incident/incident_trace.h"
#include "simulator/incident/pseudonyms.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace throttlescope::cli {

namespace {

constexpr std::size_t kMostNamed = 10;

std::vector<NamedCount> mostFirst(const std::map<std::string, std::uint64_t> &counts)
{
    std::vector<NamedCount> named;
    for (const auto &[name, count] : counts)
        named.push_back({name, count});
    std::stable_sort(named.begin(), named.end(), [](const NamedCount &a, const NamedCount &b) { return a.count > b.count; });
    named.resize(std::min(named.size(), kMostNamed));
    return named;
}

} // namespace

RefusalCounts refusalCounts(const incident::Incident &incident)
{
    std::map<std::tuple<int, std::uint16_t>, std::uint64_t> origins; // status, kind
    std::vector<std::uint64_t> endpoints(incident.endpoints.size());
    static_cast<void>(incident.records.each([&](const incident::KeptRequest &request) {
        if (request.refusal != 0) {
            ++origins[{request.status, request.refusal}];
            ++endpoints[request.endpoint];
        }
        return true;
    }));
    RefusalCounts counts;
    for (const auto &[origin, count] : origins) {
        const incident::RefusalKind &kind = incident.refusalKinds[std::get<1>(origin)];
        counts.byOrigin.push_back({kind.by, std::get<0>(origin), kind.how, count});
    }
    std::stable_sort(
        counts.byOrigin.begin(), counts.byOrigin.end(), [](const RefusedShare &a, const RefusedShare &b) { return a.count > b.count; });
    std::map<std::string, std::uint64_t> hosts, routes;
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        if (endpoints[i] == 0)
            continue;
        hosts[incident::serverName(incident, incident.endpoints[i].host)] += endpoints[i];
        routes[incident::operationName(incident, incident.endpoints[i])] += endpoints[i];
    }
    counts.byHost = mostFirst(hosts);
    counts.byRoute = mostFirst(routes);
    if (incident.flood && incident.hasClients) {
        for (const incident::KeyShare &share : incident.flood->topKeys)
            counts.byClient.push_back({incident::pseudonym(incident.clientRanks[share.key]), share.refusals});
    }
    return counts;
}

} // namespace throttlescope::cli
