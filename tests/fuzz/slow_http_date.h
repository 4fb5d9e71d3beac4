// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>

/// An HTTP-date to the letter of RFC 9110 5.6.7, written a second time on purpose and unlike the library: regular expressions,
/// and a calendar that counts day by day. Slow.
namespace slow {

inline bool isLeap(std::int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

inline int daysIn(std::int64_t year, int month)
{
    constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[static_cast<std::size_t>(month)] + (month == 1 && isLeap(year) ? 1 : 0);
}

/// Days from 1970-01-01 to the first of January, one year at a time.
inline std::int64_t daysToYear(std::int64_t year)
{
    std::int64_t days = 0;
    for (std::int64_t each = 1970; each < year; ++each)
        days += isLeap(each) ? 366 : 365;
    for (std::int64_t each = year; each < 1970; ++each)
        days -= isLeap(each) ? 366 : 365;
    return days;
}

inline int indexOf(const std::string &words, const std::string &word)
{
    return static_cast<int>(words.find(word)) / 3; // three letters each, and no name begins inside another's
}

struct Date {
    std::int64_t year = 0;
    int month = 0, day = 0, hour = 0, minute = 0, second = 0;
    std::int64_t seconds() const
    {
        std::int64_t days = daysToYear(year) + day - 1;
        for (int each = 0; each < month; ++each)
            days += daysIn(year, each);
        return ((days * 24 + hour) * 60 + minute) * 60 + second;
    }
    bool exists() const
    {
        return day >= 1 && day <= daysIn(year, month) && hour <= 23 && minute <= 59
            && (second <= 59 || (second == 60 && hour == 23 && minute == 59));
    }
    auto fields() const { return std::array<std::int64_t, 6>{year, month, day, hour, minute, second}; }
};

/// Calendar fields of a moment from 1970 on.
inline Date dateOf(std::int64_t seconds)
{
    Date date{1970, 0, 1, static_cast<int>(seconds / 3600 % 24), static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60)};
    std::int64_t days = seconds / 86400;
    for (; days >= (isLeap(date.year) ? 366 : 365); ++date.year)
        days -= isLeap(date.year) ? 366 : 365;
    for (; days >= daysIn(date.year, date.month); ++date.month)
        days -= daysIn(date.year, date.month);
    date.day += static_cast<int>(days);
    return date;
}

/// Seconds since 1970, or nothing.
inline std::optional<std::int64_t> httpDate(const std::string &text, std::int64_t now)
{
    static const std::string days = "SunMonTueWedThuFriSat", months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    static const std::string month = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)", clock = "([0-9]{2}):([0-9]{2}):([0-9]{2})";
    static const std::regex imf("(Sun|Mon|Tue|Wed|Thu|Fri|Sat), ([0-9]{2}) " + month + " ([0-9]{4}) " + clock + " GMT");
    static const std::regex rfc850("(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, ([0-9]{2})-" + month + "-([0-9]{2}) " + clock + " GMT");
    static const std::regex asctime("(Sun|Mon|Tue|Wed|Thu|Fri|Sat) " + month + " ([0-9]{2}| [0-9]) " + clock + " ([0-9]{4})");
    if (text.size() > 40)
        return std::nullopt;
    std::smatch m;
    Date date;
    const auto number = [&m](int group) { return std::stoi(m[static_cast<std::size_t>(group)].str()); };
    if (std::regex_match(text, m, imf)) {
        date = {number(4), indexOf(months, m[3].str()), number(2), number(5), number(6), number(7)};
    } else if (std::regex_match(text, m, rfc850)) {
        date = {number(4), indexOf(months, m[3].str()), number(2), number(5), number(6), number(7)};
        Date limit = dateOf(now);
        limit.year += 50;
        date.year += limit.year / 100 * 100;
        while (date.fields() > limit.fields())
            date.year -= 100;
    } else if (std::regex_match(text, m, asctime)) {
        date = {number(7), indexOf(months, m[2].str()), number(3), number(4), number(5), number(6)};
    } else {
        return std::nullopt;
    }
    if (!date.exists())
        return std::nullopt;
    Date midnight = date;
    midnight.hour = midnight.minute = midnight.second = 0;
    const std::int64_t weekday = ((midnight.seconds() / 86400 + 4) % 7 + 7) % 7;
    if (indexOf(days, m[1].str().substr(0, 3)) != weekday)
        return std::nullopt;
    return date.seconds();
}

} // namespace slow
