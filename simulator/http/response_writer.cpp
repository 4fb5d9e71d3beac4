// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/response_writer.h"

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

namespace throttlescope::http {

namespace {

bool frames(std::string_view name)
{
    return sameHeaderName(name, "Content-Length") || sameHeaderName(name, "Transfer-Encoding") || sameHeaderName(name, "Connection");
}

void appendStatusLine(std::string &out, int status)
{
    const auto reason = boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
    char digits[3]
        = {static_cast<char>('0' + status / 100), static_cast<char>('0' + status / 10 % 10), static_cast<char>('0' + status % 10)};
    out.append("HTTP/1.1 ").append(digits, sizeof digits).append(" ").append(reason.data(), reason.size()).append("\r\n");
}

void appendFraming(std::string &out, int status, const Framing &framing)
{
    if (status >= 200 && status != 204) // RFC 9110 8.6; a 304 says how long the body would have been
        out.append("Content-Length: ").append(fmt::format_int{framing.bodySize}.c_str()).append("\r\n");
    if (framing.close)
        out += "Connection: close\r\n";
    else if (framing.oldVersion)
        out += "Connection: keep-alive\r\n";
    out += "\r\n";
}

} // namespace

void appendHead(std::string &out, int status, const Headers &headers, const Framing &framing)
{
    appendStatusLine(out, status);
    for (const HeaderField &field : headers) {
        if (!frames(field.name))
            out.append(field.name).append(": ").append(field.value).append("\r\n");
    }
    appendFraming(out, status, framing);
}

bool hasBody(int status, std::string_view method)
{
    return status >= 200 && status != 204 && status != 304 && method != "HEAD";
}

std::string_view refusalText(int status)
{
    switch (status) {
    case 408: return "The request did not come in time.\n";
    case 413: return "The body is over 16 MiB.\n";
    case 417: return "The only expectation known here is 100-continue.\n";
    case 431: return "The header is over 64 KiB.\n";
    case 501: return "The only transfer coding known here is chunked.\n";
    case 505: return "This is HTTP/1.1.\n";
    default: return "This is no HTTP/1.1 request.\n";
    }
}

void appendOwnAnswer(std::string &out, int status, std::string_view type, std::string_view body, const Framing &framing)
{
    appendStatusLine(out, status);
    if (!type.empty())
        out.append("Content-Type: ").append(type).append("\r\nCache-Control: no-store\r\n");
    appendFraming(out, status, framing);
    out.append(body);
}

} // namespace throttlescope::http
