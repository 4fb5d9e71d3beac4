// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/event_store.h"

#include <algorithm>
#include <atomic>

namespace throttlescope::dashboard {

namespace {

template <typename T>
void appendRange(std::vector<T> &to, const std::vector<T> &from, std::size_t first, std::size_t last)
{
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first), from.begin() + static_cast<std::ptrdiff_t>(last));
}

/// Positions in a chunk's bytes as positions in a block's.
void appendMoved(
    std::vector<std::uint32_t> &to, const std::vector<std::uint32_t> &from, std::size_t first, std::size_t last, std::size_t base)
{
    const auto moved = static_cast<std::uint32_t>(base) - from[first];
    std::transform(from.begin() + static_cast<std::ptrdiff_t>(first), from.begin() + static_cast<std::ptrdiff_t>(last),
        std::back_inserter(to), [moved](std::uint32_t position) { return position + moved; });
}

void appendTexts(
    std::vector<TextId> &to, const std::vector<TextId> &from, std::size_t first, std::size_t last, const std::vector<TextId> &texts)
{
    std::transform(from.begin() + static_cast<std::ptrdiff_t>(first), from.begin() + static_cast<std::ptrdiff_t>(last),
        std::back_inserter(to), [&texts](TextId id) { return texts[id]; });
}

std::uint64_t nextRunId()
{
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

} // namespace

EventStore::EventStore()
    : m_runId(nextRunId())
{
}

void EventStore::clear()
{
    *this = EventStore{};
}

void EventStore::append(const Chunk &chunk)
{
    const std::size_t size = chunk.size();
    if (size == 0)
        return;
    std::vector<TextId> texts(chunk.m_pool.size());
    for (TextId id = 0; id < texts.size(); ++id)
        texts[id] = m_pool.intern(chunk.m_pool.text(id));
    if (const Base base{m_rows, chunk.m_seq - m_rows, chunk.m_wallOffset};
        m_bases.empty() || m_bases.back().seqMinusRow != base.seqMinusRow || m_bases.back().wallOffset != base.wallOffset)
        m_bases.push_back(base);
    for (std::size_t from = 0; from < size;) {
        const std::size_t to = std::min(size, from + kBlockRows - inBlock(m_rows));
        appendPart(chunk, from, to, texts);
        from = to;
    }
}

/// The rows fit into the block at the end.
void EventStore::appendPart(const Chunk &chunk, std::size_t from, std::size_t to, const std::vector<TextId> &texts)
{
    if (inBlock(m_rows) == 0) {
        if (!m_blocks.empty())
            seal(*m_blocks.back());
        m_blocks.push_back(std::make_unique<Block>());
        m_blocks.back()->columns.reserve(kBlockRows);
        m_blocks.back()->operation.reserve(kBlockRows);
        m_blocks.back()->next.reserve(kBlockRows);
    }
    Block &block = *m_blocks.back();
    Columns &columns = block.columns;
    const Columns &source = chunk.m_columns;
    const bool atEnd = to == source.size();
    const std::size_t bytesEnd = atEnd ? source.detailBytes.size() : source.detail[to];
    const std::size_t textsEnd = atEnd ? source.detailTexts.size() : source.texts[to];

    appendMoved(columns.detail, source.detail, from, to, columns.detailBytes.size());
    appendMoved(columns.texts, source.texts, from, to, columns.detailTexts.size());
    appendRange(columns.detailBytes, source.detailBytes, source.detail[from], bytesEnd);
    appendTexts(columns.detailTexts, source.detailTexts, source.texts[from], textsEnd, texts);
    appendRange(columns.at, source.at, from, to);
    appendRange(columns.duration, source.duration, from, to);
    appendTexts(columns.operation, source.operation, from, to, texts);
    appendTexts(columns.server, source.server, from, to, texts);
    appendRange(columns.attempt, source.attempt, from, to);
    appendRange(columns.status, source.status, from, to);
    appendRange(columns.kind, source.kind, from, to);
    appendRange(columns.outcome, source.outcome, from, to);
    appendRange(columns.reason, source.reason, from, to);
    for (std::size_t i = from; i < to; ++i) {
        if (source.kind[i] == EventKind::Marker)
            m_markers.push_back(m_rows);
        chain(block, chunk.m_op[i]);
    }
}

/// A full block keeps no room to grow.
void EventStore::seal(Block &block)
{
    block.columns.detailBytes.shrink_to_fit();
    block.columns.detailTexts.shrink_to_fit();
}

/// Adds one row to the chain of its operation.
void EventStore::chain(Block &block, journal::OperationId id)
{
    const Row row = m_rows++;
    block.next.push_back(kNoRow);
    if (id == 0) {
        block.operation.push_back(kNoOperation);
        return;
    }
    const OperationIndex index = indexFor(id);
    block.operation.push_back(index);
    Operation &operation = m_operations[index];
    if (operation.first == kNoRow)
        operation.first = row;
    else
        m_blocks[operation.last >> kBlockBits]->next[inBlock(operation.last)] = row;
    operation.last = row;
}

