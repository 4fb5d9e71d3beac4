// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::journal {

/// Appends one JSON object to a string, member by member, in the order written; the string has it after end(). Text that is
/// not UTF-8 is written with U+FFFD in place of what cannot be read: a header may hold anything, a journal is always valid
/// JSON.
class JsonLine {
public:
    explicit JsonLine(std::string &out)
        : m_out(out)
    {
        m_piece[0] = 0;
        put('{');
    }
    JsonLine(const JsonLine &) = delete;
    JsonLine &operator=(const JsonLine &) = delete;

    void member(std::string_view name, std::string_view text)
    {
        key(name);
        value(text);
    }
    void member(std::string_view key, const char *text) { member(key, std::string_view{text}); }
    void member(std::string_view name, bool value)
    {
        key(name);
        put(std::string_view{value ? "true" : "false"});
    }
    void member(std::string_view key, double value);
    void member(std::string_view name, std::integral auto number)
    {
        key(name);
        value(static_cast<std::int64_t>(number));
    }
    /// In seconds, always with six decimals.
    void member(std::string_view name, Duration duration)
    {
        key(name);
        value(duration);
    }
    void member(std::string_view key, MonotonicTime time) { member(key, time.time_since_epoch()); }
    void member(std::string_view key, WallTime time);
    template <typename T>
    void member(std::string_view key, const std::optional<T> &value)
    {
        if (value)
            member(key, *value);
    }
    void null(std::string_view key);
    void raw(std::string_view key, std::string_view json);

    void open(std::string_view key, char bracket);
    void openItem();
    void close(char bracket) { put(bracket); }
    void end();

private:
    // Collected here first: a string is slow to append to a few bytes at a time.
    static constexpr std::size_t kPiece = 1024;
    static constexpr std::size_t kLongestNumber = 40; ///< of an integer, of seconds, of a date with its quotes

    void room(std::size_t bytes)
    {
        if (m_at + bytes > m_piece + kPiece)
            flush();
    }
    void flush();
    char last() const { return m_at[-1]; }
    void put(char c)
    {
        room(1);
        *m_at++ = c;
    }
    void put(std::string_view text);
    void key(std::string_view name)
    {
        if (name.size() + 4 >= kPiece)
            return longKey(name);
        room(name.size() + 4);
        *m_at = ',';
        m_at += last() != '{' && last() != '[' ? 1 : 0;
        *m_at++ = '"';
        m_at = std::copy(name.begin(), name.end(), m_at);
        *m_at++ = '"';
        *m_at++ = ':';
    }
    void longKey(std::string_view name);
    void value(std::string_view text);
    void value(std::int64_t number);
    void value(Duration duration);

    std::string &m_out;
    char *m_at = m_piece + 1;
    char m_piece[kPiece]; ///< from the second on; the first is the last one that was handed on
};

void appendJsonText(std::string &out, std::string_view text);
/// "12.345678"
void appendSeconds(std::string &out, Duration value);
/// RFC 3339 in UTC with microseconds: "2026-06-02T09:00:12.000000Z".
void appendRfc3339(std::string &out, WallTime time);

} // namespace throttlescope::journal
