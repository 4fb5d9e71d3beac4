// SPDX-License-Identifier: Apache-2.0
#include "core/journal/printable.h"

#include <fmt/format.h>
#include <iterator>
#include <simdjson.h>

namespace throttlescope::journal {

std::string printable(std::string_view text)
{
    const bool utf8 = simdjson::validate_utf8(text.data(), text.size());
    std::string safe;
    safe.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool c1 = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0; // U+0080 to U+009F
        if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && (!utf8 || c1)))
            fmt::format_to(std::back_inserter(safe), "\\x{:02x}", byte);
        else
            safe.push_back(text[i]);
        if (utf8 && c1)
            fmt::format_to(std::back_inserter(safe), "\\x{:02x}", static_cast<unsigned char>(text[++i]));
    }
    return safe;
}

} // namespace throttlescope::journal
