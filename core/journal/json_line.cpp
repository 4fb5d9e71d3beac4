// SPDX-License-Identifier: Apache-2.0
#include "core/journal/json_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace throttlescope::journal {

namespace {

char *writeInteger(char *to, std::int64_t value)
{
    constexpr std::size_t longest = 20;
    return std::to_chars(to, to + longest, value).ptr;
}

constexpr auto kPairs = [] { // "00" to "99"
    std::array<std::array<char, 2>, 100> pairs{};
    for (std::size_t i = 0; i < pairs.size(); ++i)
        pairs[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    return pairs;
}();

/// Fixed width, an even one, with zeros in front.
void writeDigits(char *to, int count, unsigned value)
{
    for (int i = count - 2; i >= 0; i -= 2, value /= 100)
        std::memcpy(to + i, kPairs[value % 100].data(), 2);
}

char *writeSeconds(char *to, Duration value)
{
    const std::int64_t us = value.count();
    if (us < 0)
        *to++ = '-';
    const std::uint64_t magnitude = us < 0 ? 0 - static_cast<std::uint64_t>(us) : static_cast<std::uint64_t>(us);
    to = writeInteger(to, static_cast<std::int64_t>(magnitude / 1'000'000));
    *to++ = '.';
    writeDigits(to, 6, static_cast<unsigned>(magnitude % 1'000'000));
    return to + 6;
}

/// Length of the well-formed UTF-8 sequence at the front (RFC 3629), 0 where there is none.
std::size_t utf8Length(std::string_view text)
{
    const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto continues = [&byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned lead = byte(0);
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return continues(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool second = lead == 0xE0 ? byte(1) >= 0xA0 : lead == 0xED ? byte(1) < 0xA0 : true;
        return second && continues(1) && continues(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool second = lead == 0xF0 ? byte(1) >= 0x90 : lead == 0xF4 ? byte(1) < 0x90 : true;
        return second && continues(1) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;

/// Whether one of eight characters at once is a control, DEL, a quote, a backslash or no ASCII.
bool hasSpecial(std::uint64_t word)
{
    const auto hasZero = [](std::uint64_t x) { return (x - kOnes) & ~x & kHighs; };
    const std::uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
    return (control | (word & kHighs) | hasZero(word ^ kOnes * '"') | hasZero(word ^ kOnes * '\\') | hasZero(word ^ kOnes * 0x7f)) != 0;
}

constexpr auto kPlain = [] {
    std::array<bool, 256> plain{};
    for (std::size_t c = ' '; c < 0x7f; ++c)
        plain[c] = c != '"' && c != '\\';
    return plain;
}();

/// How much at the front stands for itself: nearly always all of it.
std::size_t plainLength(std::string_view text)
{
    std::size_t at = 0;
    for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if (hasSpecial(word))
            break;
    }
    while (at < text.size() && kPlain[static_cast<unsigned char>(text[at])])
        ++at;
    return at;
}

} // namespace

void appendJsonText(std::string &out, std::string_view text)
{
    out.push_back('"');
    while (!text.empty()) {
        const std::size_t plain = plainLength(text);
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty())
            break;
        const char c = text.front();
        if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
            text.remove_prefix(1);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
            text.remove_prefix(1);
        } else if (const std::size_t length = utf8Length(text); length > 0) {
            out.append(text.substr(0, length));
            text.remove_prefix(length);
        } else {
            out.append("\xEF\xBF\xBD");
            text.remove_prefix(1);
        }
    }
    out.push_back('"');
}

void appendSeconds(std::string &out, Duration value)
{
    char text[32];
    out.append(text, static_cast<std::size_t>(writeSeconds(text, value) - text));
}

namespace {

/// Once an event: written digit by digit, a format string costs several times as much.
char *writeRfc3339(char *to, WallTime time)
{
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    const int year = static_cast<int>(date.year());
    if (year < 0 || year > 9999) // no RFC 3339, and still to be read
        to = fmt::format_to(to, FMT_COMPILE("{:04}"), year);
    else
        writeDigits(std::exchange(to, to + 4), 4, static_cast<unsigned>(year));
    std::memcpy(to, "-00-00T00:00:00.000000Z", 23);
    writeDigits(to + 1, 2, static_cast<unsigned>(date.month()));
    writeDigits(to + 4, 2, static_cast<unsigned>(date.day()));
    writeDigits(to + 7, 2, static_cast<unsigned>(clock.hours().count()));
    writeDigits(to + 10, 2, static_cast<unsigned>(clock.minutes().count()));
    writeDigits(to + 13, 2, static_cast<unsigned>(clock.seconds().count()));
    writeDigits(to + 16, 6, static_cast<unsigned>(clock.subseconds().count()));
    return to + 23;
}

} // namespace

void appendRfc3339(std::string &out, WallTime time)
{
    char text[48];
    out.append(text, static_cast<std::size_t>(writeRfc3339(text, time) - text));
}

void JsonLine::flush()
{
    m_out.append(m_piece + 1, static_cast<std::size_t>(m_at - m_piece - 1));
    m_piece[0] = last();
    m_at = m_piece + 1;
}

void JsonLine::put(std::string_view text)
{
    room(text.size());
    if (text.size() >= kPiece) {
        m_out.append(text);
        m_piece[0] = text.back();
    } else {
        std::memcpy(m_at, text.data(), text.size());
        m_at += text.size();
    }
}

void JsonLine::longKey(std::string_view name)
{
    put(last() == '{' || last() == '[' ? "\"" : ",\"");
    put(name);
    put("\":");
}

void JsonLine::value(std::string_view text)
{
    if (plainLength(text) == text.size() && text.size() + 2 < kPiece) {
        room(text.size() + 2);
        *m_at++ = '"';
        std::memcpy(m_at, text.data(), text.size());
        m_at += text.size();
        *m_at++ = '"';
        return;
    }
    flush();
    appendJsonText(m_out, text);
    m_piece[0] = '"';
}

void JsonLine::value(std::int64_t number)
{
    room(kLongestNumber);
    m_at = writeInteger(m_at, number);
}

void JsonLine::value(Duration duration)
{
    room(kLongestNumber);
    m_at = writeSeconds(m_at, duration);
}

void JsonLine::member(std::string_view name, double value)
{
    key(name);
    if (!std::isfinite(value))
        return put("null");
    room(kLongestNumber);
    m_at = fmt::format_to(m_at, FMT_COMPILE("{}"), value);
}

void JsonLine::member(std::string_view name, WallTime time)
{
    key(name);
    room(kLongestNumber);
    *m_at++ = '"';
    m_at = writeRfc3339(m_at, time);
    *m_at++ = '"';
}

void JsonLine::null(std::string_view name)
{
    key(name);
    put("null");
}

void JsonLine::raw(std::string_view name, std::string_view json)
{
    key(name);
    put(json);
}

void JsonLine::open(std::string_view name, char bracket)
{
    key(name);
    put(bracket);
}

void JsonLine::openItem()
{
    if (last() != '[')
        put(',');
    put('{');
}

void JsonLine::end()
{
    put('}');
    flush();
}

} // namespace throttlescope::journal
