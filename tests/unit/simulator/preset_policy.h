// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/policy_fields.h"
#include "simulator/scenario/presets.h"

#include <QtGlobal>
#include <functional>

namespace throttlescope::testing {

/// A preset as a policy, with a change.
inline Policy preset(std::string_view name, const std::function<void(Policy &)> &change = {})
{
    Policy policy;
    Problems problems;
    if (!policyCodec().read(presetNode(*findPreset(name)), policy, problems))
        qFatal("%s", problems.sorted().front().format().c_str());
    if (change)
        change(policy);
    return policy;
}

} // namespace throttlescope::testing
