// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/dialects.h"
#include "core/signals/window_book.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// Values that count, in the forms of the dialect table. Linear in the text; nothing is believed that is not a plain number.
namespace throttlescope::signals {

/// A count: whole, or decimal and then rounded down (Reddit: "999.0").
std::optional<std::uint64_t> countValue(std::string_view text);
/// "-1": what servers write for "unknown".
bool isNegativeNumber(std::string_view text);

/// A field that tells several counts at once, into the windows it names. False where the value is not of that form.
bool readCounters(Form form, std::uint8_t group, std::string_view window, const HeaderField &field, WindowBook &book);

} // namespace throttlescope::signals
