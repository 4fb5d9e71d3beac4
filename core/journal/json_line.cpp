// SPDX-License-Identifier: Apache-2.0
#include "core/journal/json_line.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::journal {

namespace {

void appendInteger(std::string &out, std::int64_t value)
{
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    out.append(buffer, end);
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

/// How much at the front stands for itself: nearly always all of it.
std::size_t plainLength(std::string_view text)
{
    const auto isPlain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isPlain) - text.begin());
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

namespace {

void writeDigits(char *to, int count, unsigned value)
{
    for (int i = count - 1; i >= 0; --i, value /= 10)
        to[i] = static_cast<char>('0' + value % 10);
}

} // namespace

void appendSeconds(std::string &out, Duration value)
{
    std::int64_t us = value.count();
    if (us < 0)
        out.push_back('-');
    const std::uint64_t magnitude = us < 0 ? 0 - static_cast<std::uint64_t>(us) : static_cast<std::uint64_t>(us);
    appendInteger(out, static_cast<std::int64_t>(magnitude / 1'000'000));
    char digits[7] = {'.', '0', '0', '0', '0', '0', '0'};
    writeDigits(digits + 1, 6, static_cast<unsigned>(magnitude % 1'000'000));
    out.append(digits, sizeof digits);
}

/// Once an event: written digit by digit, a format string costs several times as much.
void appendRfc3339(std::string &out, WallTime time)
{
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    const int year = static_cast<int>(date.year());
    if (year < 0 || year > 9999) { // no RFC 3339, and still to be read
        fmt::format_to(std::back_inserter(out), FMT_COMPILE("{:04}"), year);
    } else {
        out.append(4, '0');
        writeDigits(out.data() + out.size() - 4, 4, static_cast<unsigned>(year));
    }
    char text[] = "-00-00T00:00:00.000000Z";
    writeDigits(text + 1, 2, static_cast<unsigned>(date.month()));
    writeDigits(text + 4, 2, static_cast<unsigned>(date.day()));
    writeDigits(text + 7, 2, static_cast<unsigned>(clock.hours().count()));
    writeDigits(text + 10, 2, static_cast<unsigned>(clock.minutes().count()));
    writeDigits(text + 13, 2, static_cast<unsigned>(clock.seconds().count()));
    writeDigits(text + 16, 6, static_cast<unsigned>(clock.subseconds().count()));
    out.append(text, sizeof text - 1);
}

void JsonLine::key(std::string_view key)
{
    const bool first = m_out.back() == '{' || m_out.back() == '[';
    m_out.append(first ? "\"" : ",\"");
    m_out.append(key);
    m_out.append("\":");
}

void JsonLine::member(std::string_view name, std::string_view text)
{
    key(name);
    appendJsonText(m_out, text);
}

void JsonLine::member(std::string_view name, bool value)
{
    key(name);
    m_out.append(value ? "true" : "false");
}

void JsonLine::member(std::string_view name, double value)
{
    key(name);
    if (std::isfinite(value))
        fmt::format_to(std::back_inserter(m_out), FMT_COMPILE("{}"), value);
    else
        m_out.append("null");
}

void JsonLine::integer(std::string_view name, std::int64_t value)
{
    key(name);
    appendInteger(m_out, value);
}

void JsonLine::member(std::string_view name, Duration value)
{
    key(name);
    appendSeconds(m_out, value);
}

void JsonLine::null(std::string_view name)
{
    key(name);
    m_out.append("null");
}

void JsonLine::raw(std::string_view name, std::string_view json)
{
    key(name);
    m_out.append(json);
}

void JsonLine::open(std::string_view name, char bracket)
{
    key(name);
    m_out.push_back(bracket);
}

void JsonLine::openItem()
{
    if (m_out.back() != '[')
        m_out.push_back(',');
    m_out.push_back('{');
}

} // namespace throttlescope::journal
