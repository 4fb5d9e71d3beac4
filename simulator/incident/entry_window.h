// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_entry.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace throttlescope::incident {

/// What the windows of all files that are open at once may hold.
struct EntryBudget {
    std::size_t limit = std::size_t{96} << 20; ///< bytes
    std::size_t used = 0;
};

/// Sorts the entries of one log, which is nearly in order. Servers write a request when it ends: what was slow is late. Entries
/// stay where they were read; those that are given back are used again with the memory of their texts.
class EntryWindow {
public:
    /// Entries that lie back by more than `span` from the newest, and more of them than `most`, are not waited for.
    EntryWindow(Duration span, std::size_t most, EntryBudget &budget);
    ~EntryWindow();
    EntryWindow(const EntryWindow &) = delete;
    EntryWindow &operator=(const EntryWindow &) = delete;

    /// To be filled. Nothing happens until commit(); the same one is given again where it was not called.
    LogEntry &blank();
    void commit();

    bool empty() const { return m_inOrder.empty() && m_late.empty(); }
    /// Whether the first one is due: it can only be overtaken by what is out of order.
    bool ready() const;
    /// The first one by time, of several at one moment the one read first. Not while empty.
    LogEntry &front();
    void pop();
    /// Came when later ones had been given out already.
    std::uint64_t outOfOrder() const { return m_outOfOrder; }

private:
    struct Slot {
        WallTime at{};
        std::uint64_t number = 0;
        std::uint32_t index = 0;
        std::uint32_t weight = 0;
        /// For a heap, whose top is the first.
        bool operator<(const Slot &other) const { return at != other.at ? at > other.at : number > other.number; }
    };

    bool lateIsFirst() const;
    const Slot &first() const { return lateIsFirst() ? m_late.front() : m_inOrder.front(); }

    Duration m_span;
    std::size_t m_most;
    EntryBudget &m_budget;
    std::deque<LogEntry> m_entries; ///< never moved
    std::vector<std::uint32_t> m_free;
    std::deque<Slot> m_inOrder;
    std::vector<Slot> m_late; ///< a heap
    std::uint64_t m_numbers = 0;
    std::uint64_t m_outOfOrder = 0;
    WallTime m_newest = WallTime::min();
    WallTime m_given = WallTime::min();
};

} // namespace throttlescope::incident
