// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace throttlescope::fetch {

/// "37/500  2.0/s  3 unchecked  3m52s left"; `unchecked`: those that ended without an answer that settles them. A refusal that
/// was waited out is none.
std::string progressText(std::size_t done, std::size_t total, std::size_t unchecked, std::chrono::milliseconds elapsed);

/// One line on stderr, overwritten; nothing where that is no terminal.
class ProgressLine {
public:
    explicit ProgressLine(std::size_t total);
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    /// At most ten times a second. To be called each second, too, while nothing ends: the time left counts on.
    void show(std::size_t done, std::size_t unchecked);
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    std::size_t m_total;
    bool m_terminal;
    bool m_onScreen = false;
    Clock::time_point m_begin = Clock::now();
    Clock::time_point m_shown;
};

} // namespace throttlescope::fetch
