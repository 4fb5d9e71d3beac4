// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/raw_response.h"

#include "core/signals/numbers.h"

#include <algorithm>

namespace throttlescope::cli {

namespace {

using signals::isDigit;
using signals::trimmed;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view takeLine(std::string_view &text)
{
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
    return line;
}

/// "HTTP/1.1 429 Too Many Requests", "HTTP/2 429": version, status, perhaps a reason.
std::optional<int> statusOf(std::string_view line)
{
    if (line.substr(0, 5) != "HTTP/")
        return std::nullopt;
    line.remove_prefix(5);
    const std::size_t version = line.find(' ');
    const bool plausible = version != std::string_view::npos && version > 0
        && std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(version), [](char c) { return isDigit(c) || c == '.'; });
    if (!plausible)
        return std::nullopt;
    line = line.substr(version + 1);
    const std::string_view digits = line.substr(0, 3);
    const bool isStatus = digits.size() == 3 && std::all_of(digits.begin(), digits.end(), isDigit) && digits.front() != '0';
    if (!isStatus || (line.size() > 3 && line[3] != ' '))
        return std::nullopt;
    return (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
}

/// Header lines up to the empty one. A line that begins with white space goes on with the one before (RFC 9112 5.2).
void takeHeaders(std::string_view &text, RawResponse &raw)
{
    Headers &headers = raw.response.headers;
    bool ignored = false;
    while (!text.empty()) {
        const std::string_view line = takeLine(text);
        if (line.empty())
            return;
        const bool continues = line.front() == ' ' || line.front() == '\t';
        if (continues && !headers.empty() && !ignored) {
            headers.back().value.append(" ").append(trimmed(line));
        } else if (auto field = continues ? std::nullopt : parseHeaderLine(line)) {
            headers.push_back(std::move(*field));
            ignored = false;
        } else {
            ++raw.ignoredLines;
            ignored = true;
        }
    }
}

/// curl prints every response of a way (100, redirects, authentication, a proxy's tunnel), mostly without their bodies. What
/// follows another response that has a body is that body, whatever it looks like.
bool mayBeFollowed(const Response &response)
{
    const bool onTheWay
        = response.status < 200 || (response.status >= 300 && response.status < 400) || response.status == 401 || response.status == 407;
    const std::string *length = findHeader(response.headers, "Content-Length");
    return onTheWay || !length || trimmed(*length) == "0";
}

bool startsBlock(std::string_view text)
{
    return statusOf(takeLine(text)).has_value();
}

} // namespace

std::optional<HeaderField> parseHeaderLine(std::string_view line)
{
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const std::string_view name = trimmed(line.substr(0, colon));
    if (name.empty() || !std::all_of(name.begin(), name.end(), isTokenCharacter))
        return std::nullopt;
    return HeaderField{std::string{name}, std::string{trimmed(line.substr(colon + 1))}};
}

tl::expected<RawResponse, std::string> parseRawResponse(std::string_view text)
{
    if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
        text.remove_prefix(kByteOrderMark.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return tl::unexpected(std::string{"nothing to read, expected header lines or an HTTP response"});
    text.remove_prefix(first);
    RawResponse raw;
    do {
        raw = {};
        if (startsBlock(text))
            raw.response.status = *statusOf(takeLine(text));
        takeHeaders(text, raw);
    } while (mayBeFollowed(raw.response) && startsBlock(text));
    if (raw.response.status == 0 && raw.response.headers.empty())
        return tl::unexpected(std::string{"neither a status line nor a header line, expected an HTTP response as `curl -i` prints it"});
    raw.response.body = text;
    return raw;
}

} // namespace throttlescope::cli
