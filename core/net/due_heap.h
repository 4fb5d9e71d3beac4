// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace throttlescope::net {

/// When each operation is to be given TimeReached, at most one time each; the earliest is on top, ties in the order in
/// which they were set. Every change is O(log n), and nothing outdated stays inside.
class DueHeap {
public:
    using Index = std::uint32_t;

    bool empty() const { return m_heap.empty(); }
    MonotonicTime earliest() const { return m_heap.front().at; }
    Index top() const { return m_heap.front().index; }

    void set(Index index, MonotonicTime at)
    {
        remove(index);
        if (index >= m_positions.size())
            m_positions.resize(index + 1, kAbsent);
        m_positions[index] = static_cast<Index>(m_heap.size());
        m_heap.push_back({at, ++m_sequence, index});
        rise(m_heap.size() - 1);
    }

    void remove(Index index)
    {
        if (index >= m_positions.size() || m_positions[index] == kAbsent)
            return;
        const std::size_t hole = m_positions[index];
        place(hole, m_heap.back());
        m_heap.pop_back();
        m_positions[index] = kAbsent;
        if (hole < m_heap.size()) {
            rise(hole);
            sink(hole);
        }
    }

private:
    static constexpr Index kAbsent = 0xFFFFFFFF;
    struct Entry {
        MonotonicTime at;
        std::uint32_t sequence; ///< may wrap: then a tie goes the other way, once
        Index index;
        bool before(const Entry &other) const { return at != other.at ? at < other.at : sequence < other.sequence; }
    };

    void place(std::size_t position, Entry entry)
    {
        m_heap[position] = entry;
        m_positions[entry.index] = static_cast<Index>(position);
    }
    void exchange(std::size_t a, std::size_t b)
    {
        const Entry kept = m_heap[a];
        place(a, m_heap[b]);
        place(b, kept);
    }
    void rise(std::size_t at)
    {
        for (; at > 0 && m_heap[at].before(m_heap[(at - 1) / 2]); at = (at - 1) / 2)
            exchange(at, (at - 1) / 2);
    }
    void sink(std::size_t at)
    {
        while (true) {
            std::size_t first = at;
            for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
                if (child < m_heap.size() && m_heap[child].before(m_heap[first]))
                    first = child;
            }
            if (first == at)
                return;
            exchange(at, first);
            at = first;
        }
    }

    std::vector<Entry> m_heap;
    std::vector<Index> m_positions; ///< by index
    std::uint32_t m_sequence = 0;
};

} // namespace throttlescope::net
