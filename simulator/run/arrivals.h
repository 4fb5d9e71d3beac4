// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/draw.h"
#include "simulator/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>

namespace throttlescope {

/// When one client of one workload row starts its operations. Closed loops (`workers`) start theirs as the driver says;
/// here they only tell how many there are.
class ArrivalSource {
public:
    /// `drawName` is the row's stable name for draws.
    ArrivalSource(const WorkloadRow &row, std::string drawName, std::uint32_t client, const Draw &draw)
        : m_row(row)
        , m_drawName(std::move(drawName))
        , m_client(client)
        , m_draw(draw)
    {
    }

    /// The moment of the next operation, without taking it. None: there are no more.
    std::optional<MonotonicTime> nextAt() const;
    /// Takes the next one; returns its index from 0.
    std::uint64_t take();
    /// The trace line of an index; null where there is no trace.
    const TracedOperation *traced(std::uint64_t index) const;
    std::uint64_t drawKey(std::uint64_t index) const;
    /// The last one was taken: no next will come.
    bool exhausted() const { return !nextAt(); }

    const WorkloadRow &row() const { return m_row; }
    std::uint32_t client() const { return m_client; }

private:
    std::optional<Duration> offset(std::uint64_t index) const;

    const WorkloadRow &m_row;
    std::string m_drawName;
    std::uint32_t m_client;
    const Draw &m_draw;
    std::uint64_t m_next = 0;
    Duration m_poissonOffset{}; ///< of m_next
};

} // namespace throttlescope
