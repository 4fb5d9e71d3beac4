// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/redactor.h"

#include <algorithm>

namespace throttlescope::fetch {

namespace {

constexpr std::size_t kTelling = 8; ///< bytes that are hardly anywhere by chance

bool isOfAWord(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'
        || static_cast<unsigned char>(c) >= 0x80;
}

bool standsAlone(std::string_view text, std::size_t at, std::size_t size)
{
    return (at == 0 || !isOfAWord(text[at - 1])) && (at + size == text.size() || !isOfAWord(text[at + size]));
}

/// How much of the secret stands there; 0: too little to tell.
std::size_t sizeAt(std::string_view text, std::size_t at, std::string_view secret)
{
    const std::string_view rest = text.substr(at);
    const auto differ = std::mismatch(secret.begin(), secret.end(), rest.begin(), rest.end());
    const auto size = static_cast<std::size_t>(differ.first - secret.begin());
    const bool whole = size == secret.size();
    const bool found = secret.size() < kTelling ? whole && standsAlone(text, at, size) : whole || size == rest.size();
    return found ? size : 0;
}

/// ?0 and ?1, where no URL is before it.
bool isBoolean(std::string_view before, std::string_view from)
{
    constexpr std::string_view begins = "=,( \t";
    const bool begin = before.empty() || begins.find(before.back()) != std::string_view::npos;
    constexpr std::string_view ends = ",;) \t";
    const bool end = from.size() == 2 || (from.size() > 2 && ends.find(from[2]) != std::string_view::npos);
    return begin && end && (from[1] == '0' || from[1] == '1');
}

} // namespace

Redactor::Redactor(std::vector<std::string> secrets)
    : m_secrets(std::move(secrets))
{
    std::erase(m_secrets, std::string{});
    std::stable_sort(m_secrets.begin(), m_secrets.end(), [](const auto &a, const auto &b) { return a.size() > b.size(); });
}

std::optional<Redactor::Match> Redactor::next(std::string_view text, std::size_t from) const
{
    std::optional<Match> first;
    for (const std::string &secret : m_secrets) {
        const std::string_view begin = std::string_view{secret}.substr(0, kTelling);
        for (std::size_t at = text.find(begin, from); at != std::string_view::npos; at = text.find(begin, at + 1)) {
            if (first && at >= first->at)
                break;
            if (const std::size_t size = sizeAt(text, at, secret); size > 0)
                first = Match{at, size};
        }
    }
    return first;
}

std::string Redactor::redacted(std::string_view text) const
{
    std::string kept;
    std::size_t from = 0;
    while (const auto match = next(text, from)) {
        kept.append(text.substr(from, match->at - from)).append("***");
        from = match->at + match->size;
    }
    return kept.append(text.substr(from));
}

std::string withoutQueries(std::string_view text)
{
    constexpr std::string_view ends = " \t\"<>"; // RFC 3986 appendix C
    std::string kept;
    for (std::size_t query = text.find('?'); query != std::string_view::npos; query = text.find('?')) {
        kept += text.substr(0, query);
        text.remove_prefix(query);
        if (isBoolean(kept, text)) { // of a structured field, RFC 8941 3.3.6
            kept += text.substr(0, 2);
            text.remove_prefix(2);
        } else {
            text.remove_prefix(std::min(text.find_first_of(ends), text.size()));
        }
    }
    return kept.append(text);
}

} // namespace throttlescope::fetch
