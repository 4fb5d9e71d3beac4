// SPDX-License-Identifier: Apache-2.0
#include "core/signals/http_date.h"

#include "core/signals/civil_time.h"
#include "core/signals/loose_date.h"
#include "core/signals/numbers.h"

#include <bit>
#include <cstring>

namespace throttlescope::signals {

namespace {

using civil::Fields;

/// The bytes as they stand, the first one lowest, whatever the machine's byte order.
template <typename Word>
std::uint64_t load(const char *text)
{
    Word word;
    std::memcpy(&word, text, sizeof word);
    if constexpr (std::endian::native == std::endian::big && sizeof(Word) == 2)
        word = __builtin_bswap16(word);
    else if constexpr (std::endian::native == std::endian::big && sizeof(Word) == 4)
        word = __builtin_bswap32(word);
    return word;
}
constexpr std::uint64_t literal(std::string_view bytes)
{
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return word;
}

/// Each form has fixed columns, and a date is read more often than anything else here: a field is loaded where it stands,
/// eight digits are looked at together, and what differs from the grammar gathers in one word that is tested once.
class Columns {
public:
    explicit Columns(const char *text)
        : m_text(text)
    {
    }

    void is(std::size_t at, char expected) { m_wrong |= static_cast<std::uint64_t>(m_text[at] ^ expected); }
    void is2(std::size_t at, std::uint64_t expected) { m_wrong |= load<std::uint16_t>(m_text + at) ^ expected; }
    void is4(std::size_t at, std::uint64_t expected) { m_wrong |= load<std::uint32_t>(m_text + at) ^ expected; }

    std::uint64_t two(std::size_t at) const { return load<std::uint16_t>(m_text + at); }
    std::uint64_t four(std::size_t at) const { return load<std::uint32_t>(m_text + at); }

    /// Eight digits, the first one lowest, as four numbers of two digits in lanes of 16 bits.
    std::uint64_t pairs(std::uint64_t digits)
    {
        const std::uint64_t values = digits ^ 0x3030303030303030U;
        m_wrong |= (values | (values + 0x7676767676767676U)) & 0x8080808080808080U; // 10 and more reaches the top bit
        return (values * 10 + (values >> 8)) & 0x00ff00ff00ff00ffU;
    }
    static unsigned lane(std::uint64_t pairs, unsigned index) { return static_cast<unsigned>(pairs >> (16 * index)) & 0xffU; }

    /// 1 to 12. The second and third letters tell the months apart, and their sum modulo 32 tells them apart too.
    unsigned month(std::size_t at)
    {
        const char *name = m_text + at;
        const unsigned found = kMonthByHash[static_cast<unsigned>(name[1] + name[2]) % 32U];
        m_wrong |= (load<std::uint16_t>(name) | static_cast<std::uint64_t>(static_cast<unsigned char>(name[2])) << 16) ^ kMonthNames[found];
        return found + 1;
    }
    void colons(std::size_t clock)
    {
        is(clock + 2, ':');
        is(clock + 5, ':');
    }
    bool good() const { return m_wrong == 0; }

private:
    static constexpr auto kMonthByHash = [] {
        std::array<std::uint8_t, 32> table{};
        for (std::uint8_t i = 0; i < 12; ++i)
            table[static_cast<std::size_t>(civil::kMonths[i][1] + civil::kMonths[i][2]) % 32] = i;
        return table;
    }();
    static constexpr auto kMonthNames = [] {
        std::array<std::uint64_t, 12> table{};
        for (std::size_t i = 0; i < 12; ++i)
            table[i] = literal(civil::kMonths[i]);
        return table;
    }();

