// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/routes.h"

#include <algorithm>
#include <array>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kLongestWord = 32;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}
bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || isUpper(c);
}
bool isHex(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool isUuid(std::string_view text)
{
    if (text.size() != 36)
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !isHex(text[i]))
            return false;
    }
    return true;
}

/// Collections of people and of their things: what follows names one of them.
constexpr std::array<std::string_view, 36> kSomebodys{"account", "accounts", "author", "authors", "channels", "client", "clients",
    "company", "companies", "contacts", "customer", "customers", "email", "emails", "groups", "login", "member", "members", "org",
    "organizations", "orgs", "owners", "people", "person", "profile", "profiles", "repos", "team", "teams", "tenant", "tenants", "token",
    "tokens", "u", "user", "users"};
/// What may follow them and is nobody.
constexpr std::array<std::string_view, 14> kNobody{
    "all", "batch", "count", "current", "export", "import", "list", "me", "new", "login", "logout", "search", "self", "verify"};

/// "v1", "oauth2", "s3": words with a digit or two at their end.
bool isWord(std::string_view text)
{
    if (text.size() > kLongestWord || !isLetter(text.front()))
        return false;
    const auto digits = std::count_if(text.begin(), text.end(), isDigit);
    const bool digitsAtItsEnd = digits <= 2 && std::all_of(text.end() - digits, text.end(), isDigit);
    const auto capitals = std::count_if(text.begin() + 1, text.end(), isUpper);
    const bool sounds
        = std::all_of(text.begin(), text.end(), [](char c) { return isLetter(c) || isDigit(c) || c == '-' || c == '_' || c == '.'; });
    // camelCase has a capital now and then; a token has them all over the place.
    return sounds && digitsAtItsEnd && (capitals <= 4 || static_cast<std::size_t>(capitals) + 1 == text.size());
}

bool isOneOf(std::string_view text, const auto &words)
{
    return std::find(words.begin(), words.end(), text) != words.end();
}

} // namespace

std::string_view segmentTemplate(std::string_view segment, std::string_view before)
{
    segment = segment.substr(0, segment.find(';')); // `;jsessionid=…`
    if (segment.empty())
        return {};
    if (std::all_of(segment.begin(), segment.end(), isDigit))
        return "{id}";
    if (isUuid(segment))
        return "{uuid}";
    if (segment.size() >= 8 && std::all_of(segment.begin(), segment.end(), isHex) && std::any_of(segment.begin(), segment.end(), isDigit))
        return "{hex}";
    if (segment.size() > kLongestWord)
        return "{token}";
    if (!isWord(segment))
        return std::any_of(segment.begin(), segment.end(), isDigit) ? "{id}" : "{…}";
    return isOneOf(before, kSomebodys) && !isOneOf(segment, kNobody) ? "{id}" : segment;
}

} // namespace throttlescope::incident
