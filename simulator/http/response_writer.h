// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::http {

/// How an answer is framed (RFC 9112 6): always with its length, never chunked.
struct Framing {
    std::uint64_t bodySize = 0;
    bool close = false; ///< the connection ends after this answer
    bool oldVersion = false; ///< an HTTP/1.0 peer must be told that the connection stays
};

/// Appends status line and fields. Fields that frame a message are ours: those among `headers` are left out.
void appendHead(std::string &out, int status, const Headers &headers, const Framing &framing);
/// RFC 9110 6.4.1: 204 and 304 have no body, whatever was asked; an answer to HEAD neither.
bool hasBody(int status, std::string_view method);
/// What is said to a request that cannot be served.
std::string_view refusalText(int status);
/// An answer of the server itself: a refused request, a control request.
void appendOwnAnswer(std::string &out, int status, std::string_view type, std::string_view body, const Framing &framing);

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

} // namespace throttlescope::http