    const char *m_text;
    std::uint64_t m_wrong = 0;
};

struct Written {
    Fields fields;
    DateForm form;
    std::string_view dayName; ///< three letters, or the whole name in the RFC 850 form
};

constexpr std::size_t kImfSize = 29, kAsctimeSize = 24, kRfc850Tail = 24;

/// Day, year (its first two digits, its last two) and clock of all forms, from two words of digits.
void setNumbers(Fields &fields, std::uint64_t dayYearHour, std::uint64_t minuteSecond)
{
    fields.day = Columns::lane(dayYearHour, 0);
    fields.year = static_cast<int>(Columns::lane(dayYearHour, 1) * 100 + Columns::lane(dayYearHour, 2));
    fields.hour = Columns::lane(dayYearHour, 3);
    fields.minute = Columns::lane(minuteSecond, 0);
    fields.second = Columns::lane(minuteSecond, 1);
}

constexpr std::uint64_t kNoDigits = literal("0000");

bool imfFixdate(std::string_view text, Written &date)
{
    Columns columns{text.data()};
    date.dayName = {text.data(), 3};
    columns.is2(3, literal(", "));
    columns.is(7, ' ');
    date.fields.month = columns.month(8);
    columns.is(11, ' ');
    columns.is(16, ' ');
    columns.colons(17);
    columns.is4(25, literal(" GMT"));
    setNumbers(date.fields, columns.pairs(columns.two(5) | columns.four(12) << 16 | columns.two(17) << 48),
        columns.pairs(columns.two(20) | columns.two(23) << 16 | kNoDigits << 32));
    date.form = DateForm::ImfFixdate;
    return columns.good();
}

bool rfc850Date(std::string_view text, WallTime now, Written &date)
{
    const std::size_t name = text.size() - kRfc850Tail;
    Columns columns{text.data() + name};
    date.dayName = {text.data(), name};
    columns.is2(0, literal(", "));
    columns.is(4, '-');
    date.fields.month = columns.month(5);
    columns.is(8, '-');
    columns.is(11, ' ');
    columns.colons(12);
    columns.is4(20, literal(" GMT"));
    setNumbers(date.fields, columns.pairs(columns.two(2) | literal("00") << 16 | columns.two(9) << 32 | columns.two(12) << 48),
        columns.pairs(columns.two(15) | columns.two(18) << 16 | kNoDigits << 32));
    date.form = DateForm::Rfc850;
    if (!columns.good())
        return false;
    civil::chooseCentury(date.fields, now);
    return true;
}

bool asctimeDate(std::string_view text, Written &date)
{
    Columns columns{text.data()};
    date.dayName = {text.data(), 3};
    columns.is(3, ' ');
    date.fields.month = columns.month(4);
    columns.is(7, ' ');
    columns.is(10, ' ');
    columns.colons(11);
    columns.is(19, ' ');
    // A one-digit day has a space for its first digit, which is a '0' without one bit.
    const std::uint64_t day = columns.two(8) | (text[8] == ' ' ? 0x10U : 0U);
    setNumbers(date.fields, columns.pairs(day | columns.four(20) << 16 | columns.two(11) << 48),
        columns.pairs(columns.two(14) | columns.two(17) << 16 | kNoDigits << 32));
    date.form = DateForm::Asctime;
    return columns.good();
}

bool written(std::string_view text, WallTime now, Written &date)
{
    if (text.size() < kAsctimeSize || text.size() > kRfc850Tail + 9)
        return false;
    if (text[3] == ',')
        return text.size() == kImfSize && imfFixdate(text, date);
    if (text[3] == ' ')
        return text.size() == kAsctimeSize && asctimeDate(text, date);
    return text.size() >= kRfc850Tail + 6 && rfc850Date(text, now, date);
}

constexpr auto kDayNames = [] {
    std::array<std::uint64_t, 7> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = literal(civil::kDays[i].substr(0, 3));
    return table;
}();

/// Is it the day's name, in three letters or, in the RFC 850 form, whole?
inline bool isName(const Written &date, unsigned weekday)
{
    const char *name = date.dayName.data();
    const std::uint64_t letters = load<std::uint16_t>(name) | static_cast<std::uint64_t>(static_cast<unsigned char>(name[2])) << 16;
    return letters == kDayNames[weekday] && (date.form != DateForm::Rfc850 || date.dayName == civil::kDays[weekday]);
}

bool isAnyName(const Written &date)
{
    unsigned weekday = 0;
    while (weekday < civil::kDays.size() && !isName(date, weekday))
        ++weekday;
    return weekday < civil::kDays.size();
}

std::optional<HttpDate> readForms(std::string_view text, WallTime now, DateMode mode)
{
    Written date;
    if (!written(text, now, date))
        return std::nullopt;
    const auto moment = civil::momentOf(date.fields);
    if (!moment)
        return std::nullopt;
    const bool wrongDayName = !isName(date, moment->weekday);
    if (wrongDayName && !isAnyName(date))
        return std::nullopt;
    // The grammar's range of seconds ends at 60 for leap seconds, which come at 23:59:60 only.
    const bool oddLeapSecond = date.fields.second == 60 && (date.fields.hour != 23 || date.fields.minute != 59);
    if (mode == DateMode::Strict && (wrongDayName || oddLeapSecond))
        return std::nullopt;
    return HttpDate{moment->time, date.form, wrongDayName};
}

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

} // namespace throttlescope::signals
