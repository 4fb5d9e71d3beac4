// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/observed_retries.h"

#include <algorithm>

namespace throttlescope::incident {

namespace {

constexpr Duration kSecond = std::chrono::seconds{1};
constexpr double kMostSpread = 0.9;

std::size_t rowOf(std::uint32_t attempt)
{
    return std::min<std::size_t>(std::max<std::uint32_t>(attempt, 1), ObservedRetries::kAttempts) - 1;
}

/// Half of what lies between the tenth and the ninetieth percent, which hold eight tenths of an even spread. Two times that
/// were cut to the precision are that much apart by themselves.
double spreadOf(const LogHistogram &gaps, Duration precision)
{
    const auto low = gaps.quantile(0.1), middle = gaps.quantile(0.5), high = gaps.quantile(0.9);
    if (gaps.count() < 20 || !middle || middle->count() == 0)
        return 0;
    return std::min(kMostSpread, std::max(0.0, secondsOf(*high - *low) - 1.1 * secondsOf(precision)) / secondsOf(*middle) / 1.6);
}

/// The median; where times were cut to a precision that is not much finer, it would be a whole multiple of that, and the mean
/// of many is not.
Duration typicalOf(const LogHistogram &gaps, Duration precision)
{
    const Duration median = gaps.quantile(0.5).value_or(Duration{});
    return median > 5 * precision ? median : gaps.meanUpTo(3 * (median + precision)).value_or(median);
}

} // namespace

void ObservedRetries::take(const LoggedRequest &request, const GroupedRequest &grouped)
{
    if (grouped.attempt > 1) {
        if (const auto before = m_open.find(grouped.operation); before != m_open.end()) {
            came(before->second, request, rowOf(grouped.attempt - 1));
            m_open.erase(before);
        }
    }
    const bool refused = request.ending == Ending::Refused;
    if (!refused && request.ending != Ending::Failed)
        return;
    (refused ? m_rows[rowOf(grouped.attempt)].refused : m_failed) += 1;
    m_open.insert_or_assign(
        grouped.operation, Open{request.at + request.took.value_or(Duration{}), refused ? request.told : std::nullopt, refused});
    m_inOrder.push_back(grouped.operation);
    while (m_inOrder.size() > kMostOpen) {
        m_open.erase(m_inOrder.front());
        m_inOrder.pop_front();
    }
}

void ObservedRetries::came(const Open &before, const LoggedRequest &request, std::size_t row)
{
    const Duration gap = std::max(Duration{}, request.at - before.end);
    if (!before.refused) {
        ++m_failedRetried;
        return;
    }
    ++m_rows[row].retried;
    m_rows[row].gaps.add(gap);
    if (!before.told || *before.told == Duration{})
        return;
    ++m_hinted;
    // Two clocks of whole seconds: obeyed to the second is obeyed.
    if (gap + kSecond >= *before.told && gap <= *before.told + std::max(*before.told / 2, 10 * kSecond)) {
        m_overshoot.add(std::max(Duration{}, gap - *before.told));
        m_obeyed.add(*before.told);
    }
}

ObservedPolicy ObservedRetries::policy(Duration precision) const
{
    ObservedPolicy policy;
    std::uint64_t retried = 0;
    for (const Row &row : m_rows) {
        // The policy is that of most: where less than half come again, it was the last attempt.
        if (row.refused == 0 || 2 * row.retried < row.refused)
            break;
        ++policy.maxAttempts;
        policy.waits.push_back(typicalOf(row.gaps, precision));
        policy.spread += spreadOf(row.gaps, precision) * static_cast<double>(row.retried);
        retried += row.retried;
    }
    policy.spread = retried == 0 ? 0 : policy.spread / static_cast<double>(retried);
    policy.retriesFailures = m_failed > 0 && 2 * m_failedRetried >= m_failed;
    policy.obeysHints = m_hinted > 0 && 2 * m_obeyed.count() >= m_hinted;
    if (policy.obeysHints) {
        policy.overshoot = typicalOf(m_overshoot, precision);
        policy.longestHint = m_obeyed.quantile(1);
    }
    return policy;
}

} // namespace throttlescope::incident
