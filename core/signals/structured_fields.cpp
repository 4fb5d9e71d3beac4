// SPDX-License-Identifier: Apache-2.0
#include "core/signals/structured_fields.h"

#include "core/signals/structured_fields_grammar.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace throttlescope::signals::sf {

namespace {

template <typename T>
using Result = tl::expected<T, ParseError>;

constexpr std::string_view kBase64{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};
constexpr std::size_t kIndexFrom = 32; ///< keys from which on a lookup table is kept

/// Where a key stands among those already read; the last value of a repeated key wins (RFC 9651 4.2.2, 4.2.3.2).
class KeyIndex {
public:
    template <typename Keyed>
    std::size_t place(const std::vector<Keyed> &known, const std::string &key)
    {
        if (known.size() < kIndexFrom)
            return static_cast<std::size_t>(
                std::find_if(known.begin(), known.end(), [&key](const Keyed &each) { return each.key == key; }) - known.begin());
        for (std::size_t i = m_index.size(); i < known.size(); ++i)
            m_index.emplace(known[i].key, i);
        const auto found = m_index.find(key);
        return found == m_index.end() ? known.size() : found->second;
    }

private:
    std::unordered_map<std::string, std::size_t> m_index;
};

class Parser {
public:
    explicit Parser(std::string_view text)
        : m_text(text)
    {
    }

    Result<Item> wholeItem() { return whole(&Parser::item); }
    Result<List> wholeList() { return whole(&Parser::list); }
    Result<Dictionary> wholeDictionary() { return whole(&Parser::dictionary); }

private:
    /// Section 4.2: spaces around the value, nothing behind it.
    template <typename T>
    Result<T> whole(Result<T> (Parser::*parse)())
    {
        skip(" ");
        Result<T> value = (this->*parse)();
        if (!value)
            return value;
        skip(" ");
        return done() ? std::move(value) : fail("the end was expected");
    }

