// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/windows.h"

#include "simulator/model/calendar.h"

#include <algorithm>

namespace throttlescope {

// --- fixed --------------------------------------------------------------------------------------------------------

FixedWindow::FixedWindow(const Limit &limit, const ServerClock &clock) : m_limit(&limit), m_clock(&clock)
{
    advance(MonotonicTime{});
    if (limit.used > 0)
        count(MonotonicTime{}, limit.used);
}

void FixedWindow::advance(MonotonicTime now)
{
    if (m_open && now < m_end)
        return;
    m_used = 0;
    m_open = m_limit->align == Align::Calendar;
    if (m_open) {
        const WallSpan span = calendarWindow(m_clock->wall(now), m_limit->per, m_limit->timeZone);
        m_begin = m_clock->monotonic(span.begin);
        m_end = m_clock->monotonic(span.end);
    }
}

void FixedWindow::count(MonotonicTime now, std::uint64_t units)
{
    if (!m_open) {
        m_open = true;
        m_begin = now;
        m_end = saturatingAdd(now, m_limit->per.length);
    }
    m_used += units;
}

std::optional<MonotonicTime> FixedWindow::admissible(std::uint64_t) const
{
    return resets();
}

std::optional<MonotonicTime> FixedWindow::resets() const
{
    return m_open ? std::optional{m_end} : std::nullopt;
}

void FixedWindow::restart(MonotonicTime now)
{
    m_open = true;
    m_begin = now;
    m_end = saturatingAdd(now, m_limit->per.length);
    m_used = std::max(m_used, m_limit->quota);
}

// --- sliding ------------------------------------------------------------------------------------------------------

SlidingWindow::SlidingWindow(const Limit &limit) : m_limit(&limit)
{
    if (limit.used > 0)
        count(MonotonicTime{}, limit.used);
}

void SlidingWindow::advance(MonotonicTime now)
{
    while (!m_log.empty() && saturatingAdd(m_log.front().at, m_limit->per.length) <= now) {
        m_used -= m_log.front().units;
        m_log.pop_front();
    }
}

void SlidingWindow::count(MonotonicTime now, std::uint64_t units)
{
    if (!m_log.empty() && m_log.back().at == now)
        m_log.back().units += units;
    else
        m_log.push_back({now, units});
    m_used += units;
}

std::optional<MonotonicTime> SlidingWindow::admissible(std::uint64_t units) const
{
    std::uint64_t left = m_used;
    for (const Entry &entry : m_log) {
        left -= entry.units;
        if (left + units <= m_limit->quota || left == 0)
            return saturatingAdd(entry.at, m_limit->per.length);
    }
    return std::nullopt;
}

std::optional<MonotonicTime> SlidingWindow::resets() const
{
    return m_log.empty() ? std::nullopt : std::optional{saturatingAdd(m_log.front().at, m_limit->per.length)};
}

void SlidingWindow::restart(MonotonicTime now)
{
    m_used = std::max(m_used, m_limit->quota);
    m_log.assign(1, {now, m_used});
}

// --- token bucket -------------------------------------------------------------------------------------------------

TokenBucket::TokenBucket(const Limit &limit) : m_limit(&limit)
{
    m_level = std::max<Level>(0, capacity() - cost(limit.used));
}

void TokenBucket::advance(MonotonicTime now)
{
    m_level = std::min(capacity(), m_level + static_cast<Level>((now - m_at).count()) * m_limit->quota);
    m_at = now;
}

void TokenBucket::count(MonotonicTime, std::uint64_t units)
{
    m_level = std::max<Level>(0, m_level - cost(units));
}

MonotonicTime TokenBucket::whenAt(Level level) const
{
    const Level missing = std::max<Level>(0, std::min(level, capacity()) - m_level);
    return saturatingAdd(m_at, Duration{static_cast<std::int64_t>((missing + m_limit->quota - 1) / m_limit->quota)});
}

std::optional<MonotonicTime> TokenBucket::admissible(std::uint64_t units) const
{
    return whenAt(cost(units));
}

std::optional<MonotonicTime> TokenBucket::resets() const
{
    return m_level < capacity() ? std::optional{whenAt(capacity())} : std::nullopt;
}

void TokenBucket::restart(MonotonicTime now)
{
    m_level = 0;
    m_at = now;
}

std::uint64_t TokenBucket::used() const
{
    const Level per = m_limit->per.length.count();
    return static_cast<std::uint64_t>((capacity() - m_level + per - 1) / per);
}

WindowState makeWindow(const Limit &limit, const ServerClock &clock)
{
    switch (limit.window) {
    case WindowKind::Fixed: return FixedWindow{limit, clock};
    case WindowKind::Sliding: return SlidingWindow{limit};
    case WindowKind::TokenBucket: return TokenBucket{limit};
    case WindowKind::Concurrency: return ConcurrencyLimit{limit};
    }
    return ConcurrencyLimit{limit};
}

} // namespace throttlescope
