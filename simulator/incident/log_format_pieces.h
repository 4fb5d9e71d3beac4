// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::incident {

/// What a variable of nginx means to us; everything else is passed over.
enum class LogVariable {
    Other,
    TimeLocal,
    TimeIso,
    Msec,
    Request,
    Method,
    RequestUri,
    Uri,
    Status,
    RequestTime,
    UpstreamStatus,
    LimitReqStatus,
    LimitConnStatus,
    Host,
    HttpHost,
    ServerName,
    RemoteAddress,
    ForwardedFor,
    RequestLength,
    RequestId,
    ResponseHeader, ///< $sent_http_NAME, $upstream_http_NAME
    RequestHeader, ///< $http_NAME
};

/// A variable, and the text before it.
struct LogFormatPiece {
    std::string before;
    std::string name; ///< without the dollar sign
    LogVariable variable = LogVariable::Other;
    std::string header; ///< of headers: the name with hyphens
    bool list = false; ///< may be several values: "0.1, 0.2 : 0.3"
    std::string complaint; ///< where `before` is missing

    bool operator==(const LogFormatPiece &) const = default;
};

struct LogFormatPieces {
    std::vector<LogFormatPiece> pieces;
    std::string after; ///< the text at the end

    bool has(LogVariable variable) const;
    bool operator==(const LogFormatPieces &) const = default;
};

tl::expected<LogFormatPieces, std::string> logFormatPieces(std::string_view format);

} // namespace throttlescope::incident
