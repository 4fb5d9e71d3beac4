// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_time.h"

#include "core/signals/civil_time.h"
#include "core/signals/http_date.h"
#include "core/signals/numbers.h"

#include <algorithm>
#include <chrono>

namespace throttlescope::incident {

namespace {

using signals::isDigit;
using signals::civil::Fields;
using signals::civil::momentOf;

/// `size` digits at `at`; -1 where they are none.
int digitsAt(std::string_view text, std::size_t at, std::size_t size)
{
    int value = 0;
    for (std::size_t i = at; i < at + size; ++i) {
        if (i >= text.size() || !isDigit(text[i]))
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

std::optional<LogTime> timeOf(const Fields &fields, std::optional<Duration> offset, Duration fraction, Duration precision)
{
    const auto moment = momentOf(fields);
    if (!moment)
        return std::nullopt;
    return LogTime{moment->time.time_since_epoch() + fraction, offset, precision};
}

/// "Z", "+01:00", "+0100", "+01" to the end of the text. Outer none: no offset; inner none: nothing is written.
std::optional<std::optional<Duration>> offsetOf(std::string_view text)
{
    using Found = std::optional<std::optional<Duration>>;
    if (text.empty())
        return Found{std::in_place, std::nullopt};
    if (text == "Z" || text == "z" || text == "UTC" || text == "GMT")
        return Found{std::in_place, Duration::zero()};
    if (text.front() != '+' && text.front() != '-')
        return std::nullopt;
    const bool colon = text.size() == 6 && text[3] == ':';
    const int hours = digitsAt(text, 1, text.size() == 2 ? 1 : 2);
    const int minutes = text.size() <= 3 ? 0 : digitsAt(text, colon ? 4 : 3, 2);
    if ((text.size() > 3 && text.size() != 5 && !colon) || hours < 0 || hours > 18 || minutes < 0 || minutes > 59)
        return std::nullopt;
    const Duration ahead = std::chrono::hours{hours} + std::chrono::minutes{minutes};
    return Found{std::in_place, text.front() == '-' ? -ahead : ahead};
}

unsigned monthNamed(std::string_view name)
{
    const auto found = std::find(signals::civil::kMonths.begin(), signals::civil::kMonths.end(), name);
    return found == signals::civil::kMonths.end() ? 0 : static_cast<unsigned>(found - signals::civil::kMonths.begin()) + 1;
}

/// "13:55:36" at `at`; false where something else stands there.
bool clockAt(std::string_view text, std::size_t at, Fields &fields)
{
    const int hour = digitsAt(text, at, 2), minute = digitsAt(text, at + 3, 2), second = digitsAt(text, at + 6, 2);
    if (hour < 0 || minute < 0 || second < 0 || text[at + 2] != ':' || text[at + 5] != ':')
        return false;
    fields.hour = static_cast<unsigned>(hour);
    fields.minute = static_cast<unsigned>(minute);
    fields.second = static_cast<unsigned>(second);
    return true;
}

/// "2021-12-02" with that separator at the beginning.
bool dateAt(std::string_view text, char separator, Fields &fields)
{
    const int year = digitsAt(text, 0, 4), month = digitsAt(text, 5, 2), day = digitsAt(text, 8, 2);
    if (year < 0 || month < 0 || day < 0 || text[4] != separator || text[7] != separator)
        return false;
    fields.year = year;
    fields.month = static_cast<unsigned>(month);
    fields.day = static_cast<unsigned>(day);
    return true;
}

} // namespace

std::optional<LogTime> readClfTime(std::string_view text)
{
    if (text.size() < kClfTimeSize || text[2] != '/' || text[6] != '/' || text[11] != ':' || text[20] != ' ')
        return std::nullopt;
    const int day = digitsAt(text, 0, 2), year = digitsAt(text, 7, 4);
    Fields fields{.year = year, .month = monthNamed(text.substr(3, 3)), .day = static_cast<unsigned>(day)};
    const auto offset = offsetOf(text.substr(21, 5));
    if (day < 0 || year < 0 || !clockAt(text, 12, fields) || !offset || !*offset)
        return std::nullopt;
    return timeOf(fields, *offset, {}, std::chrono::seconds{1});
}

std::optional<LogTime> readErrorLogTime(std::string_view text)
{
    Fields fields;
    if (text.size() < 19 || text[10] != ' ' || !dateAt(text, '/', fields) || !clockAt(text, 11, fields))
        return std::nullopt;
    return timeOf(fields, std::nullopt, {}, std::chrono::seconds{1});
}

std::optional<LogTime> readIsoTime(std::string_view text)
{
    Fields fields;
    if (text.size() < 19 || (text[10] != 'T' && text[10] != 't' && text[10] != ' ') || !dateAt(text, '-', fields)
        || !clockAt(text, 11, fields))
        return std::nullopt;
    text.remove_prefix(19);
    Duration fraction{}, precision = std::chrono::seconds{1};
    if (!text.empty() && (text.front() == '.' || text.front() == ',')) {
        text.remove_prefix(1);
        if (text.empty() || !isDigit(text.front()))
            return std::nullopt;
        for (; !text.empty() && isDigit(text.front()); text.remove_prefix(1)) {
            if (precision.count() == 1)
                continue; // what is finer is left out
            precision /= 10;
            fraction += precision * (text.front() - '0');
        }
    }
    if (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    const auto offset = offsetOf(text);
    return offset ? timeOf(fields, *offset, fraction, precision) : std::nullopt;
}

std::optional<LogTime> readEpochTime(std::string_view text, EpochUnit unit)
{
    const auto number = signals::decimal(text);
    constexpr std::int64_t kEnd = 253'402'300'800; // 10000-01-01
    if (!number)
        return std::nullopt;
    std::int64_t perSecond = 1;
    switch (unit) {
    case EpochUnit::Guessed:
        while (perSecond < 1'000'000'000 && number->whole / perSecond >= 10'000'000'000)
            perSecond *= 1000;
        break;
    case EpochUnit::Seconds: break;
    case EpochUnit::Milliseconds: perSecond = 1000; break;
    case EpochUnit::Microseconds: perSecond = 1'000'000; break;
    case EpochUnit::Nanoseconds: perSecond = 1'000'000'000; break;
    }
    if (number->whole / perSecond >= kEnd)
        return std::nullopt;
    const std::int64_t micros
        = perSecond > 1'000'000 ? number->whole / 1000 : number->whole * (1'000'000 / perSecond) + number->nanos / (1000 * perSecond);
    // How many digits are written is what the clock knew, as far as anybody can tell.
    Duration precision{std::max<std::int64_t>(1, 1'000'000 / perSecond)};
    if (const auto point = text.find('.'); point != std::string_view::npos) {
        for (std::size_t i = point + 1; i < text.size() && precision.count() > 1; ++i)
            precision /= 10;
    }
    return LogTime{Duration{micros}, Duration::zero(), precision};
}

std::optional<LogTime> readAnyTime(std::string_view text, EpochUnit unit)
{
    if (const auto time = readIsoTime(text))
        return time;
    if (const auto time = readEpochTime(text, unit))
        return time;
    if (text.size() > 2 && text.front() == '[' && text.back() == ']')
        text = text.substr(1, text.size() - 2);
    if (text.size() == kClfTimeSize) {
        if (const auto time = readClfTime(text))
            return time;
    }
    if (text.size() == 19) {
        if (const auto time = readErrorLogTime(text))
            return time;
    }
    // Of the forms with two digits of year only those after 1975 are told right.
    constexpr WallTime kAbout{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}.time_since_epoch()};
    if (const auto date = signals::readHttpDate(text, kAbout, signals::DateMode::Tolerant))
        return LogTime{date->time.time_since_epoch(), Duration::zero(), std::chrono::seconds{1}};
    return std::nullopt;
}

} // namespace throttlescope::incident