OperationIndex EventStore::indexFor(journal::OperationId id)
{
    if (const auto known = indexOf(id))
        return *known;
    const OperationIndex index = operationCount();
    m_operations.push_back({id, kNoRow, kNoRow});
    constexpr std::size_t gaps = 1024;
    if (id < 2 * m_operations.size() + gaps) {
        if (id >= m_indexById.size())
            m_indexById.resize(id + 1, kNoOperation);
        m_indexById[id] = index;
    } else {
        m_strayIds.emplace(id, index);
    }
    return index;
}

std::optional<OperationIndex> EventStore::indexOf(journal::OperationId id) const
{
    if (id < m_indexById.size() && m_indexById[id] != kNoOperation)
        return m_indexById[id];
    const auto stray = m_strayIds.find(id);
    return stray == m_strayIds.end() ? std::nullopt : std::optional{stray->second};
}

std::optional<OperationIndex> EventStore::operationIndex(Row row) const
{
    const OperationIndex index = block(row).operation[inBlock(row)];
    return index == kNoOperation ? std::nullopt : std::optional{index};
}

journal::OperationId EventStore::op(Row row) const
{
    const OperationIndex index = block(row).operation[inBlock(row)];
    return index == kNoOperation ? 0 : m_operations[index].id;
}

std::optional<int> EventStore::status(Row row) const
{
    const int status = block(row).columns.status[inBlock(row)];
    return status == Columns::kNoStatus ? std::nullopt : std::optional{status};
}

std::optional<RefusalReason> EventStore::reason(Row row) const
{
    const std::uint8_t reason = block(row).columns.reason[inBlock(row)];
    return reason == Columns::kNoReason ? std::nullopt : std::optional{static_cast<RefusalReason>(reason)};
}

std::optional<Duration> EventStore::duration(Row row) const
{
    const Duration duration = block(row).columns.duration[inBlock(row)];
    return duration == Columns::kNoDuration ? std::nullopt : std::optional{duration};
}

AttemptOutcome EventStore::outcome(Row row) const
{
    return static_cast<AttemptOutcome>(block(row).columns.outcome[inBlock(row)]);
}

Result EventStore::result(Row row) const
{
    return static_cast<Result>(block(row).columns.outcome[inBlock(row)]);
}

Family EventStore::family(Row row) const
{
    return static_cast<Family>(block(row).columns.outcome[inBlock(row)]);
}

const EventStore::Base &EventStore::baseOf(Row row) const
{
    const auto after
        = std::upper_bound(m_bases.begin(), m_bases.end(), row, [](Row wanted, const Base &base) { return wanted < base.row; });
    return *(after - 1);
}

const journal::Event &EventStore::event(Row row, EventBuffer &buffer) const
{
    const Columns &columns = block(row).columns;
    const std::size_t i = inBlock(row);
    const Base &base = baseOf(row);
    journal::Event &event = buffer.event;
    const Irregular irregular = unpack(
        {columns.detailBytes.data() + columns.detail[i], columns.detailTexts.data() + columns.texts[i], m_pool}, columns.kind[i], buffer);
    event.seq = base.seqMinusRow + row + static_cast<std::uint64_t>(irregular.seq);
    event.at.monotonic = columns.at[i] + irregular.at;
    event.at.wall = WallTime{event.at.monotonic.time_since_epoch() + base.wallOffset + irregular.wallOffset};
    event.op = op(row);
    event.operation = operation(row);
    event.server = server(row);
    event.attempt = columns.attempt[i] + static_cast<int>(irregular.attempt);
    return event;
}

Row EventStore::firstRowAt(MonotonicTime time) const
{
    const auto block = std::partition_point(
        m_blocks.begin(), m_blocks.end(), [time](const std::unique_ptr<Block> &each) { return each->columns.at.back() < time; });
    if (block == m_blocks.end())
        return m_rows;
    const auto &at = (*block)->columns.at;
    const auto found = std::lower_bound(at.begin(), at.end(), time);
    return static_cast<Row>(((block - m_blocks.begin()) << kBlockBits) + (found - at.begin()));
}

std::vector<Row> EventStore::rowsOf(journal::OperationId id) const
{
    std::vector<Row> rows;
    if (const auto index = indexOf(id)) {
        for (Row row = firstRowOf(*index); row != kNoRow; row = nextOfOperation(row))
            rows.push_back(row);
    }
    return rows;
}

std::size_t EventStore::bytes() const
{
    std::size_t bytes = m_pool.bytes() + m_operations.capacity() * sizeof(Operation) + m_indexById.capacity() * sizeof(OperationIndex)
        + m_strayIds.size() * 40 + m_bases.capacity() * sizeof(Base);
    for (const auto &block : m_blocks)
        bytes += block->columns.bytes() + block->operation.capacity() * sizeof(OperationIndex) + block->next.capacity() * sizeof(Row);
    return bytes;
}

} // namespace throttlescope::dashboard
