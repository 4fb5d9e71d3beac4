// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace throttlescope::dashboard {

using TextId = std::uint32_t; ///< 0: the empty text

/// Each text once, some 24 bytes and its length; views stay valid as long as the pool.
class StringPool {
public:
    StringPool();

    TextId intern(std::string_view text);
    std::optional<TextId> find(std::string_view text) const;
    std::string_view text(TextId id) const { return m_texts[id]; }
    std::size_t size() const { return m_texts.size(); }
    std::size_t bytes() const;

private:
    std::size_t slotOf(std::string_view text) const;
    std::string_view keep(std::string_view text);
    void grow();

    std::vector<std::unique_ptr<char[]>> m_arena;
    std::size_t m_arenaBytes = 0;
    char *m_free = nullptr;
    std::size_t m_left = 0;
    std::deque<std::string_view> m_texts; ///< by id
    std::vector<TextId> m_table; ///< open addressing, a power of two; 0: free, the empty text is never looked for in it
    std::array<TextId, 32> m_recent{}; ///< by their ends: the same few texts come again and again, and need no hash
};

} // namespace throttlescope::dashboard
