// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_kind.h"
#include "app/dashboard/data/string_pool.h"
#include "core/journal/event.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace throttlescope::dashboard {

/// What of an event is looked at often, a column each. What is left of it is packed (detail.h) into `detail` bytes and the
/// ids of the texts they name.
struct Columns {
    static constexpr std::uint8_t kNoReason = 0xFF;
    static constexpr std::int16_t kNoStatus = -1;
    static constexpr Duration kNoDuration = Duration::min();

    std::vector<MonotonicTime> at; ///< never falls: a moment before its predecessor's is drawn at that one's
    std::vector<Duration> duration; ///< mainDuration()
    std::vector<TextId> operation, server;
    std::vector<std::uint32_t> detail; ///< where the row's bytes begin
    std::vector<std::uint32_t> texts; ///< where the ids of the row's texts begin
    std::vector<std::uint16_t> attempt;
    std::vector<std::int16_t> status;
    std::vector<EventKind> kind;
    std::vector<std::uint8_t>
        outcome; ///< AttemptOutcome of attempt.finished, Result of operation.finished, Family of retry.refused, else 0
    std::vector<std::uint8_t> reason; ///< RefusalReason

    std::vector<std::uint8_t> detailBytes;
    std::vector<TextId> detailTexts;

    std::size_t size() const { return at.size(); }
    void reserve(std::size_t rows);
    std::size_t bytes() const;
};

/// A batch of a run's events, with its own texts: what crosses from a worker thread to the GUI thread. Never changes.
class Chunk {
public:
    std::size_t size() const { return m_columns.size(); }
    MonotonicTime begin() const { return m_columns.at.front(); }
    MonotonicTime end() const { return m_columns.at.back(); }

private:
    friend class ChunkBuilder;
    friend class EventStore;

    Columns m_columns;
    std::vector<journal::OperationId> m_op;
    StringPool m_pool;
    std::uint64_t m_seq = 0; ///< of the first row
    Duration m_wallOffset{}; ///< wall time − monotonic time, of the first row
};
using ChunkPointer = std::shared_ptr<const Chunk>;

/// Packs the events of one run. One builder a run; one thread.
class ChunkBuilder final : public journal::EventSink {
public:
    ChunkBuilder();

    void accept(const journal::Event &event) override;
    /// Events since the last take().
    std::size_t size() const { return m_chunk->size(); }
    /// Never null; empty where nothing came. The next is expected to be as large.
    ChunkPointer take();

private:
    std::shared_ptr<Chunk> m_chunk;
    MonotonicTime m_latest = MonotonicTime::min();
};

} // namespace throttlescope::dashboard
