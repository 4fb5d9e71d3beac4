// SPDX-License-Identifier: Apache-2.0
#include "core/signals/loose_date.h"

#include "core/signals/civil_time.h"
#include "core/signals/numbers.h"

#include <algorithm>

namespace throttlescope::signals {

namespace {

using civil::Fields;

constexpr std::size_t kLongest = 100; ///< JavaScript's zone names included

constexpr bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool sameWord(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lowered(x) == lowered(y); });
}

/// Eats a text from the front. Every step reports whether it found what it looked for.
class Cursor {
public:
    explicit Cursor(std::string_view text)
        : m_rest(text)
    {
    }

    bool done() const { return m_rest.empty(); }
    char peek() const { return m_rest.empty() ? '\0' : m_rest.front(); }
    bool take(char expected)
    {
        const bool found = peek() == expected && !m_rest.empty();
        m_rest.remove_prefix(found ? 1 : 0);
        return found;
    }
    bool spaces()
    {
        const std::size_t count = std::min(m_rest.find_first_not_of(' '), m_rest.size());
        m_rest.remove_prefix(count);
        return count > 0;
    }
    /// A run of `least` to `most` digits and no digit behind it.
    bool number(std::size_t least, std::size_t most, unsigned &value)
    {
        std::size_t count = 0;
        value = 0;
        while (count < m_rest.size() && count <= most && isDigit(m_rest[count]))
            value = value * 10 + static_cast<unsigned>(m_rest[count++] - '0');
        if (count < least || count > most)
            return false;
        m_rest.remove_prefix(count);
        return true;
    }
    std::string_view word()
    {
        const auto end = std::find_if_not(m_rest.begin(), m_rest.end(), isLetter);
        const std::string_view found = m_rest.substr(0, static_cast<std::size_t>(end - m_rest.begin()));
        m_rest.remove_prefix(found.size());
        return found;
    }
    bool month(unsigned &month)
    {
        const auto found = std::find_if(
            civil::kMonths.begin(), civil::kMonths.end(), [name = word()](std::string_view known) { return sameWord(name, known); });
        month = static_cast<unsigned>(found - civil::kMonths.begin()) + 1;
        return found != civil::kMonths.end();
    }
    /// ".500": whole microseconds, the rest rounded up.
    Duration fraction()
    {
        const auto end = std::find_if_not(m_rest.begin() + 1, m_rest.end(), isDigit);
        const std::string_view digits = m_rest.substr(0, static_cast<std::size_t>(end - m_rest.begin()));
        m_rest.remove_prefix(digits.size());
        const auto value = decimal(digits);
        return value ? times(*value, std::chrono::seconds{1}) : Duration::zero();
    }
    std::string_view rest() const { return m_rest; }

private:
    std::string_view m_rest;
};

class LooseDate {
public:
    LooseDate(std::string_view text, WallTime now)
        : m_cursor(text)
        , m_now(now)
    {
    }

    std::optional<HttpDate> read()
    {
        const bool found = isDigit(m_cursor.peek()) ? dayFirst() || iso8601() : named();
        if (!found || !m_cursor.done())
            return std::nullopt;
        const auto moment = civil::momentOf(m_fields);
        if (!moment)
            return std::nullopt;
        return HttpDate{moment->time + m_fraction - m_offset, m_form, m_dayName && *m_dayName != moment->weekday};
    }

private:
    bool named()
    {
        const std::string_view name = m_cursor.word();
        const auto known = std::find_if(civil::kDays.begin(), civil::kDays.end(),
            [name](std::string_view day) { return sameWord(name, day) || sameWord(name, day.substr(0, 3)); });
        if (known == civil::kDays.end())
            return false;
        m_dayName = static_cast<unsigned>(known - civil::kDays.begin());
        if (m_cursor.take(',')) {
            m_cursor.spaces();
            return dayFirst();
        }
        return m_cursor.spaces() && monthFirst();
    }

    /// 6 Nov 1994 8:49:37 GMT, 06-Nov-94 08:49:37 GMT
    bool dayFirst()
    {
        const Cursor start = m_cursor;
        const bool found = m_cursor.number(1, 2, m_fields.day) && (m_cursor.peek() == '-' ? dashed() : spaced()) && m_cursor.spaces()
            && timeOfDay() && zone();
        if (!found)
            m_cursor = start;
        return found;
    }
    bool dashed()
    {
        unsigned year = 0;
        if (!m_cursor.take('-') || !m_cursor.month(m_fields.month) || !m_cursor.take('-'))
            return false;
        if (m_cursor.number(4, 4, year)) {
            m_fields.year = static_cast<int>(year);
            return true;
        }
        m_twoDigitYear = m_cursor.number(2, 2, year);
        m_fields.year = static_cast<int>(year);
        return m_twoDigitYear;
    }
    bool spaced() { return m_cursor.spaces() && m_cursor.month(m_fields.month) && m_cursor.spaces() && fourDigitYear(); }

