// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/limit_stack.h"

#include <algorithm>

namespace throttlescope::model {

LimitStack::LimitStack(const Server &server, const ServerClock &clock)
{
    m_limits.reserve(server.limits.size());
    for (const auto &limit : server.limits)
        m_limits.push_back(std::make_unique<TrackedLimit>(limit, server.onLimit, clock));
}

void LimitStack::select(MonotonicTime now, const Request &request)
{
    for (const auto &limit : m_limits)
        limit->select(now, request);
}

const TrackedLimit *LimitStack::refusal(MonotonicTime now, const Request &request)
{
    bool admitted = true;
    for (const auto &limit : m_limits)
        admitted = limit->admits() && admitted;
    if (admitted) {
        for (const auto &limit : m_limits)
            limit->count(now);
        return nullptr;
    }
    countRefused(now);
    restartEarly(now, request);
    return longestViolated(now);
}

/// `counts: all` of a limit that refuses makes the request count in every limit; it is not at the server, though.
void LimitStack::countRefused(MonotonicTime now)
{
    const bool all = std::any_of(
        m_limits.begin(), m_limits.end(), [](const auto &limit) { return limit->violated() && limit->onLimit().counts == Counts::All; });
    if (!all)
        return;
    for (const auto &limit : m_limits)
        if (!limit->isConcurrency())
            limit->count(now);
}

void LimitStack::restartEarly(MonotonicTime now, const Request &request)
{
    if (!request.due || now >= *request.due)
        return;
    for (const auto &limit : m_limits)
        if (limit->violated() && !limit->isConcurrency() && limit->onLimit().earlyRetry == EarlyRetry::Extend)
            limit->restart(now);
}

/// The one with the longest wait, the first in the file where two are equal. A limit without a reset (concurrency)
/// answers only where no other is violated.
const TrackedLimit *LimitStack::longestViolated(MonotonicTime now) const
{
    const TrackedLimit *longest = nullptr;
    std::optional<MonotonicTime> latest;
    for (const auto &limit : m_limits) {
        if (!limit->violated())
            continue;
        const auto reset = limit->reset(now);
        if (!longest || reset > latest) { // none orders before any time
            longest = limit.get();
            latest = reset;
        }
    }
    return longest;
}

void LimitStack::release()
{
    for (const auto &limit : m_limits)
        limit->release();
}

std::optional<MonotonicTime> LimitStack::reportedReset(MonotonicTime now, const TrackedLimit &refusing) const
{
    const auto reports = refusing.onLimit().reports;
    if (reports == Reports::Violated)
        return refusing.reset(now);
    std::optional<MonotonicTime> reported;
    for (const auto &limit : m_limits) {
        const auto reset = limit->reset(now);
        if (!reset)
            continue;
        if (!reported || (reports == Reports::Shortest ? *reset < *reported : *reset > *reported))
            reported = reset;
    }
    return reported;
}

} // namespace throttlescope::model
