// SPDX-License-Identifier: Apache-2.0
#include "core/engine/outcome.h"

#include <algorithm>

namespace throttlescope {

namespace {

constexpr char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

} // namespace

bool isTokenCharacter(char c)
{
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

bool sameHeaderName(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lowered(x) == lowered(y); });
}

const std::string *findHeader(const Headers &headers, std::string_view name)
{
    const auto found
        = std::find_if(headers.begin(), headers.end(), [name](const HeaderField &field) { return sameHeaderName(field.name, name); });
    return found == headers.end() ? nullptr : &found->value;
}

} // namespace throttlescope
