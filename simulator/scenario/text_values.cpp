// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/text_values.h"

#include "core/engine/words.h"
#include "simulator/scenario/problems.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace throttlescope {

namespace {

struct UnitOf {
    std::string_view name;
    std::int64_t microseconds;
};
constexpr std::array<UnitOf, 7> kTimeUnits{
    {{"us", 1}, {"ms", 1'000}, {"s", 1'000'000}, {"min", 60'000'000}, {"m", 60'000'000}, {"h", 3'600'000'000}, {"d", 86'400'000'000}}};

constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Eats a decimal number without sign or exponent; NaN where there is none.
double takeNumber(std::string_view &text)
{
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + end, value, std::chars_format::fixed);
    if (end == 0 || error != std::errc{} || stop != text.data() + end)
        return std::nan("");
    text.remove_prefix(end);
    return value;
}

const UnitOf *takeUnit(std::string_view &text)
{
    const std::size_t end = std::min(text.find_first_of("0123456789."), text.size());
    for (const UnitOf &unit : kTimeUnits) {
        if (unit.name == text.substr(0, end)) {
            text.remove_prefix(end);
            return &unit;
        }
    }
    return nullptr;
}

constexpr std::string_view kDurationExpected = "expected a duration such as 250ms, 31s, 1m30s or 24h";

/// One part of a duration, "1.5" of a unit: whole microseconds or nothing at all, so that a file says what it means.
enum class Part { Good, TooLong, TooFine };

Part addPart(std::string_view number, const UnitOf &unit, std::int64_t &sum)
{
    const std::size_t point = std::min(number.find('.'), number.size());
    std::int64_t whole = 0;
    for (const char digit : number.substr(0, point)) {
        if (__builtin_mul_overflow(whole, std::int64_t{10}, &whole) || __builtin_add_overflow(whole, std::int64_t{digit - '0'}, &whole))
            return Part::TooLong;
    }
    if (__builtin_mul_overflow(whole, unit.microseconds, &whole) || __builtin_add_overflow(sum, whole, &sum))
        return Part::TooLong;
    std::int64_t place = unit.microseconds;
    for (const char digit : number.substr(std::min(point + 1, number.size()))) {
        if (digit != '0' && place % 10 != 0)
            return Part::TooFine;
        place = place % 10 == 0 ? place / 10 : 0;
        if (digit != '0' && place == 0)
            return Part::TooFine;
        if (__builtin_add_overflow(sum, place * (digit - '0'), &sum))
            return Part::TooLong;
    }
    return Part::Good;
}

/// Digits with at most one point among them; empty where there are none.
std::string_view takeDigits(std::string_view &text)
{
    std::size_t end = 0, points = 0;
    while (end < text.size() && (isDigit(text[end]) || (text[end] == '.' && points == 0)))
        points += text[end++] == '.' ? 1 : 0;
    const bool good = end > 0 && isDigit(text[0]) && isDigit(text[end - 1]);
    const std::string_view digits = text.substr(0, good ? end : 0);
    text.remove_prefix(digits.size());
    return digits;
}

} // namespace

Parsed<Duration> parseDuration(std::string_view whole)
{
    const auto wrong = [whole](std::string_view what) { return tl::unexpected(fmt::format("'{}' {}", shown(whole), what)); };
    std::string_view text = whole;
    const bool negative = !text.empty() && text.front() == '-';
    if (negative || (!text.empty() && text.front() == '+'))
        text.remove_prefix(1);
    std::int64_t microseconds = 0;
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
    do {
        const std::string_view digits = takeDigits(text);
        if (digits.empty())
            return wrong(fmt::format("is no duration, {}", kDurationExpected));
        if (text.empty())
            return wrong(fmt::format("needs a unit, expected a duration such as {}s", shown(whole)));
        const UnitOf *unit = takeUnit(text);
        if (!unit)
            return wrong("has an unknown unit, expected us, ms, s, m, h or d");
        if (unit->microseconds >= last)
            return wrong("has its units out of order, expected the longer one first as in 1m30s");
        last = unit->microseconds;
        switch (addPart(digits, *unit, microseconds)) {
        case Part::Good: break;
        case Part::TooLong: return wrong("is too long, expected a duration of at most 100 years");
        case Part::TooFine: return wrong("is finer than a microsecond, expected whole microseconds");
        }
    } while (!text.empty());
    return Duration{negative ? -microseconds : microseconds};
}

Parsed<Rate> parseRate(std::string_view text)
{
    const std::size_t slash = text.find('/');
    std::string_view count = text.substr(0, slash);
    const double number = takeNumber(count);
    if (std::isnan(number) || !count.empty())
        return tl::unexpected(fmt::format("'{}' is no rate, expected one such as 2/s, 20/min or 100/h", shown(text)));
    if (!(number > 0))
        return tl::unexpected(fmt::format("rate {} must be above 0, expected one such as 2/s", shown(text)));
    if (slash == std::string_view::npos)
        return Rate{number, 1s};
    const std::string_view per = text.substr(slash + 1);
    const bool bare = !per.empty() && !isDigit(per.front());
    const auto duration = parseDuration(bare ? "1" + std::string{per} : std::string{per});
    if (!duration || *duration <= Duration::zero())
        return tl::unexpected(fmt::format("'{}' is no rate, expected one such as 2/s, 20/min or 100/h", shown(text)));
    return Rate{number, *duration};
}

Parsed<double> parsePercent(std::string_view text)
{
    std::string_view rest = text;
    const double number = takeNumber(rest);
    if (std::isnan(number) || rest != "%")
        return tl::unexpected(fmt::format("'{}' is no percentage, expected one such as 70%", shown(text)));
    return number / 100;
}

Parsed<std::uint64_t> parseSize(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, double>, 6> units{
        {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"KiB", 1024}, {"MiB", 1024 * 1024}}};
    std::string_view rest = text;
    const double number = takeNumber(rest);
    for (const auto &[name, factor] : units) {
        if (name == rest && !std::isnan(number) && number * factor <= 1e12)
            return static_cast<std::uint64_t>(number * factor);
    }
    return tl::unexpected(fmt::format("'{}' is no size, expected one such as 512, 4kB or 1MiB", shown(text)));
}

Parsed<Period> parsePeriod(std::string_view text)
{
    if (text == "1mo")
        return Period{std::chrono::hours{24 * 30}, Period::Civil::Month};
    if (text.size() > 2 && text.substr(text.size() - 2) == "mo")
        return tl::unexpected(fmt::format("'{}' is no period, expected 1mo for a civil month", shown(text)));
    const auto duration = parseDuration(text);
    if (!duration)
        return tl::unexpected(duration.error());
    if (*duration <= Duration::zero())
        return tl::unexpected(fmt::format("period {} must be above 0, expected one such as 1m, 1h, 1d or 1mo", shown(text)));
    return Period{*duration, text == "1d" ? Period::Civil::Day : Period::Civil::None};
}

Parsed<double> parseNumber(std::string_view text)
{
    double value = 0;
    const std::string_view digits = text.substr(!text.empty() && text.front() == '+' ? 1 : 0);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || stop != digits.data() + digits.size() || !std::isfinite(value))
        return tl::unexpected(fmt::format("'{}' is no number, expected a finite one", shown(text)));
    return value;
}

