// SPDX-License-Identifier: Apache-2.0
#include "core/signals/http_date.h"

#include <array>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::signals {

namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

struct Fields {
    int year = 0;
    unsigned month = 0, day = 0;
    int hour = 0, minute = 0, second = 0;
};

/// Eats a text from the front; every step fails for good once one failed.
class Cursor {
public:
    explicit Cursor(std::string_view text) : m_rest(text) {}

    Cursor &literal(std::string_view expected)
    {
        m_good = m_good && m_rest.substr(0, expected.size()) == expected;
        m_rest.remove_prefix(m_good ? expected.size() : 0);
        return *this;
    }
    template <typename Integer>
    Cursor &digits(std::size_t count, Integer &value)
    {
        value = 0;
        for (std::size_t i = 0; i < count && m_good; ++i) {
            m_good = !m_rest.empty() && m_rest.front() >= '0' && m_rest.front() <= '9';
            if (m_good) {
                value = value * 10 + static_cast<Integer>(m_rest.front() - '0');
                m_rest.remove_prefix(1);
            }
        }
        return *this;
    }
    template <std::size_t N>
    Cursor &oneOf(const std::array<std::string_view, N> &words, unsigned &index)
    {
        for (unsigned i = 0; i < N && m_good; ++i) {
            if (m_rest.substr(0, words[i].size()) == words[i]) {
                m_rest.remove_prefix(words[i].size());
                index = i;
                return *this;
            }
        }
        m_good = false;
        return *this;
    }
    bool startsWith(std::string_view text) const { return m_rest.substr(0, text.size()) == text; }
    bool done() const { return m_good && m_rest.empty(); }

private:
    std::string_view m_rest;
    bool m_good = true;
};

std::optional<WallTime> timeOf(const Fields &fields)
{
    const std::chrono::year_month_day date{std::chrono::year{fields.year}, std::chrono::month{fields.month}, std::chrono::day{fields.day}};
    if (!date.ok() || fields.hour > 23 || fields.minute > 59 || fields.second > 60)
        return std::nullopt;
    if (fields.second == 60 && (fields.hour != 23 || fields.minute != 59))
        return std::nullopt;
    return WallTime{std::chrono::sys_days{date}.time_since_epoch()} + std::chrono::hours{fields.hour} + std::chrono::minutes{fields.minute} + std::chrono::seconds{fields.second};
}

Cursor &timeOfDay(Cursor &cursor, Fields &fields)
{
    return cursor.digits(2, fields.hour).literal(":").digits(2, fields.minute).literal(":").digits(2, fields.second);
}

std::optional<WallTime> imfFixdate(std::string_view text)
{
    Fields fields;
    unsigned dayName = 0;
    Cursor cursor{text};
    cursor.oneOf(kDays, dayName).literal(", ").digits(2, fields.day).literal(" ").oneOf(kMonths, fields.month).literal(" ").digits(4, fields.year).literal(" ");
    ++fields.month;
    return timeOfDay(cursor, fields).literal(" GMT").done() ? timeOf(fields) : std::nullopt;
}

std::optional<WallTime> rfc850Date(std::string_view text, WallTime now)
{
    Fields fields;
    unsigned dayName = 0;
    Cursor cursor{text};
    cursor.oneOf(kLongDays, dayName).literal(", ").digits(2, fields.day).literal("-").oneOf(kMonths, fields.month).literal("-").digits(2, fields.year).literal(" ");
    ++fields.month;
    if (!timeOfDay(cursor, fields).literal(" GMT").done())
        return std::nullopt;
    // RFC 9110 5.6.7: a date that appears to be more than 50 years in the future is the most recent past year with those
    // two digits. Timestamps are compared, not years.
    const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
    const WallTime limit = WallTime{std::chrono::sys_days{today + std::chrono::years{50}}.time_since_epoch()} + (now - std::chrono::floor<std::chrono::days>(now));
    fields.year += static_cast<int>(today.year()) / 100 * 100 + 100;
    std::optional<WallTime> time = timeOf(fields);
    for (int back = 0; back < 2 && (!time || *time > limit); ++back) {
        fields.year -= 100;
        time = timeOf(fields);
    }
    return time;
}

std::optional<WallTime> asctimeDate(std::string_view text)
{
    Fields fields;
    unsigned dayName = 0;
    Cursor cursor{text};
    cursor.oneOf(kDays, dayName).literal(" ").oneOf(kMonths, fields.month).literal(" ");
    if (cursor.startsWith(" "))
        cursor.literal(" ").digits(1, fields.day);
    else
        cursor.digits(2, fields.day);
    ++fields.month;
    cursor.literal(" ");
    return timeOfDay(cursor, fields).literal(" ").digits(4, fields.year).done() ? timeOf(fields) : std::nullopt;
}

struct Civil {
    explicit Civil(WallTime time)
        : day(std::chrono::floor<std::chrono::days>(time)), date(day), clock(std::chrono::floor<std::chrono::seconds>(time - day)), weekday(std::chrono::weekday{day}.c_encoding())
    {
    }
    std::chrono::sys_days day;
    std::chrono::year_month_day date;
    std::chrono::hh_mm_ss<std::chrono::seconds> clock;
    unsigned weekday;
    std::string_view month() const { return kMonths[static_cast<unsigned>(date.month()) - 1]; }
};

} // namespace

std::optional<WallTime> parseHttpDate(std::string_view text, WallTime now)
{
    if (text.size() < 24 || text.size() > 33)
        return std::nullopt;
    if (text[3] == ',')
        return imfFixdate(text);
    if (text[3] == ' ')
        return asctimeDate(text);
    return rfc850Date(text, now);
}

void appendImfFixdate(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT"), kDays[civil.weekday], static_cast<unsigned>(civil.date.day()), civil.month(),
        static_cast<int>(civil.date.year()), civil.clock.hours().count(), civil.clock.minutes().count(), civil.clock.seconds().count());
}

void appendRfc850Date(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}, {:02}-{}-{:02} {:02}:{:02}:{:02} GMT"), kLongDays[civil.weekday], static_cast<unsigned>(civil.date.day()), civil.month(),
        static_cast<int>(civil.date.year()) % 100, civil.clock.hours().count(), civil.clock.minutes().count(), civil.clock.seconds().count());
}

void appendAsctimeDate(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{} {} {:2} {:02}:{:02}:{:02} {:04}"), kDays[civil.weekday], civil.month(), static_cast<unsigned>(civil.date.day()),
        civil.clock.hours().count(), civil.clock.minutes().count(), civil.clock.seconds().count(), static_cast<int>(civil.date.year()));
}

} // namespace throttlescope::signals
