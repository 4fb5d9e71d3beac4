// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/progress.h"

#include "core/engine/words.h"

#include <cmath>
#include <fmt/format.h>
#include <unistd.h>

namespace throttlescope::fetch {

using namespace std::chrono_literals;

std::string progressText(std::size_t done, std::size_t total, std::size_t unchecked, std::chrono::milliseconds elapsed)
{
    const double rate = elapsed > 0ms ? static_cast<double>(done) * 1000 / static_cast<double>(elapsed.count()) : 0;
    std::string text = fmt::format("{}/{}  {:.1f}/s  {} unchecked", done, total, rate, unchecked);
    if (rate > 0) {
        const auto left = std::chrono::seconds{std::llround(static_cast<double>(total - done) / rate)};
        text += fmt::format("  {} left", durationText(left));
    }
    return text;
}

ProgressLine::ProgressLine(std::size_t total)
    : m_total(total)
    , m_terminal(isatty(STDERR_FILENO) != 0)
{
}

void ProgressLine::show(std::size_t done, std::size_t unchecked)
{
    constexpr auto pause = 100ms;
    const auto now = Clock::now();
    if (!m_terminal || now - m_shown < pause)
        return;
    m_shown = now;
    m_onScreen = true;
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - m_begin);
    fmt::print(stderr, "\r\x1b[K{}", progressText(done, m_total, unchecked, elapsed));
}

void ProgressLine::clear()
{
    if (m_onScreen)
        fmt::print(stderr, "\r\x1b[K");
    m_onScreen = false;
}

} // namespace throttlescope::fetch
