// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/behaviour.h"
#include "simulator/incident/incident.h"
#include "simulator/incident/log_histogram.h"
#include "simulator/incident/server_plan.h"

#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::incident {

/// What a trace came to.
struct TraceSummary {
    WallTime start{}; ///< t = 0: a whole minute, so that the calendar is the log's
    WallTime end{}; ///< of the last request that it stands for
    std::uint64_t operations = 0;
    std::uint64_t requests = 0; ///< logged in its span, retries included
    std::uint64_t refusals = 0; ///< of them
    std::map<std::int64_t, std::uint64_t> refusalsByMinute; ///< since the epoch
    std::vector<LogHistogram> latencies; ///< by server of the plan: of what was not refused
    std::vector<std::uint64_t> requestsByServer;
    std::vector<std::uint64_t> operationsByKind; ///< of behaviour
    bool cut = false; ///< the log has more than a trace may hold
};

/// One row an operation: when its first attempt came. Retries are left to the policy; clients of another behaviour have a
/// trace of their own.
class TraceWriter {
public:
    static constexpr std::uint64_t kMostOperations = 250'000; ///< 200 MB when they run
    static constexpr std::size_t kMostBytes = std::size_t{60} << 20;
    /// Of the trace of that kind of behaviour. False: it could not be written.
    using Sink = std::function<bool(std::size_t, std::string_view)>;

    /// Of the whole log; of a longer one what begins some minutes before the flood. The error is that of the temporary file.
    static tl::expected<TraceSummary, std::string> write(const Incident &incident, const ServerPlan &plan, const Behaviours &behaviours,
        const Sink &sink, std::uint64_t mostOperations = kMostOperations);
};

/// "GET /users/{id}"
std::string operationName(const Incident &incident, const Endpoint &endpoint);

} // namespace throttlescope::incident
