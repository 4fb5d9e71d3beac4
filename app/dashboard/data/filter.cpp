// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/filter.h"

#include "app/dashboard/data/filter_keys.h"
#include "simulator/scenario/problems.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Cuts a filter's text into terms.
class FilterParser {
public:
    explicit FilterParser(std::string_view text)
        : m_text(text)
    {
    }

    tl::expected<Filter, FilterError> parse()
    {
        Filter filter;
        for (skipSpaces(); m_at < m_text.size(); skipSpaces()) {
            auto term = parseTerm();
            if (!term)
                return tl::unexpected(term.error());
            filter.terms.push_back(std::move(*term));
        }
        return filter;
    }

private:
    using Error = tl::unexpected<FilterError>;

    void skipSpaces()
    {
        while (m_at < m_text.size() && isSpace(m_text[m_at]))
            ++m_at;
    }
    bool ended() const { return m_at == m_text.size() || isSpace(m_text[m_at]); }

    Error error(std::size_t at, std::string message) const
    {
        const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }; // of a UTF-8 character
        const auto before = std::count_if(m_text.begin(), m_text.begin() + static_cast<std::ptrdiff_t>(at), begins);
        return Error{FilterError{static_cast<int>(before) + 1, std::move(message)}};
    }

    tl::expected<FilterTerm, FilterError> parseTerm()
    {
        const std::size_t begin = m_at;
        FilterTerm term;
        if (m_text[m_at] == '-') {
            term.negated = true;
            ++m_at;
            if (ended())
                return error(m_at, "expected a term after '-'");
        }
        if (const auto problem = parseKey(term))
            return error(problem->column - 1, problem->message);
        do {
            const std::size_t at = m_at;
            auto text = parseText();
            if (!text)
                return tl::unexpected(text.error());
            if (text->empty())
                return error(at, fmt::format("expected {}", valuesOf(term.key)));
            auto value = parseFilterValue(term, *text, m_quoted);
            if (!value)
                return error(at, value.error());
            term.values.push_back(std::move(*value));
        } while (m_at < m_text.size() && m_text[m_at] == '|' && ++m_at > 0);
        term.text = m_text.substr(begin, m_at - begin);
        return term;
    }

    /// Leaves what has no key and no comparison for the words. The column of a problem is the offset + 1.
    std::optional<FilterError> parseKey(FilterTerm &term)
    {
        const std::size_t begin = m_at;
        const std::size_t stop
            = std::min(m_text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", begin), m_text.size());
        if (stop == begin || stop == m_text.size())
            return std::nullopt;
        std::size_t after = stop;
        const auto comparison = comparisonAt(m_text, after);
        if (!comparison)
            return std::nullopt;
        const std::string_view name = m_text.substr(begin, stop - begin);
        const auto key = filterKey(name);
        if (!key)
            return FilterError{static_cast<int>(begin) + 1, fmt::format("no key '{}'{}", name, suggestion(name, filterKeyNames()))};
        if (*comparison != Comparison::Is && !isNumeric(*key))
            return FilterError{static_cast<int>(stop) + 1, fmt::format("'{}' has no order, expected ':'", name)};
        term.key = *key;
        term.comparison = *comparison;
        m_at = after;
        return std::nullopt;
    }

    /// Up to a space or a '|', quotes taken off.
    tl::expected<std::string, FilterError> parseText()
    {
        std::string text;
        m_quoted = false;
        for (; !ended() && m_text[m_at] != '|'; ++m_at) {
            if (m_text[m_at] != '"') {
                text.push_back(m_text[m_at]);
                continue;
            }
            const std::size_t quote = m_at;
            const std::size_t close = m_text.find('"', quote + 1);
            if (close == std::string_view::npos)
                return error(quote, "expected a second quote");
            text += m_text.substr(quote + 1, close - quote - 1);
            m_quoted = true;
            m_at = close;
        }
        return text;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    bool m_quoted = false; ///< the text that was read last: a star in it is a star
};

} // namespace

std::string Filter::text() const
{
    std::string text;
    for (const FilterTerm &term : terms)
        text += (text.empty() ? "" : " ") + term.text;
    return text;
}

Filter Filter::without(std::size_t term) const
{
    Filter rest = *this;
    rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(term));
    return rest;
}

tl::expected<Filter, FilterError> parseFilter(std::string_view text)
{
    return FilterParser{text}.parse();
}

} // namespace throttlescope::dashboard
