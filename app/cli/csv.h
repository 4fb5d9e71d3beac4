// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace throttlescope::cli {

/// One record of RFC 4180, with a line feed: a cell is quoted where it must be.
inline std::string csvLine(const std::vector<std::string> &cells)
{
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string &cell = cells[i];
        out += i == 0 ? "" : ",";
        if (cell.find_first_of(",\"\r\n") == std::string::npos) {
            out += cell;
            continue;
        }
        out += '"';
        for (const char c : cell)
            out += c == '"' ? std::string{"\"\""} : std::string{c};
        out += '"';
    }
    return out + '\n';
}

} // namespace throttlescope::cli
