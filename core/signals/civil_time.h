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

/// Nothing where the calendar or the clock has no such moment. Second 60 is the next minute's first.
inline std::optional<Moment> momentOf(const Fields &fields)
{
    const std::chrono::year_month_day date{std::chrono::year{fields.year}, std::chrono::month{fields.month}, std::chrono::day{fields.day}};
    if (!date.ok() || fields.hour > 23 || fields.minute > 59 || fields.second > 60)
        return std::nullopt;
    const std::chrono::sys_days day{date};
    const std::int64_t clock = (std::int64_t{fields.hour} * 60 + fields.minute) * 60 + fields.second;
    return Moment{WallTime{std::chrono::seconds{day.time_since_epoch().count() * std::int64_t{86'400} + clock}},
        std::chrono::weekday{day}.c_encoding()};
}

/// RFC 9110 5.6.7: a two-digit year that appears to be more than 50 years in the future is the most recent year in the
/// past with those digits. `fields.year` holds the two digits and gets its century. Timestamps are compared: exactly 50
/// years ahead is not more than 50.
inline void chooseCentury(Fields &fields, WallTime now)
{
    const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day date{day};
    const std::int64_t clock = std::chrono::floor<std::chrono::seconds>(now - day).count();
    const auto part = [clock](std::int64_t unit, std::int64_t modulus) { return static_cast<unsigned>(clock / unit % modulus); };
    const Fields limit{static_cast<int>(date.year()) + 50, static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        part(3600, 24), part(60, 60), part(1, 60)};
    fields.year += limit.year / 100 * 100;
    if (fields > limit)
        fields.year -= 100;
}

} // namespace throttlescope::signals::civil
