// SPDX-License-Identifier: Apache-2.0
#include "core/signals/header_index.h"

#include "core/signals/numbers.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace throttlescope::signals {

namespace {

std::string lowerCase(std::string_view text)
{
    std::string lower{text};
    std::transform(lower.begin(), lower.end(), lower.begin(), lowered);
    return lower;
}

/// Eight characters at once, letters in lower case; what else that changes does not matter to a hash.
std::uint64_t folded8(const char *text, std::size_t size = 8)
{
    std::uint64_t value = 0;
    std::memcpy(&value, text, size);
    return value | 0x2020202020202020U;
}

/// First eight characters, eight from the middle, the last eight and the length tell the table's names apart well enough.
/// The same for names that differ in case only.
std::size_t hash(std::string_view name)
{
    const std::size_t size = name.size();
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::uint64_t middle = 0;
    if (size >= 8) {
        head = folded8(name.data());
        middle = folded8(name.data() + (size - 8) / 2);
        tail = folded8(name.data() + size - 8);
    } else {
        head = folded8(name.data(), size);
    }
    const std::uint64_t mixed = (head * 0x9e3779b97f4a7c15U) ^ (tail * 0xc2b2ae3d27d4eb4fU) ^ (middle * 0x165667b19e3779f9U) ^ size;
    return static_cast<std::size_t>((mixed * 0x9e3779b97f4a7c15U) >> 40);
}

constexpr std::size_t letter(char c)
{
    return static_cast<unsigned char>(c) & 31U;
}

/// The family a header belongs to: its name up to the word that ends in "limit". "x-ratelimit-limit-day" → "x-ratelimit".
std::string_view family(std::string_view lower)
{
    const std::size_t word = lower.find("limit");
    return word == std::string_view::npos ? lower : lower.substr(0, lower.find('-', word));
}

} // namespace

const DialectRow *HeaderEntry::row(const Dialect *named) const
{
    if (named) {
        const auto own = std::find_if(rows.begin(), rows.end(), [named](const DialectRow *each) { return each->dialect == *named; });
        if (own != rows.end())
            return *own;
    }
    const auto common = std::find_if(rows.begin(), rows.end(), [](const DialectRow *each) { return !each->onlyWhenNamed; });
    return common == rows.end() ? nullptr : *common;
}

const HeaderIndex &HeaderIndex::instance()
{
    static const HeaderIndex index;
    return index;
}

HeaderIndex::HeaderIndex()
{
    m_exact.reserve(kSlots / 2);
    for (const DialectRow &row : dialectRows())
        add(row);
    std::vector<std::string> families{{}};
    for (auto *entries : {&m_exact, &m_wildcards}) {
        for (HeaderEntry &entry : *entries) {
            if (!entry.rows.front()->window.empty())
                continue; // a window with a name of its own needs no family
            const std::string name{family(entry.lowerName)};
            const auto known = std::find(families.begin(), families.end(), name);
            entry.group = static_cast<std::uint8_t>(known - families.begin());
            if (known == families.end())
                families.push_back(name);
        }
    }
}

void HeaderIndex::add(const DialectRow &row)
{
    std::string lower = lowerCase(row.name);
    const bool pattern = lower.find('*') != std::string::npos;
    auto &entries = pattern ? m_wildcards : m_exact;
    auto entry = std::find_if(entries.begin(), entries.end(), [&lower](const HeaderEntry &each) { return each.lowerName == lower; });
    if (entry == entries.end()) {
        entry = entries.insert(entries.end(), HeaderEntry{row.name, lower, {}, 0, 0, false});
        if (pattern) {
            m_wildcardLetters[letter(lower.front())] = true;
        } else {
            m_lengths[letter(lower.front())] |= std::uint64_t{1} << lower.size();
            std::size_t slot = hash(lower) % kSlots;
            while (m_slots[slot] != 0)
                slot = (slot + 1) % kSlots;
            m_slots[slot] = static_cast<std::uint16_t>(entries.size());
        }
    }
    entry->rows.push_back(&row);
    entry->dialects |= row.onlyWhenNamed ? 0 : bit(row.dialect);
    entry->mayShare = entry->mayShare || row.role == Role::SharedReset;
}

const HeaderEntry *HeaderIndex::exact(std::string_view name) const
{
    for (std::size_t slot = hash(name) % kSlots; m_slots[slot] != 0; slot = (slot + 1) % kSlots) {
        const HeaderEntry &entry = m_exact[m_slots[slot] - 1U];
        if (sameHeaderName(entry.name, name))
            return &entry;
    }
    return nullptr;
}

HeaderMatch HeaderIndex::wildcard(std::string_view lowerName) const
{
    for (const HeaderEntry &entry : m_wildcards) {
        const std::string_view pattern = entry.lowerName;
        const std::size_t star = pattern.find('*');
        const std::string_view tail = pattern.substr(star + 1);
        if (lowerName.size() >= pattern.size() && lowerName.substr(0, star) == pattern.substr(0, star)
            && lowerName.substr(lowerName.size() - tail.size()) == tail)
            return {&entry, static_cast<std::uint8_t>(star), static_cast<std::uint8_t>(lowerName.size() - pattern.size() + 1)};
    }
    return {};
}

HeaderMatch HeaderIndex::find(std::string_view name) const
{
    // Most headers of most responses end here, told apart by their first letter and their length.
    if (name.empty() || name.size() > kLongest)
        return {};
    const std::size_t first = letter(name.front());
    const bool length = (m_lengths[first] >> name.size() & 1U) != 0;
    if (!length && !m_wildcardLetters[first])
        return {};
    if (const HeaderEntry *entry = length ? exact(name) : nullptr)
        return {entry, 0, 0};
    if (!m_wildcardLetters[first])
        return {};
    std::array<char, kLongest + 1> buffer; // NOLINT: filled below as far as it is read
    std::transform(name.begin(), name.end(), buffer.begin(), lowered);
    const std::string_view lower{buffer.data(), name.size()};
    // "x-ra…limit": no pattern does without that word, and few other headers have it.
    return lower.find("limit") != std::string_view::npos ? wildcard(lower) : HeaderMatch{};
}

} // namespace throttlescope::signals
