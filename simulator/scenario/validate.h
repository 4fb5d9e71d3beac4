// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/node.h"
#include "simulator/scenario/scenario.h"

#include <vector>

namespace throttlescope {

/// What was read, next to the nodes it was read from: an error is told where the value stands, be it in a file or on the
/// command line. Names are looked up in the document, so that a part that could not be read does not make the names in it
/// unknown.
struct ReadScenario {
    const Scenario &scenario;
    const Node &document;
    std::vector<const Node *> rows; ///< of scenario.workload, one each; rows that could not be read are in neither
    bool timelineGood = true;
    bool policiesGood = true;
};

/// What binding alone does not see: names that must exist, cycles, faults over 100 %, values that differ on one scope.
void validate(const ReadScenario &read, Problems &problems);

} // namespace throttlescope
