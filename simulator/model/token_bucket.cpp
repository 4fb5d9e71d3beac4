// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/token_bucket.h"

#include <algorithm>

namespace throttlescope::model {

TokenBucket::TokenBucket(const WindowRules &rules, std::uint64_t usedAtStart)
    : m_rules(&rules)
    , m_level(cost(rules.capacity - std::min(rules.capacity, usedAtStart)))
{
}

void TokenBucket::advance(MonotonicTime now)
{
    const auto gained = static_cast<Level>(m_rules->quota) * (now - m_at).count();
    m_level = std::min(cost(m_rules->capacity), m_level + gained);
    m_at = now;
}

void TokenBucket::count(MonotonicTime, std::uint64_t units)
{
    m_level = std::max(Level{0}, m_level - cost(units));
}

std::optional<MonotonicTime> TokenBucket::admittedAt(MonotonicTime now, std::uint64_t units) const
{
    return reaches(now, cost(std::min(units, m_rules->capacity)));
}

std::optional<MonotonicTime> TokenBucket::resetAt(MonotonicTime now) const
{
    const auto full = cost(m_rules->capacity);
    return m_level < full ? reaches(now, full) : std::nullopt;
}

std::uint64_t TokenBucket::used() const
{
    const auto period = cost(1);
    return static_cast<std::uint64_t>((cost(m_rules->capacity) - m_level + period - 1) / period);
}

/// The first whole microsecond at which the level is there; none for a bucket that is never refilled.
std::optional<MonotonicTime> TokenBucket::reaches(MonotonicTime now, Level level) const
{
    if (level <= m_level)
        return now;
    const auto quota = static_cast<Level>(m_rules->quota);
    if (quota == 0)
        return std::nullopt;
    const auto wait = (level - m_level + quota - 1) / quota;
    if (wait > kMaxDuration.count())
        return std::nullopt;
    return saturatingAdd(now, Duration{static_cast<std::int64_t>(wait)});
}

} // namespace throttlescope::model
