// SPDX-License-Identifier: Apache-2.0
#include "core/engine/outcome.h"

#include <algorithm>

namespace throttlescope {

bool isTokenCharacter(char c)
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

const std::string *findHeader(const Headers &headers, std::string_view name)
{
    const auto found
        = std::find_if(headers.begin(), headers.end(), [name](const HeaderField &field) { return sameHeaderName(field.name, name); });
    return found == headers.end() ? nullptr : &found->value;
}

} // namespace throttlescope
