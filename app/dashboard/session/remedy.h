// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"
#include "core/engine/decision.h"

#include <optional>
#include <string>

namespace throttlescope::dashboard {

/// Where a file says a value, or, where it says nothing of it, the workload row that has the policy.
struct Place {
    std::string file;
    Mark mark;
    bool exact = false; ///< the value itself
    bool operator==(const Place &) const = default;
};

/// What would have changed a refusal.
struct Remedy {
    std::string text; ///< "would have waited at max_wait ≥ 47s"
    std::string path; ///< "rate_limit.max_wait"; empty: no one value of a policy would
    std::string value; ///< "47s"
    std::string set; ///< "policies.batch.rate_limit.max_wait=47s"
    std::optional<Place> place;
    bool operator==(const Remedy &) const = default;
};

/// `policy`: as the journal names it; `units`: of the operation. Without a draft (a journal from elsewhere) what depends on
/// the policy's own values has no path, and nothing has a place.
Remedy remedyFor(const Decision &decision, const std::string &policy, std::uint64_t units, const PolicyDraft *draft);
std::optional<Place> placeOf(const PolicyDraft &draft, const std::string &policy, const std::string &path);

} // namespace throttlescope::dashboard
