// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/outcome.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace throttlescope::cli {

/// "Name: value" as one header line (RFC 9112 5), white space around the value taken off, and before the colon too, as a
/// client does. Nothing where the name is no token.
std::optional<HeaderField> parseHeaderLine(std::string_view line);

struct RawResponse {
    Response response; ///< status 0 where the text has header lines and no status line
    std::size_t ignoredLines = 0; ///< of the block that counts: neither a header line nor the continuation of one
};

/// What a server sent, or what `curl -i` printed of it: status line, header lines, an empty line, the body. Lines end with
/// CRLF or LF. Of several blocks (1xx, redirects, a proxy's answer) the last counts. Linear in the text; throws nothing but
/// bad_alloc. The error says what was expected and repeats nothing of the text.
tl::expected<RawResponse, std::string> parseRawResponse(std::string_view text);

} // namespace throttlescope::cli
