// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/delay_value.h"
#include "core/signals/rate_limit_state.h"

#include <optional>
#include <string_view>
#include <vector>

namespace throttlescope::signals {

inline constexpr std::size_t kMostWindows = 64;

/// Gathers the windows of one response while its headers are read, and remembers where each reset came from.
class WindowBook {
public:
    explicit WindowBook(std::vector<Window> &windows)
        : m_windows(windows)
    {
    }

    /// What is known of a window beside what it shows.
    struct Source {
        std::uint8_t group = 0;
        std::string_view key; ///< its name as headers have it, compared without case
        std::optional<std::uint64_t> used{};
        bool negativeRemaining = false;
        bool mayShare = false; ///< its reset may be meant for several windows
        bool absoluteReset = false;
        const HeaderField *resetField = nullptr;
        std::optional<Told> reset{};
    };
    struct Entry {
        Window &window;
        Source &source;
    };

    /// The window of that name in that family, a new one where there is none; nothing once there are kMostWindows.
    std::optional<Entry> at(std::uint8_t group, std::string_view key);
    /// A window that a structured field told of whole.
    void add(Window window, const HeaderField &field);
    /// A reset, unless a finer one is known: a delay goes before a moment, for it needs no clock. Of two lines of one header
    /// the later reset.
    static void setReset(Entry entry, const Told &told, const HeaderField &field);

    /// Once all headers are read: sentinels, what is left where only the used part was told, the shared reset.
    void settle();

    const Window *windows() const { return m_windows.data(); }
    const Source &source(const Window &window) const { return m_sources[static_cast<std::size_t>(&window - m_windows.data())]; }
    /// What is exhausted and says until when, the longest of several; null where there is none, or where another exhausted
    /// window is longer and does not say.
    const Window *exhausted() const;
    bool anyExhausted() const;

private:
    void giveAwaySharedReset();
    void dropEmpty();

    std::vector<Window> &m_windows;
    std::vector<Source> m_sources;
};

/// "minute" → 60 s, "tokens-day" → 86,400 s, "24hour", "30" (seconds); nothing where the name tells no length.
std::optional<Duration> lengthNamed(std::string_view name);

} // namespace throttlescope::signals
