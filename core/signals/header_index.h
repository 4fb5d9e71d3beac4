// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/dialects.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::signals {

using DialectSet = std::uint64_t; ///< one bit a dialect, the preferred one lowest

constexpr DialectSet bit(Dialect dialect)
{
    return DialectSet{1} << static_cast<unsigned>(dialect);
}

/// All rows of the table that share a header's name.
struct HeaderEntry {
    std::string_view name; ///< as in the table
    std::string lowerName;
    std::vector<const DialectRow *> rows; ///< never empty; the first one not `onlyWhenNamed` is the common reading
    DialectSet dialects = 0; ///< of the rows that hold unasked
    std::uint8_t group = 0; ///< tells unnamed windows of different families apart: "ratelimit", "x-ratelimit"
    bool mayShare = false; ///< some dialect has it as the one reset of several windows
    /// The row to read with; null where all rows need their dialect named.
    const DialectRow *row(const Dialect *named) const;
};

/// A header found in the table: the entry, and where the window's name stands in the header's.
struct HeaderMatch {
    const HeaderEntry *entry = nullptr;
    std::uint8_t wildcardAt = 0;
    std::uint8_t wildcardSize = 0;
};

/// The table by name. Built once; looking up takes a few nanoseconds for a header that no dialect knows, allocates
/// nothing, and its time does not depend on the name's length. Thread-safe.
class HeaderIndex {
public:
    static const HeaderIndex &instance();
    HeaderMatch find(std::string_view name) const;

private:
    HeaderIndex();
    void add(const DialectRow &row);
    const HeaderEntry *exact(std::string_view name) const;
    HeaderMatch wildcard(std::string_view lowerName) const;

    static constexpr std::size_t kSlots = 512; ///< a power of two, several times the number of names
    static constexpr std::size_t kLongest = 63;
    std::vector<HeaderEntry> m_exact;
    std::vector<HeaderEntry> m_wildcards;
    std::array<std::uint64_t, 32> m_lengths{}; ///< by first letter: bit n is set where a name of that length begins so
    std::array<bool, 32> m_wildcardLetters{};
    std::array<std::uint16_t, kSlots> m_slots{}; ///< index into m_exact plus 1
};

} // namespace throttlescope::signals
