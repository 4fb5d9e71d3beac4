// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/fifo.h"
#include "core/engine/policy.h"

#include <cstdint>
#include <vector>

namespace throttlescope {

/// Names a caller to the driver: the operation's running number.
using WaiterId = std::uint32_t;
/// Callers that should be given `TimeReached` again because something moved. The driver empties it after every step.
using WakeList = std::vector<WaiterId>;

/// The shared pacer of one scope: spacing, concurrency, queue and cooldown. First come, first served; only the head of the
/// queue has a time to wait for, the others are woken when they become the head. No burst credit.
class Pacer {
public:
    using Ticket = std::uint64_t;

    Pacer(std::optional<PacerSpec> spec, WakeList &wakeList)
        : m_spec(std::move(spec))
        , m_wakeList(wakeList)
    {
    }

    bool queueFull() const;
    bool tooLarge(std::uint64_t units) const;
    /// Could a caller start now without queueing?
    bool freeAt(MonotonicTime now) const;
    /// Joins the end of the queue.
    Ticket enter(WaiterId id, std::uint64_t units);
    /// May the holder of `ticket` start now? Only the head may.
    bool readyAt(Ticket ticket, MonotonicTime now) const;
    /// When the holder should ask again; kNever for all but the head, and while only concurrency holds it back.
    MonotonicTime askAgainAt(Ticket ticket) const;
    /// Leaves the queue without starting: reserves nothing, the callers behind move up.
    void leave(Ticket ticket);

    /// An attempt starts: it pays, whatever becomes of it. A probe starts whatever the pacer says and pays too.
    void started(MonotonicTime now, std::uint64_t units);
    void finished();

    /// The earliest start known for a caller that would join at `now`; what concurrency will cost is not known.
    MonotonicTime earliestSlot(MonotonicTime now) const;
    /// Extend only, never shorten. Waiting callers see it when they ask again.
    void extendCooldown(MonotonicTime until);
    bool cooldownExtends() const { return m_spec && m_spec->cooldown == Cooldown::Extend; }
    bool coolingAt(MonotonicTime now) const { return m_cooldownUntil > now && m_cooldownUntil >= m_nextSlot; }

    std::uint64_t waiting() const { return m_waiting; }
    int inFlight() const { return m_inFlight; }
    /// Debts and queue keep their state; the new spacing holds from the next start.
    void retune(std::optional<PacerSpec> spec);

private:
    struct Waiter {
        WaiterId id = 0;
        std::uint64_t units = 0;
        bool gone = false;
    };
    Duration spacing(std::uint64_t units) const;
    bool concurrencyFree() const;
    void dropGone();
    void wakeHead();
    void sumQueuedSpacing();

    std::optional<PacerSpec> m_spec;
    WakeList &m_wakeList;
    Fifo<Waiter> m_queue;
    Ticket m_front = 0; ///< ticket of m_queue.front()
    std::uint64_t m_waiting = 0;
    Duration m_queuedSpacing{}; ///< sum over those who wait
    MonotonicTime m_nextSlot = MonotonicTime::min();
    MonotonicTime m_cooldownUntil = MonotonicTime::min();
    int m_inFlight = 0;
};

} // namespace throttlescope
