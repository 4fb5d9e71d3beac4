// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace throttlescope::dashboard {

namespace {

constexpr std::size_t kArenaPart = 16 * 1024;

std::size_t firstSlot(std::string_view text, std::size_t slots)
{
    return std::hash<std::string_view>{}(text) & (slots - 1);
}

} // namespace

StringPool::StringPool()
    : m_texts(1)
    , m_table(64)
{
}

TextId StringPool::intern(std::string_view text)
{
    if (text.empty())
        return 0;
    const auto end = static_cast<std::uint8_t>(text.front() ^ text.back());
    TextId &recent = m_recent[(text.size() + end) % m_recent.size()];
    if (m_texts[recent] == text)
        return recent;
    const std::size_t slot = slotOf(text);
    if (m_table[slot] != 0)
        return recent = m_table[slot];
    const auto id = static_cast<TextId>(m_texts.size());
    m_texts.push_back(keep(text));
    m_table[slot] = id;
    if (m_texts.size() * 4 > m_table.size() * 3)
        grow();
    return recent = id;
}

std::optional<TextId> StringPool::find(std::string_view text) const
{
    const TextId id = text.empty() ? 0 : m_table[slotOf(text)];
    return id != 0 || text.empty() ? std::optional{id} : std::nullopt;
}

/// Where the text is in the table, or would be.
std::size_t StringPool::slotOf(std::string_view text) const
{
    std::size_t slot = firstSlot(text, m_table.size());
    while (m_table[slot] != 0 && m_texts[m_table[slot]] != text)
        slot = (slot + 1) & (m_table.size() - 1);
    return slot;
}

std::size_t StringPool::bytes() const
{
    return m_arenaBytes + m_texts.size() * sizeof(std::string_view) + m_table.capacity() * sizeof(TextId);
}

std::string_view StringPool::keep(std::string_view text)
{
    if (text.size() > m_left) {
        // The first part is small: most chunks name a handful of texts.
        const std::size_t part = std::max(text.size(), m_arena.empty() ? kArenaPart / 16 : kArenaPart);
        m_arena.push_back(std::unique_ptr<char[]>{new char[part]});
        m_arenaBytes += part;
        m_free = m_arena.back().get();
        m_left = part;
    }
    std::memcpy(m_free, text.data(), text.size());
    const std::string_view kept{m_free, text.size()};
    m_free += text.size();
    m_left -= text.size();
    return kept;
}

void StringPool::grow()
{
    std::vector<TextId> table(m_table.size() * 2);
    for (TextId id = 1; id < m_texts.size(); ++id) {
        std::size_t slot = firstSlot(m_texts[id], table.size());
        while (table[slot] != 0)
            slot = (slot + 1) & (table.size() - 1);
        table[slot] = id;
    }
    m_table = std::move(table);
}

} // namespace throttlescope::dashboard
