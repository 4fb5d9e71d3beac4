// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_store.h"

#include <optional>
#include <vector>

/// What a lane shows, one lane an operation. Nothing is kept: a lane is read off the few rows of its operation when it is
/// looked at, so it is never behind the store.
namespace throttlescope::dashboard {

struct AttemptSpan {
    MonotonicTime begin, end; ///< up to now while under way
    std::optional<AttemptOutcome> outcome; ///< none: under way
    std::optional<int> status;
    int attempt = 0;
    bool fallback = false;
    bool probe = false;
    Row started = kNoRow, finished = kNoRow;
    bool operator==(const AttemptSpan &) const = default;
};

struct WaitSpan {
    MonotonicTime begin, end; ///< as it was waited; up to now while it goes on
    std::optional<MonotonicTime> asked; ///< the moment that the server asked for
    bool goesOn = false;
    Row row = kNoRow; ///< retry.scheduled
    bool operator==(const WaitSpan &) const = default;
};

struct PacingSpan {
    MonotonicTime begin, end;
    bool cooldown = false; ///< the shared cooldown held it
    bool goesOn = false;
    Row row = kNoRow; ///< pacer.wait, or what came after it
    bool operator==(const PacingSpan &) const = default;
};

struct Refusal {
    MonotonicTime at;
    RefusalReason reason = RefusalReason::WaitExceeded;
    std::optional<MonotonicTime> asked; ///< the moment that the server asked for
    Row row = kNoRow; ///< retry.refused, or operation.finished of one that was rejected
    bool operator==(const Refusal &) const = default;
};

struct FallbackSpan {
    MonotonicTime begin, end;
    std::optional<Result> result; ///< none: under way
    Row row = kNoRow; ///< fallback.started
    bool operator==(const FallbackSpan &) const = default;
};

struct Lane {
    OperationIndex index = 0;
    journal::OperationId op = 0;
    TextId operation = 0, server = 0;
    MonotonicTime begin, end; ///< up to now while it is open
    std::optional<Result> result; ///< none: open
    bool viaFallback = false;
    std::vector<AttemptSpan> attempts;
    std::vector<WaitSpan> waits;
    std::vector<PacingSpan> pacings;
    std::vector<Refusal> refusals;
    std::optional<FallbackSpan> fallback;
};

/// `now`: the latest moment that is known of the run.
Lane laneOf(const EventStore &store, OperationIndex index, MonotonicTime now);
inline Lane laneOf(const EventStore &store, OperationIndex index)
{
    return laneOf(store, index, store.end());
}

/// The operations that began before `to` and had not ended before `from`, in order of their beginning; at most `most`.
std::vector<OperationIndex> operationsBetween(const EventStore &store, MonotonicTime from, MonotonicTime to, std::size_t most);

} // namespace throttlescope::dashboard
