// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/structured_fields.h"

#include <string_view>

/// What the parsers of RFC 9651 share: a place in the text, and the first error. A parse function fills what it was given and
/// returns false where the text does not fit; then everything around it fails too.
namespace throttlescope::signals::sf {

class Cursor {
public:
    explicit Cursor(std::string_view text)
        : m_text(text)
    {
    }

    bool done() const { return m_at == m_text.size(); }
    /// The character here; NUL at the end.
    char peek() const { return done() ? '\0' : m_text[m_at]; }
    bool at(char c) const { return !done() && m_text[m_at] == c; }
    bool take(char c)
    {
        const bool found = at(c);
        m_at += found ? 1 : 0;
        return found;
    }
    char takeAny() { return m_text[m_at++]; }
    void skipSpaces()
    {
        while (at(' '))
            ++m_at;
    }
    /// OWS of RFC 9110 5.6.3.
    void skipWhiteSpace()
    {
        while (at(' ') || at('\t'))
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
    std::string_view rest() const { return m_text.substr(m_at); }
    void advance(std::size_t count) { m_at += count; }

    bool fail(std::string_view what)
    {
        m_error = {m_at, what};
        return false;
    }
    const ParseError &error() const { return m_error; }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
    ParseError m_error;
};

/// Section 4.2.3.1.
bool parseBareItem(Cursor &cursor, BareItem &value);

} // namespace throttlescope::signals::sf
