// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/json_fault.h"

#include "core/signals/numbers.h"

#include <optional>
#include <string>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kDeepestJson = 1000;

class JsonScan {
public:
    explicit JsonScan(std::string_view text)
        : m_text(text)
    {
    }

    Complaint fault()
    {
        blanks();
        if (peek() != '{')
            return here("expected a JSON object");
        if (const auto found = values())
            return *found;
        blanks();
        return m_at < m_text.size() ? here("expected nothing behind the JSON object") : here("expected UTF-8");
    }

private:
    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    Complaint here(std::string_view what) const { return {m_at + 1, what}; }
    void blanks()
    {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
            ++m_at;
    }

    /// One value, with all that is in it.
    std::optional<Complaint> values()
    {
        std::string open; // the closing brackets that are awaited
        do {
            blanks();
            m_opened = false;
            const char closing = open.empty() ? '\0' : open.back();
            const bool closes = closing != '\0' && peek() == closing;
            // An empty one; else its comma was followed by nothing.
            if (closes && m_text[before()] != (closing == '}' ? '{' : '['))
                return here(closing == '}' ? "expected a key" : "expected a value");
            if (closing == '}' && !closes) {
                if (const auto wrong = key())
                    return wrong;
            }
            if (!closes) {
                if (const auto wrong = value(open))
                    return wrong;
            }
            if (m_opened)
                continue;
            if (const auto wrong = closeAndSeparate(open))
                return wrong;
        } while (!open.empty());
        return std::nullopt;
    }

    std::size_t before() const
    {
        std::size_t at = m_at;
        do {
            --at;
        } while (at > 0 && (m_text[at] == ' ' || m_text[at] == '\t' || m_text[at] == '\n' || m_text[at] == '\r'));
        return at;
    }

    std::optional<Complaint> key()
    {
        if (peek() != '"')
            return here("expected a key in quotes");
        if (const auto wrong = text())
            return wrong;
        blanks();
        if (peek() != ':')
            return here("expected ':' behind a key");
        ++m_at;
        blanks();
        return std::nullopt;
    }

    std::optional<Complaint> value(std::string &open)
    {
        if (peek() == '{' || peek() == '[') {
            open.push_back(peek() == '{' ? '}' : ']');
            ++m_at;
            m_opened = true;
            return open.size() > kDeepestJson ? std::optional{here("nested deeper than 1000")} : std::nullopt;
        }
        if (peek() == '"')
            return text();
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && m_text.substr(m_at, 1).find_first_of(",]} \t\r\n") == std::string_view::npos)
            ++m_at;
        const std::string_view word = m_text.substr(begin, m_at - begin);
        const bool number = !word.empty() && (signals::isDigit(word.front()) || (word.size() > 1 && word.front() == '-'));
        if (word == "true" || word == "false" || word == "null" || number)
            return std::nullopt;
        m_at = begin;
        return here("expected a value");
    }

    std::optional<Complaint> closeAndSeparate(std::string &open)
    {
        blanks();
        while (!open.empty() && peek() == open.back()) {
            open.pop_back();
            ++m_at;
            blanks();
        }
        if (open.empty())
            return std::nullopt;
        if (peek() != ',')
            return here(m_at < m_text.size() ? "expected ',' or a closing bracket" : "expected more, the JSON is cut");
        ++m_at;
        return std::nullopt;
    }

    std::optional<Complaint> text()
    {
        for (++m_at; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] == '"') {
                ++m_at;
                return std::nullopt;
            }
            if (static_cast<unsigned char>(m_text[m_at]) < 0x20)
                return here("expected no control character within quotes");
            m_at += m_text[m_at] == '\\' ? 1 : 0;
        }
        m_at = m_text.size();
        return here("expected a closing quote, the JSON is cut");
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    bool m_opened = false;
};

} // namespace

Complaint jsonFault(std::string_view text)
{
    return JsonScan{text}.fault();
}

} // namespace throttlescope::incident
