// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/outcome.h"
#include "core/signals/numbers.h"

#include <algorithm>
#include <string_view>

namespace throttlescope::fetch {

using signals::trimmed;

/// Whether a word is among these, in whichever case, as names of headers and of schemes are compared.
bool isOneOf(const auto &words, std::string_view word)
{
    return std::any_of(words.begin(), words.end(), [word](std::string_view each) { return sameHeaderName(each, word); });
}

/// Calls `take(number, line)` for each line, from 1, without its end: a line feed, or a carriage return and one.
void eachLine(std::string_view text, auto take)
{
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        take(number, line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

} // namespace throttlescope::fetch
