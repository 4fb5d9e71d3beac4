// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::cli {

/// Lines of cells, as wide as the widest of their column: the first column to the left, numbers to the right.
class TextTable {
public:
    void add(std::vector<std::string> row) { m_rows.push_back(std::move(row)); }

    std::string text() const
    {
        std::vector<std::size_t> widths;
        for (const auto &row : m_rows) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i)
                widths[i] = std::max(widths[i], widthOf(row[i]));
        }
        std::string out;
        for (const auto &row : m_rows) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::string room(widths[i] - widthOf(row[i]), ' ');
                out += i == 0 ? row[i] + room : "  " + room + row[i];
            }
            out.erase(out.find_last_not_of(' ') + 1);
            out += '\n';
        }
        return out;
    }

private:
    /// Of UTF-8, the characters.
    static std::size_t widthOf(std::string_view text)
    {
        return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    }

    std::vector<std::vector<std::string>> m_rows;
};

} // namespace throttlescope::cli
