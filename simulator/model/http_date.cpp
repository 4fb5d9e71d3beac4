// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/http_date.h"

#include <date/date.h>
#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

namespace throttlescope::model {

namespace {

constexpr std::array<std::string_view, 7> kDays{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Fields {
    std::string_view dayName, month;
    unsigned day = 0;
    int year = 0;
    long hour = 0, minute = 0, second = 0;
};

Fields fieldsOf(WallTime time)
{
    const auto second = std::chrono::floor<std::chrono::seconds>(time);
    const auto day = date::floor<date::days>(second);
    const date::year_month_day ymd{day};
    const date::hh_mm_ss<std::chrono::seconds> clock{second - day};
    return {kDays[date::weekday{day}.c_encoding()], kMonths[unsigned{ymd.month()} - 1], unsigned{ymd.day()}, int{ymd.year()},
        clock.hours().count(), clock.minutes().count(), clock.seconds().count()};
}

} // namespace

void writeImfFixdate(WallTime time, std::string &text)
{
    const auto f = fieldsOf(time);
    text.clear();
    fmt::format_to(std::back_inserter(text), "{:.3}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", f.dayName, f.day, f.month, f.year, f.hour,
        f.minute, f.second);
}

void writeRfc850Date(WallTime time, std::string &text)
{
    const auto f = fieldsOf(time);
    text.clear();
    fmt::format_to(std::back_inserter(text), "{}, {:02}-{}-{:02} {:02}:{:02}:{:02} GMT", f.dayName, f.day, f.month, f.year % 100, f.hour,
        f.minute, f.second);
}

void writeAsctimeDate(WallTime time, std::string &text)
{
    const auto f = fieldsOf(time);
    text.clear();
    fmt::format_to(
        std::back_inserter(text), "{:.3} {} {:2} {:02}:{:02}:{:02} {:04}", f.dayName, f.month, f.day, f.hour, f.minute, f.second, f.year);
}

void DateText::format(WallTime time)
{
    m_second = std::chrono::floor<std::chrono::seconds>(time);
    const WallTime day = std::chrono::floor<date::days>(time);
    if (day != m_day) {
        m_day = day;
        writeImfFixdate(m_second, m_text);
        return;
    }
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(m_second - day).count();
    for (const auto fromEnd : {6, 9, 12}) { // 08:49:37 GMT
        const auto digits = m_text.end() - fromEnd;
        const auto value = static_cast<char>(fromEnd == 12 ? seconds : seconds % 60);
        digits[0] = static_cast<char>('0' + value / 10);
        digits[1] = static_cast<char>('0' + value % 10);
        seconds /= 60;
    }
}

} // namespace throttlescope::model
