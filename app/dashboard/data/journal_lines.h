// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/journal/event_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::dashboard {

/// Cuts a journal that comes in pieces into events. A line that is broken is left out; one that is not ended yet waits.
class JournalLines {
public:
    struct Line {
        const journal::Event *event = nullptr; ///< lives until the next line is asked for; null: broken
        bool beginsSecondRun = false; ///< it is a run.started, and not the first event
        std::uint64_t number = 0; ///< from 1
        std::string error;
    };

    /// What was read next of the file.
    void add(std::string_view bytes);
    /// The next line that is an event or broken; none until there are more bytes.
    std::optional<Line> next();
    /// A whole event at the end that lacks nothing but its line end; to be asked for at the end of the file.
    std::optional<Line> last();
    bool cutLastLine() const { return !m_lastTaken && m_begin < m_bytes.size(); }
    std::uint64_t lines() const { return m_lines; }
    /// Numbers go on, the run is a new one.
    void restartRun() { m_lastSeq = 0; }

private:
    static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

    std::optional<Line> read(std::string_view line);
    std::string problem(const journal::Event &event) const;

    journal::EventReader m_reader;
    std::string m_bytes;
    std::size_t m_begin = 0; ///< of what was not read
    std::size_t m_searched = 0; ///< up to there is no line end
    std::uint64_t m_lines = 0;
    std::uint64_t m_lastSeq = 0;
    bool m_skipping = false; ///< in a line that is too long
    bool m_lastTaken = false; ///< the line that has no end yet was an event
};

} // namespace throttlescope::dashboard
