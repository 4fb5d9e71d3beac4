// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulator/incident/incident.h"
#include "simulator/incident/incident_replay.h"
#include "simulator/incident/limit_findings.h"

#include <optional>
#include <string>
#include <vector>

namespace throttlescope::cli {

/// Refusals by who refused, with which status and in which words; the most first.
struct RefusedShare {
    incident::RefusedBy by = incident::RefusedBy::Unknown;
    int status = 0;
    std::string how;
    std::uint64_t count = 0;
};
struct NamedCount {
    std::string name;
    std::uint64_t count = 0;
};
struct RefusalCounts {
    std::vector<RefusedShare> byOrigin;
    std::vector<NamedCount> byHost, byRoute, byClient; ///< the most first, ten at most
};
RefusalCounts refusalCounts(const incident::Incident &incident);

/// What `import` has to say.
struct ImportReport {
    const incident::Incident *incident = nullptr;
    RefusalCounts counts;
    std::vector<incident::LimitFinding> limits;
    incident::ServerPlan plan;
    incident::Behaviours behaviours;
    incident::TraceSummary trace;
    std::vector<std::string> assumed;
    bool zoneNamed = false; ///< by whoever asked
    std::string scenario; ///< where it was written; empty: it was not
    std::vector<std::string> traceFiles;
    std::optional<incident::ReplayCheck> check;
};

/// The lines that an operator reads.
std::string importText(const ImportReport &report);
/// One JSON object on one line.
std::string importJson(const ImportReport &report);
/// "read 1,204,332 lines (nginx combined), 231 skipped (first: access.log.1:88201 no status)"
std::string readText(const incident::LogSummary &log);
/// "replayed 38,020 refusals of 38,114 (-0.2 %), worst minute 02:19 (+4 %)"
std::string checkText(const incident::ReplayCheck &check, Duration offset);

} // namespace throttlescope::cli
