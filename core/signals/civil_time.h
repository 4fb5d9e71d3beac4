// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <array>
#include <compare>
#include <optional>
#include <string_view>

/// Calendar fields between text and time; shared by the strict and the loose reader of dates.
namespace throttlescope::signals::civil {

inline constexpr std::array<std::string_view, 12> kMonths{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
inline constexpr std::array<std::string_view, 7> kDays{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

struct Fields {
    int year = 0;
    unsigned month = 0, day = 0;
    unsigned hour = 0, minute = 0, second = 0;
    auto operator<=>(const Fields &) const = default;
};

struct Moment {
    WallTime time;
    unsigned weekday = 0; ///< 0 is Sunday; of the date as written
};

inline constexpr std::array<std::uint16_t, 13> kDaysBefore{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

/// Nothing where the calendar or the clock has no such moment. Years 0 to 9999. Second 60 is the next minute's first.
[[gnu::always_inline]] inline std::optional<Moment> momentOf(const Fields &fields)
{
    if (fields.month - 1 > 11 || fields.hour > 23 || fields.minute > 59 || fields.second > 60)
        return std::nullopt;
    const auto year = static_cast<unsigned>(fields.year);
    const unsigned leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 1U : 0U;
    const unsigned lengthOfMonth = unsigned{kDaysBefore[fields.month]} - kDaysBefore[fields.month - 1] + (fields.month == 2 ? leap : 0U);
    if (fields.day - 1 >= lengthOfMonth)
        return std::nullopt;
    // Whole days since 0001-01-01, moved by 400 years so that the year 0 needs no negative number.
    const unsigned before = year + 399;
    const unsigned days = before * 365 + before / 4 - before / 100 + before / 400 + kDaysBefore[fields.month - 1]
        + (fields.month > 2 ? leap : 0U) + fields.day - 1;
    constexpr unsigned kEpochDays = 719'162 + 146'097; // 0001-01-01 to 1970-01-01, and the 400 years
    const std::int64_t seconds = (std::int64_t{days} - kEpochDays) * 86'400 + (fields.hour * 60 + fields.minute) * 60 + fields.second;
    return Moment{WallTime{std::chrono::seconds{seconds}}, (days + 1) % 7};
}

/// The last moment that is not more than 50 years ahead, as calendar fields.
inline Fields fiftyYearsFrom(WallTime now)
{
    const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day date{day};
    const std::int64_t clock = std::chrono::floor<std::chrono::seconds>(now - day).count();
    const auto part = [clock](std::int64_t unit, std::int64_t modulus) { return static_cast<unsigned>(clock / unit % modulus); };
    return {static_cast<int>(date.year()) + 50, static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), part(3600, 24),
        part(60, 60), part(1, 60)};
}

/// RFC 9110 5.6.7: a two-digit year that appears to be more than 50 years in the future is the most recent year in the
/// past with those digits. `fields.year` holds the two digits and gets its century. Timestamps are compared: exactly 50
/// years ahead is not more than 50.
inline void chooseCentury(Fields &fields, WallTime now)
{
    // The year by its mean length is right to within one. Away from the fifty-year line that settles it.
    const int about = 2020 + static_cast<int>((now.time_since_epoch().count() - 1'577'836'800'000'000) / 31'556'952'000'000) + 50;
    const int digits = fields.year;
    fields.year += (about - digits) / 100 * 100;
    if (about - fields.year >= 2 && about - fields.year <= 97 && about >= 200)
        return;
    const Fields limit = fiftyYearsFrom(now);
    fields.year = digits + limit.year / 100 * 100;
    if (fields > limit)
        fields.year -= 100;
}

} // namespace throttlescope::signals::civil
