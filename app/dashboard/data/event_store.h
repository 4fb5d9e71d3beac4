// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/chunk.h"
#include "app/dashboard/data/detail.h"

#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace throttlescope::dashboard {

using Row = std::uint32_t;
inline constexpr Row kNoRow = 0xFFFFFFFF;
/// An operation's place in order of its first event.
using OperationIndex = std::uint32_t;

/// Every event of one run, whole, in some 60 to 90 bytes each. Columns answer what is asked often; `event()` brings back
/// the rest. Grows at its end only. One thread.
class EventStore {
public:
    EventStore();

    void clear();
    /// Another number after each clear(), and in each store: whoever follows a store sees that it must begin anew.
    std::uint64_t runId() const { return m_runId; }
    /// In O(rows). Chunks in the order of the run, all of one builder.
    void append(const Chunk &chunk);

    Row rowCount() const { return m_rows; }
    MonotonicTime at(Row row) const { return block(row).columns.at[inBlock(row)]; }
    EventKind kind(Row row) const { return block(row).columns.kind[inBlock(row)]; }
    /// 0: of no operation.
    journal::OperationId op(Row row) const;
    std::string_view operation(Row row) const { return m_pool.text(block(row).columns.operation[inBlock(row)]); }
    TextId operationText(Row row) const { return block(row).columns.operation[inBlock(row)]; }
    std::string_view server(Row row) const { return m_pool.text(block(row).columns.server[inBlock(row)]); }
    TextId serverText(Row row) const { return block(row).columns.server[inBlock(row)]; }
    int attempt(Row row) const { return block(row).columns.attempt[inBlock(row)]; } ///< 0: none
    std::optional<int> status(Row row) const;
    std::optional<RefusalReason> reason(Row row) const;
    std::optional<Duration> duration(Row row) const; ///< mainDuration()
    AttemptOutcome outcome(Row row) const; ///< of attempt.finished
    Result result(Row row) const; ///< of operation.finished
    Family family(Row row) const; ///< of retry.refused

    /// The event as it was recorded. It lives until the buffer is used again or the store changes.
    const journal::Event &event(Row row, EventBuffer &buffer) const;

    std::string_view text(TextId id) const { return m_pool.text(id); }
    std::optional<TextId> textId(std::string_view text) const { return m_pool.find(text); }

    /// First row at or after that moment; rowCount() where there is none.
    Row firstRowAt(MonotonicTime time) const;
    MonotonicTime begin() const { return m_rows == 0 ? MonotonicTime{} : at(0); }
    MonotonicTime end() const { return m_rows == 0 ? MonotonicTime{} : at(m_rows - 1); }

    /// Rows of kind Marker.
    const std::vector<Row> &markerRows() const { return m_markers; }

    OperationIndex operationCount() const { return static_cast<OperationIndex>(m_operations.size()); }
    journal::OperationId operationId(OperationIndex index) const { return m_operations[index].id; }
    Row firstRowOf(OperationIndex index) const { return m_operations[index].first; }
    Row lastRowOf(OperationIndex index) const { return m_operations[index].last; }
    std::optional<OperationIndex> indexOf(journal::OperationId id) const;
    std::optional<OperationIndex> operationIndex(Row row) const;
    /// The next row of the same operation, kNoRow after the last.
    Row nextOfOperation(Row row) const { return block(row).next[inBlock(row)]; }
    std::vector<Row> rowsOf(journal::OperationId id) const;

    /// What it takes in memory, as it counts itself.
    std::size_t bytes() const;

private:
    static constexpr Row kBlockBits = 14;
    static constexpr Row kBlockRows = Row{1} << kBlockBits;
    static constexpr OperationIndex kNoOperation = 0xFFFFFFFF;

    struct Block {
        Columns columns;
        std::vector<OperationIndex> operation;
        std::vector<Row> next; ///< of the same operation
    };
    struct Operation {
        journal::OperationId id;
        Row first, last;
    };
    /// From a row on: what most rows of a chunk share.
    struct Base {
        Row row;
        std::uint64_t seqMinusRow;
        Duration wallOffset;
    };

    const Block &block(Row row) const { return *m_blocks[row >> kBlockBits]; }
    static std::size_t inBlock(Row row) { return row & (kBlockRows - 1); }
    void appendPart(const Chunk &chunk, std::size_t from, std::size_t to, const std::vector<TextId> &texts);
    void seal(Block &block);
    OperationIndex indexFor(journal::OperationId id);
    void chain(Block &block, journal::OperationId id);
    const Base &baseOf(Row row) const;

    std::uint64_t m_runId;
    Row m_rows = 0;
    std::vector<std::unique_ptr<Block>> m_blocks;
    std::vector<Operation> m_operations;
    std::vector<OperationIndex> m_indexById; ///< ids run from 1, with few gaps
    std::unordered_map<journal::OperationId, OperationIndex> m_strayIds; ///< that do not
    std::vector<Base> m_bases;
    std::vector<Row> m_markers;
    StringPool m_pool;
};

} // namespace throttlescope::dashboard
