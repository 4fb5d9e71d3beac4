// SPDX-License-Identifier: Apache-2.0
#include "core/engine/classify.h"

#include <algorithm>

namespace throttlescope {

Family familyOf(const Response &response, bool rateLimited)
{
    if (rateLimited)
        return Family::RateLimited;
    switch (response.status) {
    case 500:
    case 502:
    case 503:
    case 504: return Family::Ambiguous;
    default: break;
    }
    if (response.status >= 400)
        return Family::Permanent;
    return response.bodyComplete ? Family::Success : Family::Interrupted;
}

Family classify(const Outcome &outcome, const RateLimitRules &rules, const signals::RateLimitState &state)
{
    const auto *response = std::get_if<Response>(&outcome);
    if (!response)
        return Family::Transport;
    const bool listed = std::find(rules.statuses.begin(), rules.statuses.end(), response->status) != rules.statuses.end();
    return familyOf(*response, listed || (state.saysRateLimited && !rules.statuses.empty()));
}

bool replayable(ReplayRule rule, Family family)
{
    switch (rule) {
    case ReplayRule::Safe:
        return family == Family::RateLimited || family == Family::Ambiguous || family == Family::Transport || family == Family::Interrupted;
    case ReplayRule::Limited: return family == Family::RateLimited;
    case ReplayRule::Never: return false;
    }
    return false;
}

bool selected(const RetryOn &retryOn, Family family)
{
    switch (family) {
    case Family::RateLimited: return retryOn.rateLimited;
    case Family::Ambiguous: return retryOn.ambiguous;
    case Family::Transport: return retryOn.transport;
    case Family::Interrupted: return retryOn.interrupted;
    case Family::Success:
    case Family::Permanent: return false;
    }
    return false;
}

} // namespace throttlescope
