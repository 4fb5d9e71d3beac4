// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_format_pieces.h"

#include "core/engine/outcome.h"
#include "core/signals/numbers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kLongestFormat = 16'384;

constexpr std::array<std::pair<std::string_view, LogVariable>, 21> kVariables{{
    {"time_local", LogVariable::TimeLocal},
    {"time_iso8601", LogVariable::TimeIso},
    {"msec", LogVariable::Msec},
    {"request", LogVariable::Request},
    {"request_method", LogVariable::Method},
    {"request_uri", LogVariable::RequestUri},
    {"uri", LogVariable::Uri},
    {"document_uri", LogVariable::Uri},
    {"status", LogVariable::Status},
    {"request_time", LogVariable::RequestTime},
    {"upstream_status", LogVariable::UpstreamStatus},
    {"limit_req_status", LogVariable::LimitReqStatus},
    {"limit_conn_status", LogVariable::LimitConnStatus},
    {"host", LogVariable::Host},
    {"http_host", LogVariable::HttpHost},
    {"server_name", LogVariable::ServerName},
    {"remote_addr", LogVariable::RemoteAddress},
    {"http_x_forwarded_for", LogVariable::ForwardedFor},
    {"proxy_add_x_forwarded_for", LogVariable::ForwardedFor},
    {"request_length", LogVariable::RequestLength},
    {"request_id", LogVariable::RequestId},
}};

bool isNameCharacter(char c)
{
    return c == '_' || signals::isDigit(c) || (lowered(c) >= 'a' && lowered(c) <= 'z');
}

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view withoutBlanks(std::string_view text)
{
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && (isBlank(text.back()) || text.back() == ';'))
        text.remove_suffix(1);
    return text;
}

std::string_view takeWord(std::string_view &text)
{
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    const std::string_view word = text.substr(0, end);
    text = withoutBlanks(text.substr(end));
    return word;
}

/// Quoted pieces one after another, as nginx' configuration puts long texts together.
tl::expected<std::string, std::string> unquoted(std::string_view text)
{
    std::string whole;
    while (!text.empty()) {
        const char quote = text.front();
        if (quote != '\'' && quote != '"')
            return tl::unexpected(fmt::format("expected a quote before '{}'", text.substr(0, 20)));
        std::size_t at = 1;
        for (; at < text.size() && text[at] != quote; ++at) {
            if (text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == quote || text[at + 1] == '\\'))
                ++at;
            whole.push_back(text[at]);
        }
        if (at >= text.size())
            return tl::unexpected(std::string{"a quote is not closed"});
        text = withoutBlanks(text.substr(at + 1));
    }
    return whole;
}

tl::expected<std::string, std::string> textOf(std::string_view format)
{
    if (format.size() > kLongestFormat)
        return tl::unexpected(fmt::format("longer than {} characters", kLongestFormat));
    std::string_view text = withoutBlanks(format);
    const bool directive = text.starts_with("log_format ") || text.starts_with("log_format\t");
    if (directive) {
        takeWord(text);
        takeWord(text); // its name
    }
    if (text.starts_with("escape="))
        takeWord(text);
    // A format that merely begins with a quote is no quoted text.
    if (directive || text.starts_with('\''))
        return unquoted(text);
    return std::string{text};
}

LogFormatPiece pieceOf(std::string before, std::string_view name)
{
    LogFormatPiece piece;
    piece.complaint = fmt::format("expected '{}' before ${}", before, name);
    piece.before = std::move(before);
    piece.name = name;
    const auto known = std::find_if(kVariables.begin(), kVariables.end(), [name](const auto &row) { return row.first == name; });
    const auto header = [&](std::string_view prefix, LogVariable variable) {
        if (piece.variable != LogVariable::Other || !name.starts_with(prefix))
            return;
        piece.variable = variable;
        piece.header = name.substr(prefix.size());
        std::replace(piece.header.begin(), piece.header.end(), '_', '-');
    };
    if (known != kVariables.end())
        piece.variable = known->second;
    header("sent_http_", LogVariable::ResponseHeader);
    header("upstream_http_", LogVariable::ResponseHeader);
    header("http_", LogVariable::RequestHeader);
    piece.list = piece.variable == LogVariable::ForwardedFor || (name.starts_with("upstream_") && !name.starts_with("upstream_http_"));
    return piece;
}

} // namespace

bool LogFormatPieces::has(LogVariable variable) const
{
    return std::any_of(pieces.begin(), pieces.end(), [variable](const LogFormatPiece &piece) { return piece.variable == variable; });
}

tl::expected<LogFormatPieces, std::string> logFormatPieces(std::string_view format)
{
    const auto whole = textOf(format);
    if (!whole)
        return tl::unexpected("log_format: " + whole.error());
    LogFormatPieces result;
    std::string literal;
    const std::string_view text = *whole;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '$') {
            literal.push_back(text[at++]);
            continue;
        }
        const bool braces = at + 1 < text.size() && text[at + 1] == '{';
        std::size_t end = at + (braces ? 2 : 1);
        const std::size_t begin = end;
        while (end < text.size() && isNameCharacter(text[end]))
            ++end;
        const std::string_view name = text.substr(begin, end - begin);
        if (name.empty() || (braces && (end >= text.size() || text[end] != '}')))
            return tl::unexpected(fmt::format("log_format: column {}: expected a variable's name behind '$'", at + 1));
        if (literal.empty() && !result.pieces.empty())
            return tl::unexpected(fmt::format(
                "log_format: ${} and ${} stand side by side, nothing tells where the one ends", result.pieces.back().name, name));
        result.pieces.push_back(pieceOf(std::exchange(literal, {}), name));
        at = end + (braces ? 1 : 0);
    }
    result.after = literal;
    const bool time = result.has(LogVariable::TimeLocal) || result.has(LogVariable::TimeIso) || result.has(LogVariable::Msec);
    if (!time || !result.has(LogVariable::Status))
        return tl::unexpected(fmt::format("log_format: {}",
            time ? "no $status in it, nothing tells what was refused" : "no time in it, expected $time_local, $time_iso8601 or $msec"));
    return result;
}

} // namespace throttlescope::incident
