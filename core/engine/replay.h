// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/policy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace throttlescope {

enum class OperationClass : std::uint8_t { Read, Write, Action, Probe };

/// What is known of a call before its first attempt. The method is upper case; empty: not declared.
struct ReplayFacts {
    std::optional<OperationClass> operationClass;
    std::optional<bool> idempotent;
    std::string_view method;
    std::optional<ReplayRule> callReplay; ///< the call's own `replay`
    std::optional<ReplayRule> policyReplay; ///< the policy's `replay`
    ReplayRule policyWrites = ReplayRule::Limited;
};

struct DerivedReplay {
    ReplayRule rule;
    std::string_view because; ///< the row of the table that matched, in the words of the scenario file
};

/// Rule 4: one table, first match. An error only where the call's own `replay` would raise an action or a probe above `never`.
tl::expected<DerivedReplay, std::string> deriveReplay(const ReplayFacts &facts);

} // namespace throttlescope
