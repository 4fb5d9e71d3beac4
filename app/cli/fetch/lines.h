// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string_view>

namespace throttlescope::fetch {

/// Calls `take(number, line)` for each line, from 1, without its line feed.
void eachLine(std::string_view text, auto take)
{
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        take(number, text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// Without blanks at both ends, the carriage return of a Windows line included.
inline std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blank = " \t\r";
    const std::size_t first = text.find_first_not_of(blank);
    return first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

} // namespace throttlescope::fetch
