// SPDX-License-Identifier: Apache-2.0
#include "core/signals/civil_time.h"
#include "core/signals/http_date.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::signals {

namespace {

struct Civil {
    explicit Civil(WallTime time)
        : day(std::chrono::floor<std::chrono::days>(time))
        , date(day)
        , clock(std::chrono::floor<std::chrono::seconds>(time - day))
        , weekday(std::chrono::weekday{day}.c_encoding())
    {
    }
    std::chrono::sys_days day;
    std::chrono::year_month_day date;
    std::chrono::hh_mm_ss<std::chrono::seconds> clock;
    unsigned weekday;
    std::string_view month() const { return civil::kMonths[static_cast<unsigned>(date.month()) - 1]; }
    std::string_view dayName() const { return civil::kDays[weekday]; }
    unsigned dayOfMonth() const { return static_cast<unsigned>(date.day()); }
    int year() const { return static_cast<int>(date.year()); }
};

} // namespace

void appendImfFixdate(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT"), civil.dayName().substr(0, 3),
        civil.dayOfMonth(), civil.month(), civil.year(), civil.clock.hours().count(), civil.clock.minutes().count(),
        civil.clock.seconds().count());
}

void appendRfc850Date(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}, {:02}-{}-{:02} {:02}:{:02}:{:02} GMT"), civil.dayName(), civil.dayOfMonth(),
        civil.month(), civil.year() % 100, civil.clock.hours().count(), civil.clock.minutes().count(), civil.clock.seconds().count());
}

void appendAsctimeDate(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{} {} {:2} {:02}:{:02}:{:02} {:04}"), civil.dayName().substr(0, 3), civil.month(),
        civil.dayOfMonth(), civil.clock.hours().count(), civil.clock.minutes().count(), civil.clock.seconds().count(), civil.year());
}

void appendJavaScriptDate(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{} {} {:02} {:04} {:02}:{:02}:{:02} GMT+0000 (Coordinated Universal Time)"),
        civil.dayName().substr(0, 3), civil.month(), civil.dayOfMonth(), civil.year(), civil.clock.hours().count(),
        civil.clock.minutes().count(), civil.clock.seconds().count());
}

void appendRfc3339(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z"), civil.year(),
        static_cast<unsigned>(civil.date.month()), civil.dayOfMonth(), civil.clock.hours().count(), civil.clock.minutes().count(),
        civil.clock.seconds().count());
}

/// Within a day only the clock is written over: every response of a simulated server has this field.
void DateText::write(WallTime second)
{
    const WallTime day = std::chrono::floor<std::chrono::days>(second);
    const bool sameDay = !m_text.empty() && day == std::chrono::floor<std::chrono::days>(m_second);
    m_second = second;
    if (!sameDay) {
        m_text.clear();
        appendImfFixdate(m_text, second);
        return;
    }
    auto left = std::chrono::duration_cast<std::chrono::seconds>(second - day).count();
    for (const auto fromEnd : {6, 9, 12}) { // 08:49:37 GMT
        const auto digits = m_text.end() - fromEnd;
        const auto value = static_cast<char>(fromEnd == 12 ? left : left % 60);
        digits[0] = static_cast<char>('0' + value / 10);
        digits[1] = static_cast<char>('0' + value % 10);
        left /= 60;
    }
}

} // namespace throttlescope::signals
