// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace throttlescope::cli {

/// The longest line that is read whole, in bytes; of a longer one nothing is kept.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// Lines of a file descriptor, read in blocks, in bounded memory however long a line is. Behind the text of each line
/// stand at least `kPadding` readable bytes, as simdjson wants them.
class LineReader {
public:
    static constexpr std::size_t kPadding = 64;

    /// `beforeReading` is called whenever the next line may be long in coming: what was written should be out by then.
    LineReader(int descriptor, std::function<void()> beforeReading);

    struct Line {
        std::string_view text; ///< without LF or CRLF; valid until the next call
        bool tooLong = false;
    };
    /// False at the end, and where reading failed: see `error`.
    bool next(Line &line);
    /// errno of the read that failed, or 0.
    int error() const { return m_error; }

private:
    bool emit(std::size_t end, std::size_t next, Line &line);
    void fill();

    int m_descriptor;
    std::function<void()> m_beforeReading;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0, m_searched = 0, m_end = 0; ///< of what is read and not yet given out
    bool m_atEnd = false;
    bool m_skipping = false; ///< in a line that is too long
    int m_error = 0;
};

} // namespace throttlescope::cli