Parsed<std::int64_t> parseInteger(std::string_view text)
{
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range && stop == text.data() + text.size())
        return tl::unexpected(fmt::format("'{}' is out of range, expected a smaller whole number", shown(text)));
    if (error != std::errc{} || stop != text.data() + text.size())
        return tl::unexpected(fmt::format("'{}' is no whole number, expected digits", shown(text)));
    return value;
}

std::optional<std::int64_t> parseDigits(std::string_view text)
{
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && stop == text.data() + text.size() && text.front() != '-';
    return whole ? std::optional{value} : std::nullopt;
}

Parsed<bool> parseTruth(std::string_view text)
{
    for (const std::string_view yes : {"true", "yes", "on", "True"}) {
        if (text == yes)
            return true;
    }
    for (const std::string_view no : {"false", "no", "off", "False"}) {
        if (text == no)
            return false;
    }
    return tl::unexpected(fmt::format("'{}' is no truth value, expected true or false", shown(text)));
}

Parsed<WallTime> parseRfc3339(std::string_view text)
{
    const auto failed
        = [text] { return tl::unexpected(fmt::format("'{}' is no moment, expected RFC 3339 such as 2026-06-02T09:00:12Z", shown(text))); };
    const auto number = [text](std::size_t at, std::size_t count) {
        int value = 0;
        const auto part = text.substr(std::min(at, text.size()), count);
        const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
        return part.size() == count && error == std::errc{} && stop == part.data() + count ? value : -1;
    };
    if (text.size() < 20 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' || text[16] != ':')
        return failed();
    const std::chrono::year_month_day date{std::chrono::year{number(0, 4)}, std::chrono::month{static_cast<unsigned>(number(5, 2))},
        std::chrono::day{static_cast<unsigned>(number(8, 2))}};
    const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
    if (number(0, 4) < 0 || !date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
        return failed();
    WallTime time = WallTime{std::chrono::sys_days{date}.time_since_epoch()} + std::chrono::hours{hour} + std::chrono::minutes{minute}
        + std::chrono::seconds{second};
    std::string_view rest = text.substr(19);
    if (rest.front() == '.' && isDigit(rest[1])) {
        std::int64_t scale = 100'000;
        for (rest.remove_prefix(1); !rest.empty() && isDigit(rest.front()); rest.remove_prefix(1), scale /= 10)
            time += Duration{(rest.front() - '0') * scale};
    }
    if (rest == "Z")
        return time;
    if (rest.size() != 6 || (rest[0] != '+' && rest[0] != '-') || rest[3] != ':')
        return failed();
    const std::size_t at = text.size() - 6;
    const int offsetHours = number(at + 1, 2), offsetMinutes = number(at + 4, 2);
    if (offsetHours < 0 || offsetHours > 23 || offsetMinutes < 0 || offsetMinutes > 59)
        return failed();
    const Duration offset = std::chrono::hours{offsetHours} + std::chrono::minutes{offsetMinutes};
    return rest[0] == '+' ? time - offset : time + offset;
}

std::string numberText(double number)
{
    return fmt::format("{}", number);
}

std::string rateText(const Rate &rate)
{
    if (rate.per == 1s)
        return numberText(rate.count) + "/s";
    if (rate.per == 1min)
        return numberText(rate.count) + "/min";
    return rate.per == 1h ? numberText(rate.count) + "/h" : numberText(rate.count) + "/" + durationText(rate.per);
}

std::string percentText(double share)
{
    return numberText(std::round(share * 1e10) / 1e8) + "%";
}

std::string shortText(Duration value)
{
    const std::int64_t seconds = (value.count() + 500'000) / 1'000'000;
    if (seconds >= 3600)
        return fmt::format("{}h{}m{}s", seconds / 3600, seconds / 60 % 60, seconds % 60);
    const std::int64_t tenths = (value.count() + 50'000) / 100'000;
    if (tenths >= 600)
        return fmt::format("{}m{}.{}s", tenths / 600, tenths / 10 % 60, tenths % 10);
    return fmt::format("{:.3g}s", secondsOf(value));
}

std::string periodText(const Period &period)
{
    switch (period.civil) {
    case Period::Civil::Day: return "1d";
    case Period::Civil::Month: return "1mo";
    case Period::Civil::None: break;
    }
    return durationText(period.length);
}

} // namespace throttlescope
