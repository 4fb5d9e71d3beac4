// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/redactor.h"

#include "core/journal/json_line.h"

#include <algorithm>

namespace throttlescope::fetch {

namespace {

constexpr std::size_t kTelling = 8; ///< characters of a secret that tell it, where the rest was cut off

std::string escaped(const std::string &secret)
{
    std::string text;
    journal::appendJsonText(text, secret);
    const bool quoted = text.size() >= 2 && text.front() == '"';
    return quoted ? text.substr(1, text.size() - 2) : text;
}

} // namespace

Redactor::Redactor(const std::vector<std::string> &secrets)
{
    for (const std::string &secret : secrets)
        m_secrets.push_back(escaped(secret));
}

bool Redactor::finds(std::string_view text) const
{
    return std::any_of(
        m_secrets.begin(), m_secrets.end(), [text](const std::string &secret) { return text.find(secret) != std::string_view::npos; });
}

void Redactor::redact(std::string &json) const
{
    for (const std::string &secret : m_secrets) {
        const std::string_view begin = std::string_view{secret}.substr(0, kTelling);
        for (std::size_t at = json.find(begin); at != std::string::npos; at = json.find(begin, at + 1)) {
            const auto differ = std::mismatch(secret.begin(), secret.end(), json.begin() + static_cast<std::ptrdiff_t>(at), json.end());
            const auto length = static_cast<std::size_t>(differ.first - secret.begin());
            const std::string_view behind = std::string_view{json}.substr(at + length);
            const bool isKey = at > 0 && json[at - 1] == '"' && behind.substr(0, 2) == "\":";
            const bool isCut = length < secret.size() && behind.substr(0, 1) == "\"";
            if (!isKey && (length == secret.size() || isCut))
                json.replace(at, length, "***");
        }
    }
}

} // namespace throttlescope::fetch
