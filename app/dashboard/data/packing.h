// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/detail.h"

#include <bit>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// One list of members (detail.cpp) serves both directions, so that they cannot drift apart. A group of members is a mask,
/// one bit for each that is not its default, then those values: whole numbers as LEB128, signed ones zigzag.
namespace throttlescope::dashboard {

class Packer {
public:
    static constexpr bool packs = true;
    explicit Packer(PackedOut out)
        : m_out(out)
    {
    }

    template <typename Members>
    void group(Members members)
    {
        // The mask comes first and is known last; it is written over, with its bytes made room for where it needs more.
        const std::size_t outer = m_begin;
        const std::uint32_t outerMask = m_mask, outerBit = m_bit;
        m_begin = m_out.bytes.size();
        m_mask = 0;
        m_bit = 1;
        m_out.bytes.push_back(0);
        members();
        writeMask();
        m_begin = outer, m_mask = outerMask, m_bit = outerBit;
    }
    /// Marks the next member as there or not; the caller packs it.
    bool present(bool there)
    {
        m_mask |= there ? m_bit : 0;
        m_bit <<= 1;
        return there;
    }
    void value(std::unsigned_integral auto number)
    {
        auto left = static_cast<std::uint64_t>(number);
        for (; left >= 0x80; left >>= 7)
            m_out.bytes.push_back(static_cast<std::uint8_t>(left | 0x80));
        m_out.bytes.push_back(static_cast<std::uint8_t>(left));
    }
    void value(std::signed_integral auto number)
    {
        const auto wide = static_cast<std::int64_t>(number);
        value((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
    }
    void value(double number)
    {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        for (int shift = 0; shift < 64; shift += 8)
            m_out.bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
    }
    void value(std::string_view text) { m_out.texts.push_back(m_out.pool.intern(text)); }

private:
    void writeMask()
    {
        std::uint8_t mask[5];
        std::size_t size = 0;
        for (; m_mask >= 0x80; m_mask >>= 7)
            mask[size++] = static_cast<std::uint8_t>(m_mask | 0x80);
        mask[size++] = static_cast<std::uint8_t>(m_mask);
        m_out.bytes[m_begin] = mask[0];
        m_out.bytes.insert(m_out.bytes.begin() + static_cast<std::ptrdiff_t>(m_begin) + 1, mask + 1, mask + size);
    }

    PackedOut m_out;
    std::size_t m_begin = 0;
    std::uint32_t m_mask = 0;
    std::uint32_t m_bit = 1;
};

class Unpacker {
public:
    static constexpr bool packs = false;
    explicit Unpacker(PackedIn in)
        : m_in(in)
    {
    }

    template <typename Members>
    void group(Members members)
    {
        const std::uint32_t outer = m_mask;
        std::uint64_t mask = 0;
        value(mask);
        m_mask = static_cast<std::uint32_t>(mask);
        members();
        m_mask = outer;
    }
    bool present(bool)
    {
        const bool there = (m_mask & 1) != 0;
        m_mask >>= 1;
        return there;
    }
    template <std::unsigned_integral T>
    void value(T &number)
    {
        std::uint64_t read = 0;
        int shift = 0;
        do {
            read |= static_cast<std::uint64_t>(*m_in.bytes & 0x7F) << shift;
            shift += 7;
        } while ((*m_in.bytes++ & 0x80) != 0);
        number = static_cast<T>(read);
    }
    template <std::signed_integral T>
    void value(T &number)
    {
        std::uint64_t read = 0;
        value(read);
        number = static_cast<T>(static_cast<std::int64_t>(read >> 1) ^ -static_cast<std::int64_t>(read & 1));
    }
    void value(double &number)
    {
        std::uint64_t bits = 0;
        for (int shift = 0; shift < 64; shift += 8)
            bits |= static_cast<std::uint64_t>(*m_in.bytes++) << shift;
        number = std::bit_cast<double>(bits);
    }
    void value(std::string_view &text) { text = m_in.pool.text(*m_in.texts++); }
    void value(std::string &text) { text = m_in.pool.text(*m_in.texts++); }

private:
    PackedIn m_in;
    std::uint32_t m_mask = 0;
};

/// The value itself, whatever it is a wrapper of.
template <typename Archive, typename T>
void packValue(Archive &archive, T &value)
{
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_enum_v<Plain>) {
        auto number = static_cast<std::uint32_t>(value);
        archive.value(number);
        if constexpr (!Archive::packs)
            value = static_cast<Plain>(number);
    } else if constexpr (std::is_same_v<Plain, Duration>) {
        auto count = value.count();
        archive.value(count);
        if constexpr (!Archive::packs)
            value = Duration{count};
    } else if constexpr (std::is_same_v<Plain, MonotonicTime>) {
        auto count = value.time_since_epoch().count();
        archive.value(count);
        if constexpr (!Archive::packs)
            value = MonotonicTime{Duration{count}};
    } else {
        archive.value(value);
    }
}

template <typename Archive, typename T>
void member(Archive &archive, T &value)
{
    using Plain = std::remove_const_t<T>;
    const bool there = archive.present(value != Plain{});
    if constexpr (std::is_same_v<Plain, bool>) {
        if constexpr (!Archive::packs)
            value = there;
    } else if (there) {
        packValue(archive, value);
    } else if constexpr (!Archive::packs) {
        value = Plain{};
    }
}

template <typename Archive, typename T>
requires(!std::is_const_v<T>) void member(Archive &archive, std::optional<T> &value)
{
    if (archive.present(value.has_value())) {
        if constexpr (!Archive::packs)
            value.emplace();
        packValue(archive, *value);
    } else {
        value.reset();
    }
}
template <typename Archive, typename T>
void member(Archive &archive, const std::optional<T> &value)
{
    if (archive.present(value.has_value()))
        packValue(archive, *value);
}

} // namespace throttlescope::dashboard
