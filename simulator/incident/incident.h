// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_reader.h"
#include "simulator/incident/operation_grouping.h"
#include "simulator/incident/record_store.h"
#include "simulator/incident/routes.h"
#include "simulator/incident/storms.h"
#include "simulator/incident/told_windows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::incident {

/// What is asked for: a host, a method, a route.
struct Endpoint {
    std::uint32_t host = 0;
    std::uint32_t method = 0;
    std::uint32_t route = 0; ///< as taken: RouteBook::route() is the one that it became

    auto operator<=>(const Endpoint &) const = default;
};

/// Who refuses, and in what words.
struct RefusalKind {
    RefusedBy by = RefusedBy::Nobody;
    std::string how; ///< `limit_req zone "per_ip"`; empty where the log has no words for it

    auto operator<=>(const RefusalKind &) const = default;
};

/// All that is kept of the logs of an incident; nothing of it names a customer. Memory is bounded, whatever was read.
struct Incident {
    static constexpr std::size_t kMostHosts = 64; ///< told apart; the others are the last one
    static constexpr std::size_t kMostRefusalKinds = 256;

    LogSummary log;
    std::vector<std::string> hosts; ///< empty: not logged
    std::vector<std::string> methods;
    std::vector<Endpoint> endpoints;
    std::vector<RefusalKind> refusalKinds; ///< the first is nobody's
    RouteBook routes;
    std::vector<std::uint32_t> clientRanks; ///< by client: its pseudonym's number
    std::uint64_t clientsShared = 0; ///< requests of clients beyond those that are told apart
    bool hasClients = false; ///< the logs say whose the requests were
    RecordStore records;
    GroupingTotals operations;
    std::vector<ToldWindows> told; ///< by host: what the headers say of limits
    std::vector<Storm> storms; ///< their servers are hosts
    std::optional<Flood> flood; ///< its keys are clients
    std::uint64_t aborted = 0;
    bool statusAssumed = false; ///< of refusals: an error log has none
    Duration precision{1}; ///< of the coarsest times
};

/// By endpoint: the first one of the same host, method and route, now that it is known which routes are one.
std::vector<std::uint32_t> resolvedEndpoints(const Incident &incident);

struct IncidentError {
    enum class Kind { Unreadable, NoRoom };
    Kind kind = Kind::Unreadable;
    std::string text;
};

/// Reads the logs and keeps what Incident has. Interrupted (`options.goOn`): what was read so far, `log.stopped` is set.
tl::expected<Incident, IncidentError> readIncident(const std::vector<std::string> &files, const LogReadOptions &options);
/// The same from streams that were probed.
tl::expected<Incident, IncidentError> readIncident(std::vector<std::unique_ptr<LogStream>> streams, const LogReadOptions &options);

} // namespace throttlescope::incident