    bool done() const { return m_at == m_text.size(); }
    bool at(char c) const { return m_at < m_text.size() && m_text[m_at] == c; }
    bool take(char c)
    {
        const bool found = at(c);
        m_at += found ? 1 : 0;
        return found;
    }
    void skip(std::string_view characters)
    {
        while (!done() && characters.find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }
    template <typename Predicate>
    std::string_view takeWhile(Predicate predicate)
    {
        const std::size_t start = m_at;
        while (!done() && predicate(m_text[m_at]))
            ++m_at;
        return m_text.substr(start, m_at - start);
    }
    tl::unexpected<ParseError> fail(std::string_view what) const { return tl::unexpected(ParseError{m_at, what}); }

    /// Between members: OWS "," OWS, and a member behind the comma. False at the end of the text.
    Result<bool> nextMember()
    {
        skip(" \t");
        if (done())
            return false;
        if (!take(','))
            return fail("a comma was expected");
        skip(" \t");
        if (done())
            return fail("a member was expected after the comma");
        return true;
    }

    Result<List> list()
    {
        List members;
        members.reserve(done() ? 0 : 4);
        for (bool more = !done(); more;) {
            auto parsed = member();
            if (!parsed)
                return tl::unexpected(parsed.error());
            members.push_back(std::move(*parsed));
            const auto next = nextMember();
            if (!next)
                return tl::unexpected(next.error());
            more = *next;
        }
        return members;
    }

    Result<Dictionary> dictionary()
    {
        Dictionary members;
        KeyIndex index;
        for (bool more = !done(); more;) {
            auto parsed = dictionaryMember();
            if (!parsed)
                return tl::unexpected(parsed.error());
            const std::size_t place = index.place(members, parsed->key);
            if (place == members.size())
                members.push_back(std::move(*parsed));
            else
                members[place].value = std::move(parsed->value);
            const auto next = nextMember();
            if (!next)
                return tl::unexpected(next.error());
            more = *next;
        }
        return members;
    }

    Result<DictionaryMember> dictionaryMember()
    {
        auto name = key();
        if (!name)
            return tl::unexpected(name.error());
        if (take('=')) {
            auto value = member();
            if (!value)
                return tl::unexpected(value.error());
            return DictionaryMember{std::move(*name), std::move(*value)};
        }
        auto with = parameters();
        if (!with)
            return tl::unexpected(with.error());
        return DictionaryMember{std::move(*name), Item{true, std::move(*with)}};
    }

    Result<Member> member()
    {
        if (at('(')) {
            auto inner = innerList();
            return inner ? Result<Member>{std::move(*inner)} : tl::unexpected(inner.error());
        }
        auto single = item();
        return single ? Result<Member>{std::move(*single)} : tl::unexpected(single.error());
    }

    Result<InnerList> innerList()
    {
        InnerList inner;
        take('(');
        while (true) {
            skip(" ");
            if (take(')'))
                break;
            auto each = item();
            if (!each)
                return tl::unexpected(each.error());
            inner.items.push_back(std::move(*each));
            if (!at(' ') && !at(')'))
                return fail("a space or ')' was expected");
        }
        auto with = parameters();
        if (!with)
            return tl::unexpected(with.error());
        inner.parameters = std::move(*with);
        return inner;
    }

    Result<Item> item()
    {
        auto value = bareItem();
        if (!value)
            return tl::unexpected(value.error());
        auto with = parameters();
        if (!with)
            return tl::unexpected(with.error());
        return Item{std::move(*value), std::move(*with)};
    }

    Result<Parameters> parameters()
    {
        Parameters found;
        KeyIndex index;
        while (take(';')) {
            if (found.empty())
                found.reserve(4);
            skip(" ");
            auto name = key();
            if (!name)
                return tl::unexpected(name.error());
            Result<BareItem> value = BareItem{true};
            if (take('='))
                value = bareItem();
            if (!value)
                return tl::unexpected(value.error());
            const std::size_t place = index.place(found, *name);
            if (place == found.size())
                found.push_back({std::move(*name), std::move(*value)});
            else
                found[place].value = std::move(*value);
        }
        return found;
    }

    Result<std::string> key()
    {
        if (done() || !isKeyStart(m_text[m_at]))
            return fail("a key was expected");
        return std::string{takeWhile(isKeyCharacter)};
    }

    Result<BareItem> bareItem()
    {
        const char first = done() ? '\0' : m_text[m_at];
        switch (first) {
        case '"': return string();
        case ':': return byteSequence();
        case '?': return boolean();
        case '@': return date();
        case '%': return displayString();
        default: break;
        }
        if (first == '-' || isDecimalDigit(first))
            return number();
        if (isTokenStart(first))
            return BareItem{Token{std::string{takeWhile(isTokenCharacter)}}};
        return fail("a value was expected");
    }

    /// Section 4.2.4.
    Result<BareItem> number()
    {
        const bool negative = take('-');
        const std::string_view whole = takeWhile(isDecimalDigit);
        const std::int64_t sign = negative ? -1 : 1;
        if (whole.empty())
            return fail("a digit was expected");
        if (!at('.')) {
            if (whole.size() > 15)
                return fail("an integer has at most 15 digits");
            return BareItem{sign * valueOf(whole)};
        }
        if (whole.size() > 12)
            return fail("a decimal has at most 12 digits before the point");
        take('.');
        const std::string_view fraction = takeWhile(isDecimalDigit);
        if (fraction.empty() || fraction.size() > 3)
            return fail("a decimal has one to three digits behind the point");
        std::int64_t thousandths = valueOf(fraction);
        for (std::size_t i = fraction.size(); i < 3; ++i)
            thousandths *= 10;
        return BareItem{Decimal{sign * (valueOf(whole) * 1000 + thousandths)}};
    }
    static std::int64_t valueOf(std::string_view fewDigits)
    {
        std::int64_t value = 0;
        for (const char c : fewDigits)
            value = value * 10 + (c - '0');
        return value;
    }

    Result<BareItem> string()
    {
        String value;
        take('"');
        while (!done()) {
            const char c = m_text[m_at++];
            if (c == '"')
                return BareItem{std::move(value)};
            if (c == '\\') {
                if (!at('"') && !at('\\'))
                    return fail("only a quote or a backslash may be escaped");
                value.text.push_back(m_text[m_at++]);
            } else if (isVisible(c)) {
                value.text.push_back(c);
            } else {
                --m_at;
                return fail("a string holds printable ASCII only");
            }
        }
        return fail("a closing quote was expected");
    }

    /// Section 4.2.7. Missing padding and non-zero pad bits are accepted, as the RFC recommends for interoperability.
    Result<BareItem> byteSequence()
    {
        take(':');
        const std::size_t end = m_text.find(':', m_at);
        if (end == std::string_view::npos)
            return fail("a closing colon was expected");
        ByteSequence value;
        std::uint32_t bits = 0;
        int held = 0;
        std::size_t padding = 0;
        for (; m_at < end; ++m_at) {
            const std::size_t digit = kBase64.find(m_text[m_at]);
            if (m_text[m_at] == '=' && ++padding <= 2)
                continue;
            if (digit == std::string_view::npos || padding > 0)
                return fail("base64 was expected");
            bits = (bits << 6) | static_cast<std::uint32_t>(digit);
            held += 6;
            if (held >= 8) {
                held -= 8;
                value.bytes.push_back(static_cast<char>((bits >> held) & 0xffU));
            }
        }
        take(':');
        if (held == 6) // one character alone holds no byte
            return fail("base64 was cut short");
        return BareItem{std::move(value)};
    }

    Result<BareItem> boolean()
    {
        take('?');
        if (take('1'))
            return BareItem{true};
        if (take('0'))
            return BareItem{false};
        return fail("?0 or ?1 was expected");
    }

    Result<BareItem> date()
    {
        take('@');
        auto value = number();
        if (!value)
            return value;
        const auto *seconds = std::get_if<Integer>(&*value);
        return seconds ? Result<BareItem>{Date{*seconds}} : fail("a date is a whole number of seconds");
    }

    /// Section 4.2.10: percent escapes in lower-case hex, and the result is UTF-8.
    Result<BareItem> displayString()
    {
        take('%');
        if (!take('"'))
            return fail("a quote was expected");
        DisplayString value;
        while (!done()) {
            const char c = m_text[m_at++];
            if (c == '"')
                return isUtf8(value.text) ? Result<BareItem>{std::move(value)} : fail("a display string is UTF-8");
            if (!isVisible(c))
                return fail("a display string is printable ASCII, the rest escaped");
            if (c != '%') {
                value.text.push_back(c);
                continue;
            }
            if (m_text.size() - m_at < 2 || !isHex(m_text[m_at]) || !isHex(m_text[m_at + 1]))
                return fail("two lower-case hex digits were expected");
            value.text.push_back(static_cast<char>(hex(m_text[m_at]) * 16 + hex(m_text[m_at + 1])));
            m_at += 2;
        }
        return fail("a closing quote was expected");
    }
    static bool isHex(char c) { return isDecimalDigit(c) || (c >= 'a' && c <= 'f'); }
    static int hex(char c) { return isDecimalDigit(c) ? c - '0' : c - 'a' + 10; }

    std::string_view m_text;
    std::size_t m_at = 0;
};

} // namespace

tl::expected<Item, ParseError> parseItem(std::string_view text)
{
    return Parser{text}.wholeItem();
}

tl::expected<List, ParseError> parseList(std::string_view text)
{
    return Parser{text}.wholeList();
}

tl::expected<Dictionary, ParseError> parseDictionary(std::string_view text)
{
    return Parser{text}.wholeDictionary();
}

const BareItem *find(const Parameters &parameters, std::string_view key)
{
    const auto found = std::find_if(parameters.begin(), parameters.end(), [key](const Parameter &each) { return each.key == key; });
    return found == parameters.end() ? nullptr : &found->value;
}

const Member *find(const Dictionary &dictionary, std::string_view key)
{
    const auto found = std::find_if(dictionary.begin(), dictionary.end(), [key](const DictionaryMember &each) { return each.key == key; });
    return found == dictionary.end() ? nullptr : &found->value;
}

} // namespace throttlescope::signals::sf
