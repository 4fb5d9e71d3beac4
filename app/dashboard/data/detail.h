// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_kind.h"
#include "app/dashboard/data/string_pool.h"
#include "core/journal/event.h"

#include <cstdint>
#include <vector>

namespace throttlescope::dashboard {

/// An event, and what it points to. Its texts live in the store.
struct EventBuffer {
    journal::Event event;
    Decision decision;
    signals::Hint hint;
    signals::RateLimitState state;
};

/// Where an event's packed detail is written.
struct PackedOut {
    std::vector<std::uint8_t> &bytes;
    std::vector<TextId> &texts;
    StringPool &pool;
};
/// Where it is read.
struct PackedIn {
    const std::uint8_t *bytes;
    const TextId *texts;
    const StringPool &pool;
};

/// What differs from what the neighbours and the columns say; of most events nothing does, and it is one byte.
struct Irregular {
    std::int64_t seq = 0; ///< − the number that its place in the chunk says
    Duration wallOffset{}; ///< − the chunk's
    Duration at{}; ///< exact time − the column's
    std::int64_t attempt = 0; ///< where the column cannot hold it
};

/// Everything of a payload that the journal carries, in a few dozen bytes.
void pack(PackedOut out, const Irregular &irregular, const journal::Payload &payload);
/// Fills `buffer.event.payload` with a payload of that kind.
Irregular unpack(PackedIn in, EventKind kind, EventBuffer &buffer);

} // namespace throttlescope::dashboard
