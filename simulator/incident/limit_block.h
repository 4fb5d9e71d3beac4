// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/behaviour.h"
#include "simulator/incident/limit_findings.h"

#include <set>
#include <string>
#include <vector>

namespace throttlescope::incident {

/// One item of a server's `limits`, with what is known of it in comments.
struct LimitBlock {
    std::string yaml;
    std::vector<std::string> assumed;
};

/// `names` holds those of the server's other limits, and gets its own.
LimitBlock limitBlock(const LimitFinding &finding, const Incident &incident, const Behaviours &behaviours, std::set<std::string> &names);
/// That a scenario can have: a limit refuses with an error.
int refusalStatus(const LimitFinding &finding);

} // namespace throttlescope::incident
