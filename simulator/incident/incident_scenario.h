// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/incident_trace.h"
#include "simulator/incident/limit_findings.h"

#include <string>
#include <vector>

namespace throttlescope::incident {

struct ScenarioText {
    std::string yaml;
    std::vector<std::string> assumed; ///< in words, what the log does not tell: "Retry-After (not logged)"
};

struct ScenarioNames {
    std::string scenario; ///< empty: "incident of" and the day
    std::vector<std::string> traces; ///< by kind of behaviour: the trace's file, as the scenario names it
};

/// The scenario that shows the incident. What was assumed is marked ASSUMED in a comment beside it.
ScenarioText scenarioOf(
    const Incident &incident, const ServerPlan &plan, const Behaviours &behaviours, const TraceSummary &trace, const ScenarioNames &names);

} // namespace throttlescope::incident
