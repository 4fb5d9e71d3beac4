// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/node.h"
#include "simulator/scenario/policy_fields.h"

#include <map>
#include <string>
#include <vector>

namespace throttlescope {

/// A resolved value and who said it: "default", "preset saia", "file.yaml:12:5", "--set".
struct ResolvedField {
    std::string path;
    std::string value;
    std::string origin;
};

/// Resolves policies by precedence: defaults < preset < policy < workload row < --set. Maps merge by key, lists and tagged
/// values are replaced whole, null unsets.
class PolicyLayers {
public:
    /// `policies`: the file's map, may be null; `sets`: --set overlays by policy name.
    PolicyLayers(const Node *policies, std::map<std::string, Node> sets, Problems &problems);

    bool known(const std::string &name) const;
    std::vector<std::string> names() const;
    /// The layers of a policy or preset of that name, merged; `overlay` (may be null) is the workload row's.
    Node merged(const std::string &name, const Node *overlay);
    /// Binds and checks what only shows in the merged whole. False: problems were added.
    bool bind(const Node &merged, const std::string &name, Policy &policy);

private:
    const Node *m_policies;
    std::map<std::string, Node> m_sets;
    Problems &m_problems;
};

/// Every row of the table as the merged policy has it.
std::vector<ResolvedField> resolvedFields(const Node &merged, const Policy &policy);

} // namespace throttlescope
