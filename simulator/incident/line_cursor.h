// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace throttlescope::incident {

/// Walks through one line of a log, field by field.
class LineCursor {
public:
    explicit LineCursor(std::string_view line, std::size_t at = 0)
        : m_line(line)
        , m_at(at)
    {
    }

    bool atEnd() const { return m_at >= m_line.size(); }
    char peek() const { return atEnd() ? '\0' : m_line[m_at]; }
    std::string_view rest() const { return m_line.substr(m_at); }
    std::size_t at() const { return m_at; }
    /// From 1, of what comes next.
    std::size_t column() const { return m_at + 1; }
    void skip(std::size_t count) { m_at = m_at + count < m_line.size() ? m_at + count : m_line.size(); }

    bool take(std::string_view literal)
    {
        if (!rest().starts_with(literal))
            return false;
        m_at += literal.size();
        return true;
    }
    /// Up to the next blank or the end; the blank is passed. Empty at the end.
    std::string_view word()
    {
        const std::size_t end = m_line.find(' ', m_at);
        const std::string_view found = m_line.substr(m_at, end == std::string_view::npos ? end : end - m_at);
        m_at = end == std::string_view::npos ? m_line.size() : end + 1;
        return found;
    }
    /// What stands between a quote here and the next one without a backslash; both are passed, and a blank behind them.
    /// None, and nothing moves, where no quote stands here or none closes it.
    std::optional<std::string_view> quoted()
    {
        if (peek() != '"')
            return std::nullopt;
        std::size_t end = m_line.find('"', m_at + 1);
        while (end != std::string_view::npos && isEscaped(end))
            end = m_line.find('"', end + 1);
        if (end == std::string_view::npos)
            return std::nullopt;
        const std::string_view found = m_line.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        take(" ");
        return found;
    }

private:
    /// An odd number of backslashes stands before it, within the quotes.
    bool isEscaped(std::size_t quote) const
    {
        std::size_t first = quote;
        while (first > m_at + 1 && m_line[first - 1] == '\\')
            --first;
        return (quote - first) % 2 == 1;
    }

    std::string_view m_line;
    std::size_t m_at;
};

} // namespace throttlescope::incident
