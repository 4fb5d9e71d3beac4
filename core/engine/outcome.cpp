// SPDX-License-Identifier: Apache-2.0
#include "core/engine/outcome.h"

#include <algorithm>

namespace throttlescope {

bool isTokenCharacter(char c)
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

bool isToken(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), isTokenCharacter);
}

std::string upperCase(std::string text)
{
    for (char &c : text)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
    return text;
}

const std::string *findHeader(const Headers &headers, std::string_view name)
{
    const auto found
        = std::find_if(headers.begin(), headers.end(), [name](const HeaderField &field) { return sameHeaderName(field.name, name); });
    return found == headers.end() ? nullptr : &found->value;
}

} // namespace throttlescope
