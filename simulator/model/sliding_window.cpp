// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/sliding_window.h"

#include <algorithm>

namespace throttlescope::model {

SlidingWindow::SlidingWindow(const WindowRules &rules, std::uint64_t usedAtStart)
    : m_rules(&rules)
{
    count(MonotonicTime{}, usedAtStart);
}

void SlidingWindow::advance(MonotonicTime now)
{
    while (m_size > 0 && leaves(entry(0)) <= now)
        dropOldest();
}

void SlidingWindow::count(MonotonicTime now, std::uint64_t units)
{
    if (units == 0)
        return;
    append(now, units);
    while (m_size > 1 && m_used - entry(0).units > m_rules->quota)
        dropOldest();
}

std::optional<MonotonicTime> SlidingWindow::admittedAt(MonotonicTime now, std::uint64_t units) const
{
    if (m_size == 0)
        return now;
    auto left = m_used;
    for (std::size_t i = 0; i < m_size; ++i) {
        left -= entry(i).units;
        if (fits(left, units, m_rules->quota))
            return leaves(entry(i));
    }
    return leaves(entry(m_size - 1));
}

std::optional<MonotonicTime> SlidingWindow::resetAt(MonotonicTime) const
{
    return m_size > 0 ? std::optional{leaves(entry(0))} : std::nullopt;
}

void SlidingWindow::restart(MonotonicTime now)
{
    const auto used = m_used;
    m_first = m_size = 0;
    m_used = 0;
    if (used > 0)
        append(now, used);
}

void SlidingWindow::append(MonotonicTime now, std::uint64_t units)
{
    units = std::min(units, ~std::uint64_t{0} - m_used);
    m_used += units;
    if (m_size > 0 && entry(m_size - 1).at == now) {
        entry(m_size - 1).units += units;
        return;
    }
    if (m_size == m_ring.size())
        grow();
    ++m_size;
    entry(m_size - 1) = {now, units};
}

void SlidingWindow::dropOldest()
{
    m_used -= entry(0).units;
    m_first = (m_first + 1) & (m_ring.size() - 1);
    --m_size;
}

void SlidingWindow::grow()
{
    std::rotate(m_ring.begin(), m_ring.begin() + static_cast<std::ptrdiff_t>(m_first), m_ring.end());
    m_first = 0;
    m_ring.resize(std::max<std::size_t>(8, m_ring.size() * 2));
}

} // namespace throttlescope::model
