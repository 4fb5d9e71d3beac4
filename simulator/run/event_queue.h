// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

namespace throttlescope {

/// What virtual time jumps to next. At one moment what ends comes before what begins: an answer before the cancellation or
/// the arrival of the same moment, however the arrivals are written. Other ties go by the order of scheduling.
struct Due {
    enum class Kind : std::uint8_t { Source, Worker, RequestArrives, RequestLeaves, AnswerReaches, Timer, Cancel, Marker, Stop };

    MonotonicTime at;
    std::uint64_t order = 0; ///< from the top: rank of the kind (4 bits), of scheduling (56), the kind itself (4)
    std::uint32_t index = 0; ///< of the source, request, operation or timeline entry
    std::uint32_t epoch = 0; ///< of the operation's timer, or of the slot: an outdated entry is dropped

    Kind kind() const { return static_cast<Kind>(order & 0xF); }
};

class EventQueue {
public:
    void push(MonotonicTime at, Due::Kind kind, std::uint32_t index, std::uint32_t epoch = 0)
    {
        const Due due{at, rank(kind) << 60 | ++m_sequence << 4 | static_cast<std::uint64_t>(kind), index, epoch};
        if (kind == Due::Kind::Worker && at == m_now)
            m_workers.push_back(due);
        else
            m_heap.push(due);
    }
    bool empty() const { return m_heap.empty() && m_workers.empty(); }
    const Due &top() const { return workersFirst() ? m_workers.front() : m_heap.top(); }
    Due pop()
    {
        const Due due = top();
        if (workersFirst())
            m_workers.pop_front();
        else
            m_heap.pop();
        m_now = due.at;
        return due;
    }

private:
    static std::uint64_t rank(Due::Kind kind)
    {
        switch (kind) {
        case Due::Kind::Marker: return 0;
        case Due::Kind::RequestLeaves:
        case Due::Kind::AnswerReaches: return 1;
        case Due::Kind::RequestArrives:
        case Due::Kind::Timer: return 2;
        case Due::Kind::Cancel: return 3;
        case Due::Kind::Stop: return 4;
        case Due::Kind::Source:
        case Due::Kind::Worker: return 5;
        }
        return 0;
    }
    struct Later {
        bool operator()(const Due &a, const Due &b) const { return a.at != b.at ? a.at > b.at : a.order > b.order; }
    };
    bool workersFirst() const { return !m_workers.empty() && (m_heap.empty() || Later{}(m_heap.top(), m_workers.front())); }

    std::priority_queue<Due, std::vector<Due>, Later> m_heap;
    std::deque<Due> m_workers; ///< whose next operation starts now: last of this moment, and in order, without the heap
    MonotonicTime m_now = MonotonicTime::min(); ///< of what was popped last
    std::uint64_t m_sequence = 0;
};

} // namespace throttlescope
