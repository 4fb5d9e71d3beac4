// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/follow_ups.h"

#include <algorithm>

namespace throttlescope::incident {

FollowUp FollowUps::take(const LoggedRequest &request, const GroupedRequest &grouped)
{
    FollowUp result;
    if (grouped.attempt > 1) {
        if (const auto before = m_open.find(grouped.operation); before != m_open.end()) {
            result = followUp(before->second, request);
            m_open.erase(before);
        }
    }
    const bool refused = request.ending == Ending::Refused;
    if (!refused && request.ending != Ending::Failed)
        return result;
    m_open.insert_or_assign(grouped.operation,
        Open{request.at + request.took.value_or(Duration{}), refused ? request.told : std::nullopt, refused, grouped.attempt});
    m_inOrder.push_back({grouped.operation, grouped.attempt});
    while (m_inOrder.size() > kMostOpen) {
        const auto oldest = m_open.find(m_inOrder.front().operation);
        if (oldest != m_open.end() && oldest->second.attempt == m_inOrder.front().attempt)
            m_open.erase(oldest);
        m_inOrder.pop_front();
    }
    return result;
}

FollowUp FollowUps::followUp(const Open &before, const LoggedRequest &request)
{
    constexpr Duration second = std::chrono::seconds{1};
    const Duration gap = std::max(Duration{}, request.at - before.end);
    if (!before.refused)
        return {Came::AfterFailure, gap, {}};
    if (!before.told || *before.told == Duration{})
        return {Came::AfterRefusal, gap, {}};
    // Two clocks of whole seconds: obeyed to the second is obeyed.
    if (gap + second >= *before.told && gap <= *before.told + std::max(*before.told / 2, 10 * second))
        return {Came::AsTold, gap, std::max(Duration{}, gap - *before.told)};
    return {Came::NotAsTold, gap, {}};
}

} // namespace throttlescope::incident
