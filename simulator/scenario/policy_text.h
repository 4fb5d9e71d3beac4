// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/policy.h"

#include <map>
#include <memory>
#include <string>

namespace throttlescope {

/// The resolved policy with every value, as one compact JSON object in the words of the scenario file.
std::string policyJson(const Policy &policy);
/// The same as the lines of a policy in a scenario file.
std::string policyYaml(const Policy &policy);
/// All of them by name, as run.started carries them.
std::string policiesJson(const std::map<std::string, std::shared_ptr<const Policy>> &policies);

} // namespace throttlescope
