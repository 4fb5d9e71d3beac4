// SPDX-License-Identifier: Apache-2.0
#include "core/engine/pacer.h"

#include <algorithm>

namespace throttlescope {

bool Pacer::queueFull() const
{
    return m_spec && m_spec->maxWaiting && m_waiting >= static_cast<std::uint64_t>(*m_spec->maxWaiting);
}

bool Pacer::tooLarge(std::uint64_t units) const
{
    return m_spec && m_spec->maxUnits && units > *m_spec->maxUnits;
}

bool Pacer::concurrencyFree() const
{
    return !m_spec || !m_spec->concurrency || m_inFlight < *m_spec->concurrency;
}

bool Pacer::freeAt(MonotonicTime now) const
{
    return m_waiting == 0 && concurrencyFree() && now >= std::max(m_nextSlot, m_cooldownUntil);
}

Pacer::Ticket Pacer::enter(WaiterId id, std::uint64_t units)
{
    m_queue.append({id, units, false});
    ++m_waiting;
    m_queuedSpacing = saturatingAdd(m_queuedSpacing, spacing(units));
    return m_front + m_queue.size() - 1;
}

bool Pacer::readyAt(Ticket ticket, MonotonicTime now) const
{
    return ticket == m_front && concurrencyFree() && now >= std::max(m_nextSlot, m_cooldownUntil);
}

MonotonicTime Pacer::askAgainAt(Ticket ticket) const
{
    return ticket == m_front && concurrencyFree() ? std::max(m_nextSlot, m_cooldownUntil) : kNever;
}

void Pacer::leave(Ticket ticket)
{
    Waiter &waiter = m_queue[ticket - m_front];
    waiter.gone = true;
    --m_waiting;
    if (m_queuedSpacing == kMaxDuration)
        sumQueuedSpacing(); // what saturated cannot be subtracted from
    else
        m_queuedSpacing -= spacing(waiter.units);
    if (ticket == m_front) {
        dropGone();
        wakeHead();
    }
}

void Pacer::dropGone()
{
    while (!m_queue.empty() && m_queue.front().gone) {
        m_queue.dropFront();
        ++m_front;
    }
}

void Pacer::wakeHead()
{
    if (!m_queue.empty() && concurrencyFree())
        m_wakeList.push_back(m_queue.front().id);
}

void Pacer::started(MonotonicTime now, std::uint64_t units)
{
    ++m_inFlight;
    m_nextSlot = saturatingAdd(std::max(m_nextSlot, now), spacing(units));
}

void Pacer::finished()
{
    const bool wasFull = !concurrencyFree();
    --m_inFlight;
    if (wasFull)
        wakeHead();
}

Duration Pacer::spacing(std::uint64_t units) const
{
    if (!m_spec)
        return Duration::zero();
    const Duration byRequests = m_spec->requestsPerSecond ? m_spec->requestsPerSecond->interval() : Duration::zero();
    const Duration byUnits = m_spec->unitsPerSecond ? m_spec->unitsPerSecond->interval(static_cast<double>(units)) : Duration::zero();
    return std::max(byRequests, byUnits);
}

MonotonicTime Pacer::earliestSlot(MonotonicTime now) const
{
    return saturatingAdd(std::max({now, m_nextSlot, m_cooldownUntil}), m_queuedSpacing);
}

void Pacer::extendCooldown(MonotonicTime until)
{
    m_cooldownUntil = std::max(m_cooldownUntil, until);
}

void Pacer::retune(std::optional<PacerSpec> spec)
{
    m_spec = std::move(spec);
    sumQueuedSpacing();
    wakeHead();
}

void Pacer::sumQueuedSpacing()
{
    m_queuedSpacing = Duration::zero();
    for (const Waiter &waiter : m_queue) {
        if (!waiter.gone)
            m_queuedSpacing = saturatingAdd(m_queuedSpacing, spacing(waiter.units));
    }
}

} // namespace throttlescope
