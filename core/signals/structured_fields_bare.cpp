// SPDX-License-Identifier: Apache-2.0
#include "core/signals/structured_fields_cursor.h"
#include "core/signals/structured_fields_grammar.h"

#include <algorithm>

namespace throttlescope::signals::sf {

namespace {

std::int64_t valueOf(std::string_view fewDigits)
{
    std::int64_t value = 0;
    for (const char c : fewDigits)
        value = value * 10 + (c - '0');
    return value;
}

/// Section 4.2.4.
bool number(Cursor &cursor, BareItem &value)
{
    const std::int64_t sign = cursor.take('-') ? -1 : 1;
    const std::string_view whole = cursor.takeWhile(isDecimalDigit);
    if (whole.empty())
        return cursor.fail("a digit was expected");
    if (!cursor.at('.')) {
        if (whole.size() > 15)
            return cursor.fail("an integer has at most 15 digits");
        value = sign * valueOf(whole);
        return true;
    }
    if (whole.size() > 12)
        return cursor.fail("a decimal has at most 12 digits before the point");
    cursor.take('.');
    const std::string_view fraction = cursor.takeWhile(isDecimalDigit);
    if (fraction.empty() || fraction.size() > 3)
        return cursor.fail("a decimal has one to three digits behind the point");
    std::int64_t thousandths = valueOf(fraction);
    for (std::size_t i = fraction.size(); i < 3; ++i)
        thousandths *= 10;
    value = Decimal{sign * (valueOf(whole) * 1000 + thousandths)};
    return true;
}

/// Section 4.2.5.
bool string(Cursor &cursor, BareItem &value)
{
    cursor.take('"');
    std::string &text = value.emplace<String>().text;
    while (true) {
        text += cursor.takeWhile([](char c) { return isVisible(c) && c != '"' && c != '\\'; });
        if (cursor.done())
            return cursor.fail("a closing quote was expected");
        if (cursor.take('"'))
            return true;
        if (!cursor.take('\\'))
            return cursor.fail("a string holds printable ASCII only");
        if (!cursor.at('"') && !cursor.at('\\'))
            return cursor.fail("only a quote or a backslash may be escaped");
        text.push_back(cursor.takeAny());
    }
}

/// Section 4.2.7. Missing padding and non-zero pad bits are accepted, as the RFC recommends for interoperability.
bool byteSequence(Cursor &cursor, BareItem &value)
{
    cursor.take(':');
    const std::size_t end = cursor.rest().find(':');
    if (end == std::string_view::npos)
        return cursor.fail("a closing colon was expected");
    std::string &bytes = value.emplace<ByteSequence>().bytes;
    std::uint32_t bits = 0;
    int held = 0;
    std::size_t padding = 0;
    for (; !cursor.at(':'); cursor.advance(1)) {
        const std::size_t digit = kBase64.find(cursor.peek());
        if (cursor.at('=') && ++padding <= 2)
            continue;
        if (digit == std::string_view::npos || padding > 0)
            return cursor.fail("base64 was expected");
        bits = (bits << 6) | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes.push_back(static_cast<char>((bits >> held) & 0xffU));
        }
    }
    cursor.take(':');
    return held != 6 || cursor.fail("base64 was cut short"); // one character alone holds no byte
}

bool boolean(Cursor &cursor, BareItem &value)
{
    cursor.take('?');
    if (!cursor.at('0') && !cursor.at('1'))
        return cursor.fail("?0 or ?1 was expected");
    value = cursor.takeAny() == '1';
    return true;
}

bool date(Cursor &cursor, BareItem &value)
{
    cursor.take('@');
    if (!number(cursor, value))
        return false;
    const auto *seconds = std::get_if<Integer>(&value);
    if (!seconds)
        return cursor.fail("a date is a whole number of seconds");
    value = Date{*seconds};
    return true;
}

bool isHex(char c)
{
    return isDecimalDigit(c) || (c >= 'a' && c <= 'f');
}
int hex(char c)
{
    return isDecimalDigit(c) ? c - '0' : c - 'a' + 10;
}

/// Section 4.2.10: percent escapes in lower-case hex, and the result is UTF-8.
bool displayString(Cursor &cursor, BareItem &value)
{
    cursor.take('%');
    if (!cursor.take('"'))
        return cursor.fail("a quote was expected");
    std::string &text = value.emplace<DisplayString>().text;
    while (!cursor.done()) {
        const char c = cursor.takeAny();
        if (c == '"')
            return isUtf8(text) || cursor.fail("a display string is UTF-8");
        if (!isVisible(c))
            return cursor.fail("a display string is printable ASCII, the rest escaped");
        if (c != '%') {
            text.push_back(c);
            continue;
        }
        const std::string_view digits = cursor.rest().substr(0, 2);
        if (digits.size() < 2 || !isHex(digits[0]) || !isHex(digits[1]))
            return cursor.fail("two lower-case hex digits were expected");
        text.push_back(static_cast<char>(hex(digits[0]) * 16 + hex(digits[1])));
        cursor.advance(2);
    }
    return cursor.fail("a closing quote was expected");
}

} // namespace

bool parseBareItem(Cursor &cursor, BareItem &value)
{
    const char first = cursor.peek();
    switch (first) {
    case '"': return string(cursor, value);
    case ':': return byteSequence(cursor, value);
    case '?': return boolean(cursor, value);
    case '@': return date(cursor, value);
    case '%': return displayString(cursor, value);
    default: break;
    }
    if (first == '-' || isDecimalDigit(first))
        return number(cursor, value);
    if (!isTokenStart(first))
        return cursor.fail("a value was expected");
    value.emplace<Token>().text = cursor.takeWhile(isTokenCharacter);
    return true;
}

} // namespace throttlescope::signals::sf