    bool fourDigitYear()
    {
        unsigned year = 0;
        const bool found = m_cursor.number(4, 4, year);
        m_fields.year = static_cast<int>(year);
        return found;
    }

    /// Nov 6 08:49:37 1994, Feb 16 2021 09:02:42 GMT+0100 (Central European Standard Time)
    bool monthFirst()
    {
        if (!m_cursor.month(m_fields.month) || !m_cursor.spaces() || !m_cursor.number(1, 2, m_fields.day) || !m_cursor.spaces())
            return false;
        if (fourDigitYear()) {
            m_form = DateForm::JavaScript;
            return m_cursor.spaces() && timeOfDay() && zone() && zoneName();
        }
        return timeOfDay() && m_cursor.spaces() && fourDigitYear() && zone();
    }

    /// 2026-03-01T00:01Z, 2020-11-10T18:44:00.000+00:00
    bool iso8601()
    {
        m_form = DateForm::Iso8601;
        if (!fourDigitYear() || !m_cursor.take('-') || !m_cursor.number(2, 2, m_fields.month) || !m_cursor.take('-')
            || !m_cursor.number(2, 2, m_fields.day))
            return false;
        if (!m_cursor.take('T') && !m_cursor.take('t') && !m_cursor.take(' '))
            return false;
        if (!m_cursor.number(2, 2, m_fields.hour) || !m_cursor.take(':') || !m_cursor.number(2, 2, m_fields.minute))
            return false;
        return (m_cursor.peek() != ':' || seconds()) && zone();
    }

    bool timeOfDay()
    {
        return m_cursor.number(1, 2, m_fields.hour) && m_cursor.take(':') && m_cursor.number(2, 2, m_fields.minute) && seconds();
    }

    bool seconds()
    {
        if (!m_cursor.take(':') || !m_cursor.number(2, 2, m_fields.second))
            return false;
        if (m_cursor.peek() == '.')
            m_fraction = m_cursor.fraction();
        if (m_twoDigitYear)
            civil::chooseCentury(m_fields, m_now);
        return true;
    }

    /// No zone is GMT, as in the asctime form: never the machine's own.
    bool zone()
    {
        m_cursor.spaces();
        const std::string_view name = m_cursor.word();
        if (!name.empty() && !sameWord(name, "GMT") && !sameWord(name, "UTC") && !sameWord(name, "UT") && !sameWord(name, "Z"))
            return false;
        if (m_cursor.peek() != '+' && m_cursor.peek() != '-')
            return true;
        // "GMT-0400": JavaScript means the offset, others wrote it for no reason and ignore it.
        if (!name.empty() && m_form != DateForm::JavaScript)
            return false;
        const bool ahead = m_cursor.take('+');
        if (!ahead)
            m_cursor.take('-');
        unsigned hours = 0;
        unsigned minutes = 0;
        if (m_cursor.number(2, 2, hours)) {
            if (!m_cursor.take(':') || !m_cursor.number(2, 2, minutes))
                return false;
        } else if (m_cursor.number(4, 4, hours)) {
            minutes = hours % 100;
            hours /= 100;
        } else {
            return false;
        }
        m_offset = std::chrono::hours{hours} + std::chrono::minutes{minutes};
        m_offset = ahead ? m_offset : -m_offset;
        return hours <= 23 && minutes <= 59;
    }
    bool zoneName()
    {
        if (!m_cursor.spaces() || m_cursor.peek() != '(')
            return true;
        const std::string_view comment = m_cursor.rest();
        const bool closed = comment.find(')') == comment.size() - 1;
        if (closed)
            m_cursor = Cursor{{}};
        return closed;
    }

    Cursor m_cursor;
    WallTime m_now;
    Fields m_fields;
    DateForm m_form = DateForm::Loose;
    std::optional<unsigned> m_dayName;
    Duration m_fraction{};
    Duration m_offset{};
    bool m_twoDigitYear = false;
};

} // namespace

std::optional<HttpDate> readLooseDate(std::string_view text, WallTime now)
{
    return text.size() > kLongest ? std::nullopt : LooseDate{text, now}.read();
}

} // namespace throttlescope::signals
