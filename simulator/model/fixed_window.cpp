// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/fixed_window.h"

#include <algorithm>

namespace throttlescope::model {

FixedWindow::FixedWindow(const WindowRules &rules, std::uint64_t usedAtStart)
    : m_rules(&rules)
{
    advance(MonotonicTime{});
    if (usedAtStart > 0)
        count(MonotonicTime{}, usedAtStart);
}

void FixedWindow::roll(MonotonicTime now)
{
    m_used = 0;
    if (!m_rules->calendar) {
        m_begin = MonotonicTime{};
        m_end = MonotonicTime::min();
        return;
    }
    const auto span = m_rules->calendar->windowAt(m_rules->clock.wall(now));
    m_begin = m_rules->clock.monotonic(span.begin);
    m_end = m_rules->clock.monotonic(span.end);
}

void FixedWindow::count(MonotonicTime now, std::uint64_t units)
{
    if (!isOpen()) {
        m_begin = now;
        m_end = saturatingAdd(now, m_rules->period.length);
    }
    m_used = saturatingSum(m_used, units);
}

std::optional<MonotonicTime> FixedWindow::admittedAt(MonotonicTime now, std::uint64_t) const
{
    return isOpen() ? m_end : now;
}

std::optional<MonotonicTime> FixedWindow::resetAt(MonotonicTime) const
{
    return isOpen() ? std::optional{m_end} : std::nullopt;
}

void FixedWindow::restart(MonotonicTime now)
{
    // Never before the calendar's own end, or a day of 25 hours would be handed out twice.
    const auto end = saturatingAdd(now, length());
    m_end = isOpen() ? std::max(end, m_end) : end;
    m_begin = now;
    m_used = std::max(m_used, m_rules->quota);
}

std::optional<MonotonicTime> FixedWindow::begins() const
{
    return isOpen() ? std::optional{m_begin} : std::nullopt;
}

Duration FixedWindow::length() const
{
    return m_rules->period.civil == Period::Civil::Month && isOpen() ? m_end - m_begin : m_rules->period.length;
}

} // namespace throttlescope::model
