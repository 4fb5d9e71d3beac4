// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/lod.h"

namespace throttlescope::dashboard {

/// What is never drawn away, however many events share its pixel.
enum class Rare : std::uint8_t {
    WaitExceeded,
    Refused, ///< for any other reason, rejected operations included
    BreakerOpened,
    BreakerHalfOpen,
    BreakerClosed,
    BreakerRejected,
    BudgetExhausted,
    Fallback,
    Resent,
    PolicyChanged,
};
inline constexpr std::size_t kRares = 10;

/// A set of them.
class RareSet {
public:
    constexpr RareSet(std::initializer_list<Rare> rares)
    {
        for (const Rare rare : rares)
            m_bits |= 1U << static_cast<unsigned>(rare);
    }
    constexpr bool has(Rare rare) const { return (m_bits >> static_cast<unsigned>(rare) & 1U) != 0; }

private:
    unsigned m_bits = 0;
};
inline constexpr RareSet kBreakerEvents{Rare::BreakerOpened, Rare::BreakerHalfOpen, Rare::BreakerClosed};

/// All events of one kind in one column of a pixel.
struct RareMark {
    int column = 0;
    Rare rare = Rare::WaitExceeded;
    std::uint32_t count = 0;
    Row first = kNoRow, last = kNoRow;
    bool operator==(const RareMark &) const = default;
};

/// The rare events of a run, in order of time; 12 bytes each.
class RareEvents {
public:
    /// Not before the last one.
    void append(Rare rare, MonotonicTime at, Row row);
    void clear() { *this = RareEvents{}; }
    std::size_t count(Rare rare) const { return m_events[static_cast<std::size_t>(rare)].at.size(); }

    /// Every event of the range is in the mark of its column and kind. By kind, then column.
    void read(const PixelRange &range, std::vector<RareMark> &marks) const;
    /// The nearest one behind or before a row, for going from event to event.
    std::optional<Row> next(RareSet wanted, Row after) const;
    std::optional<Row> previous(RareSet wanted, Row before) const;
    std::size_t bytes() const;

private:
    struct Events {
        std::vector<MonotonicTime> at;
        std::vector<Row> rows;
    };
    std::array<Events, kRares> m_events;
};

/// The rare event that a row is, if it is one.
std::optional<Rare> rareOf(const EventStore &store, Row row);

} // namespace throttlescope::dashboard
