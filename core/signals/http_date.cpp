// SPDX-License-Identifier: Apache-2.0
#include "core/signals/http_date.h"

#include "core/signals/civil_time.h"
#include "core/signals/loose_date.h"
#include "core/signals/numbers.h"

#include <cstring>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::signals {

namespace {

using civil::Fields;

// Each form has fixed columns, so that a field is read where it stands; `m_good` gathers the verdict without branches.
class Columns {
public:
    explicit Columns(const char *text)
        : m_text(text)
    {
    }

    unsigned number(std::size_t at, std::size_t count)
    {
        unsigned value = 0;
        for (std::size_t i = at; i < at + count; ++i) {
            const unsigned digit = static_cast<unsigned char>(m_text[i]) - unsigned{'0'};
            m_good &= digit <= 9;
            value = value * 10 + digit;
        }
        return value;
    }
    void literal(std::size_t at, std::string_view expected) { m_good &= std::memcmp(m_text + at, expected.data(), expected.size()) == 0; }
    void is(std::size_t at, char expected) { m_good &= m_text[at] == expected; }

    /// 1 to 12. The second and third letters tell the months apart, and their sum modulo 32 tells them apart too.
    unsigned month(std::size_t at)
    {
        constexpr auto byHash = [] {
            std::array<std::uint8_t, 32> table{};
            for (std::uint8_t i = 0; i < 12; ++i)
                table[static_cast<std::size_t>(civil::kMonths[i][1] + civil::kMonths[i][2]) % 32] = static_cast<std::uint8_t>(i + 1);
            return table;
        }();
        const unsigned found = byHash[(static_cast<unsigned char>(m_text[at + 1]) + static_cast<unsigned char>(m_text[at + 2])) % 32U];
        if (found == 0) {
            m_good = false;
            return 1;
        }
        literal(at, civil::kMonths[found - 1]);
        return found;
    }
    /// 0 to 6, of a name of `size` letters: three, or the whole name.
    unsigned dayName(std::size_t size)
    {
        for (unsigned day = 0; day < civil::kDays.size(); ++day) {
            const std::string_view name = civil::kDays[day];
            if (std::memcmp(m_text, name.data(), 3) == 0) {
                m_good &= size == 3 || (size == name.size() && std::memcmp(m_text, name.data(), size) == 0);
                return day;
            }
        }
        m_good = false;
        return 0;
    }
    void timeOfDay(std::size_t at, Fields &fields)
    {
        fields.hour = number(at, 2);
        is(at + 2, ':');
        fields.minute = number(at + 3, 2);
        is(at + 5, ':');
        fields.second = number(at + 6, 2);
    }
    bool good() const { return m_good; }

private:
    const char *m_text;
    bool m_good = true;
};

struct Written {
    Fields fields;
    DateForm form;
    unsigned dayName;
};

constexpr std::size_t kImfSize = 29, kAsctimeSize = 24, kRfc850Tail = 24;

bool imfFixdate(const char *text, Written &date)
{
    Columns columns{text};
    date.dayName = columns.dayName(3);
    columns.literal(3, ", ");
    date.fields.day = columns.number(5, 2);
    columns.is(7, ' ');
    date.fields.month = columns.month(8);
    columns.is(11, ' ');
    date.fields.year = static_cast<int>(columns.number(12, 4));
    columns.is(16, ' ');
    columns.timeOfDay(17, date.fields);
    columns.literal(25, " GMT");
    date.form = DateForm::ImfFixdate;
    return columns.good();
}

bool rfc850Date(std::string_view text, WallTime now, Written &date)
{
    const std::size_t name = text.size() - kRfc850Tail;
    Columns columns{text.data()};
    date.dayName = columns.dayName(name);
    columns.literal(name, ", ");
    date.fields.day = columns.number(name + 2, 2);
    columns.is(name + 4, '-');
    date.fields.month = columns.month(name + 5);
    columns.is(name + 8, '-');
    date.fields.year = static_cast<int>(columns.number(name + 9, 2));
    columns.is(name + 11, ' ');
    columns.timeOfDay(name + 12, date.fields);
    columns.literal(name + 20, " GMT");
    date.form = DateForm::Rfc850;
    if (!columns.good())
        return false;
    civil::chooseCentury(date.fields, now);
    return true;
}

bool asctimeDate(const char *text, Written &date)
{
    Columns columns{text};
    date.dayName = columns.dayName(3);
    columns.is(3, ' ');
    date.fields.month = columns.month(4);
    columns.is(7, ' ');
    date.fields.day = text[8] == ' ' ? columns.number(9, 1) : columns.number(8, 2);
    columns.is(10, ' ');
    columns.timeOfDay(11, date.fields);
    columns.is(19, ' ');
    date.fields.year = static_cast<int>(columns.number(20, 4));
    date.form = DateForm::Asctime;
    return columns.good();
}

bool written(std::string_view text, WallTime now, Written &date)
{
    if (text.size() < kAsctimeSize || text.size() > kRfc850Tail + 9)
        return false;
    if (text[3] == ',')
        return text.size() == kImfSize && imfFixdate(text.data(), date);
    if (text[3] == ' ')
        return text.size() == kAsctimeSize && asctimeDate(text.data(), date);
    return text.size() >= kRfc850Tail + 6 && rfc850Date(text, now, date);
}

std::optional<HttpDate> readForms(std::string_view text, WallTime now, DateMode mode)
{
    Written date;
    if (!written(text, now, date))
        return std::nullopt;
    const auto moment = civil::momentOf(date.fields);
    if (!moment)
        return std::nullopt;
    const bool wrongDayName = moment->weekday != date.dayName;
    // The grammar's range of seconds ends at 60 for leap seconds, which come at 23:59:60 only.
    const bool oddLeapSecond = date.fields.second == 60 && (date.fields.hour != 23 || date.fields.minute != 59);
    if (mode == DateMode::Strict && (wrongDayName || oddLeapSecond))
        return std::nullopt;
    return HttpDate{moment->time, date.form, wrongDayName};
}

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

std::optional<HttpDate> readHttpDate(std::string_view text, WallTime now, DateMode mode)
{
    auto date = readForms(text, now, mode);
    if (!date && mode == DateMode::Tolerant)
        date = readLooseDate(text, now);
    return date;
}

std::optional<WallTime> parseHttpDate(std::string_view text, WallTime now)
{
    const auto date = readForms(text, now, DateMode::Tolerant);
    return date ? std::optional{date->time} : std::nullopt;
}

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

void appendRfc3339(std::string &out, WallTime time)
{
    const Civil civil{time};
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z"), civil.year(),
        static_cast<unsigned>(civil.date.month()), civil.dayOfMonth(), civil.clock.hours().count(), civil.clock.minutes().count(),
        civil.clock.seconds().count());
}

} // namespace throttlescope::signals
