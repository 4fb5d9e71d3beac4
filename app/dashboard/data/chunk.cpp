// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/chunk.h"

#include "app/dashboard/data/detail.h"

#include <algorithm>
#include <utility>

namespace throttlescope::dashboard {

namespace {

std::uint8_t outcomeByte(const journal::Payload &payload)
{
    if (const auto *finished = std::get_if<journal::AttemptFinished>(&payload))
        return static_cast<std::uint8_t>(outcomeOf(*finished));
    if (const auto *finished = std::get_if<journal::OperationFinished>(&payload))
        return static_cast<std::uint8_t>(finished->result);
    if (const auto *refused = std::get_if<journal::RetryRefused>(&payload))
        return static_cast<std::uint8_t>(refused->decision->family);
    return 0;
}

} // namespace

void Columns::reserve(std::size_t rows)
{
    at.reserve(rows), duration.reserve(rows), operation.reserve(rows), server.reserve(rows), detail.reserve(rows), texts.reserve(rows);
    attempt.reserve(rows), status.reserve(rows), kind.reserve(rows), outcome.reserve(rows), reason.reserve(rows);
}

std::size_t Columns::bytes() const
{
    constexpr std::size_t row = sizeof(MonotonicTime) + sizeof(Duration) + 2 * sizeof(TextId) + 2 * sizeof(std::uint32_t)
        + sizeof(std::uint16_t) + sizeof(std::int16_t) + 3;
    return at.capacity() * row + detailBytes.capacity() + detailTexts.capacity() * sizeof(TextId);
}

ChunkBuilder::ChunkBuilder()
    : m_chunk(std::make_shared<Chunk>())
{
}

void ChunkBuilder::accept(const journal::Event &event)
{
    Chunk &chunk = *m_chunk;
    Columns &columns = chunk.m_columns;
    const Duration wallOffset = event.at.wall.time_since_epoch() - event.at.monotonic.time_since_epoch();
    if (columns.size() == 0) {
        chunk.m_seq = event.seq;
        chunk.m_wallOffset = wallOffset;
    }
    m_latest = std::max(m_latest, event.at.monotonic);
    constexpr int mostAttempts = std::numeric_limits<std::uint16_t>::max();
    const int attempt = std::clamp(event.attempt, 0, mostAttempts);
    const int status = std::clamp<int>(statusOf(event.payload).value_or(Columns::kNoStatus), Columns::kNoStatus, 0x7FFF);
    const auto reason = reasonOf(event.payload);
    const Irregular irregular{static_cast<std::int64_t>(event.seq - chunk.m_seq - columns.size()), wallOffset - chunk.m_wallOffset,
        event.at.monotonic - m_latest, event.attempt - attempt};

    columns.at.push_back(m_latest);
    columns.duration.push_back(mainDuration(event).value_or(Columns::kNoDuration));
    columns.operation.push_back(chunk.m_pool.intern(event.operation));
    columns.server.push_back(chunk.m_pool.intern(event.server));
    columns.detail.push_back(static_cast<std::uint32_t>(columns.detailBytes.size()));
    columns.texts.push_back(static_cast<std::uint32_t>(columns.detailTexts.size()));
    columns.attempt.push_back(static_cast<std::uint16_t>(attempt));
    columns.status.push_back(static_cast<std::int16_t>(status));
    columns.kind.push_back(kindOf(event.payload));
    columns.outcome.push_back(outcomeByte(event.payload));
    columns.reason.push_back(reason ? static_cast<std::uint8_t>(*reason) : Columns::kNoReason);
    chunk.m_op.push_back(event.op);
    pack({columns.detailBytes, columns.detailTexts, chunk.m_pool}, irregular, event.payload);
}

ChunkPointer ChunkBuilder::take()
{
    auto next = std::make_shared<Chunk>();
    next->m_columns.reserve(size());
    next->m_columns.detailBytes.reserve(m_chunk->m_columns.detailBytes.size());
    next->m_columns.detailTexts.reserve(m_chunk->m_columns.detailTexts.size());
    next->m_op.reserve(size());
    return std::exchange(m_chunk, std::move(next));
}

} // namespace throttlescope::dashboard
