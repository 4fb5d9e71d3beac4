// SPDX-License-Identifier: Apache-2.0
#include "core/signals/structured_fields.h"

#include "core/signals/structured_fields_cursor.h"
#include "core/signals/structured_fields_grammar.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace throttlescope::signals::sf {

namespace {

constexpr std::size_t kIndexFrom = 32; ///< keys from which on a lookup table is kept
constexpr std::size_t kFewMembers = 4;

/// Where a key stands among those already read; the last value of a repeated key wins (RFC 9651 4.2.2, 4.2.3.2).
class KeyIndex {
public:
    template <typename Keyed>
    std::size_t place(const std::vector<Keyed> &known, std::string_view key)
    {
        if (known.size() < kIndexFrom)
            return static_cast<std::size_t>(
                std::find_if(known.begin(), known.end(), [key](const Keyed &each) { return each.key == key; }) - known.begin());
        if (!m_index)
            m_index.emplace();
        for (std::size_t i = m_index->size(); i < known.size(); ++i)
            m_index->emplace(known[i].key, i);
        const auto found = m_index->find(std::string{key});
        return found == m_index->end() ? known.size() : found->second;
    }

private:
    std::optional<std::unordered_map<std::string, std::size_t>> m_index;
};

/// The member of that key, a new one at the end where there is none; its value is about to be read.
template <typename Keyed>
Keyed &memberOf(std::vector<Keyed> &known, KeyIndex &index, std::string_view key)
{
    if (known.empty())
        known.reserve(kFewMembers);
    const std::size_t place = index.place(known, key);
    if (place == known.size())
        known.emplace_back().key = key;
    return known[place];
}

class Parser {
public:
    explicit Parser(std::string_view text)
        : m_cursor(text)
    {
    }

    /// Section 4.2: spaces around the value, nothing behind it.
    template <typename T>
    tl::expected<T, ParseError> whole(bool (Parser::*parse)(T &))
    {
        tl::expected<T, ParseError> value;
        m_cursor.skipSpaces();
        bool good = (this->*parse)(*value);
        if (good) {
            m_cursor.skipSpaces();
            good = m_cursor.done() || m_cursor.fail("the end was expected");
        }
        if (!good)
            value = tl::unexpected(m_cursor.error());
        return value;
    }

    bool list(List &members)
    {
        members.reserve(m_cursor.done() ? 0 : kFewMembers);
        for (bool more = !m_cursor.done(); more;) {
            if (!member(members.emplace_back()) || !nextMember(more))
                return false;
        }
        return true;
    }

    bool dictionary(Dictionary &members)
    {
        KeyIndex index;
        for (bool more = !m_cursor.done(); more;) {
            std::string_view name;
            if (!key(name))
                return false;
            Member &value = memberOf(members, index, name).value;
            if (m_cursor.take('=')) {
                if (!member(value))
                    return false;
            } else if (!parameters(value.emplace<Item>(Item{true, {}}).parameters)) {
                return false;
            }
            if (!nextMember(more))
                return false;
        }
        return true;
    }

    bool item(Item &item) { return parseBareItem(m_cursor, item.value) && parameters(item.parameters); }

private:
    /// Between members: OWS "," OWS, and a member behind the comma. No more at the end of the text.
    bool nextMember(bool &more)
    {
        m_cursor.skipWhiteSpace();
        more = !m_cursor.done();
        if (!more)
            return true;
        if (!m_cursor.take(','))
            return m_cursor.fail("a comma was expected");
        m_cursor.skipWhiteSpace();
        return !m_cursor.done() || m_cursor.fail("a member was expected after the comma");
    }

    bool member(Member &member) { return m_cursor.at('(') ? innerList(member.emplace<InnerList>()) : item(member.emplace<Item>()); }

    bool innerList(InnerList &inner)
    {
        m_cursor.take('(');
        while (true) {
            m_cursor.skipSpaces();
            if (m_cursor.take(')'))
                return parameters(inner.parameters);
            if (!item(inner.items.emplace_back()))
                return false;
            if (!m_cursor.at(' ') && !m_cursor.at(')'))
                return m_cursor.fail("a space or ')' was expected");
        }
    }

    bool parameters(Parameters &found)
    {
        KeyIndex index;
        while (m_cursor.take(';')) {
            m_cursor.skipSpaces();
            std::string_view name;
            if (!key(name))
                return false;
            BareItem &value = memberOf(found, index, name).value;
            if (!m_cursor.take('='))
                value = true;
            else if (!parseBareItem(m_cursor, value))
                return false;
        }
        return true;
    }

    bool key(std::string_view &name)
    {
        if (!isKeyStart(m_cursor.peek()))
            return m_cursor.fail("a key was expected");
        name = m_cursor.takeWhile(isKeyCharacter);
        return true;
    }

    Cursor m_cursor;
};

} // namespace

tl::expected<Item, ParseError> parseItem(std::string_view text)
{
    return Parser{text}.whole(&Parser::item);
}

tl::expected<List, ParseError> parseList(std::string_view text)
{
    return Parser{text}.whole(&Parser::list);
}

tl::expected<Dictionary, ParseError> parseDictionary(std::string_view text)
{
    return Parser{text}.whole(&Parser::dictionary);
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
