// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Character classes and limits that parser and serialiser of RFC 9651 share.
namespace throttlescope::signals::sf {

inline constexpr std::string_view kBase64{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"}; ///< RFC 4648 4
inline constexpr std::int64_t kLargestInteger = 999'999'999'999'999;

constexpr bool isLower(char c)
{
    return c >= 'a' && c <= 'z';
}
constexpr bool isAlpha(char c)
{
    return isLower(c) || (c >= 'A' && c <= 'Z');
}
constexpr bool isDecimalDigit(char c)
{
    return c >= '0' && c <= '9';
}
inline constexpr auto kTokenCharacters = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view{"!#$%&'*+-.^_`|~:/"})
        table[static_cast<unsigned char>(c)] = true;
    for (std::size_t i = 0; i < 128; ++i)
        table[i] = table[i] || isAlpha(static_cast<char>(i)) || isDecimalDigit(static_cast<char>(i));
    return table;
}();
/// tchar of RFC 9110 5.6.2, and the two more that a Token may have behind its first character
constexpr bool isTokenCharacter(char c)
{
    return kTokenCharacters[static_cast<unsigned char>(c)];
}
constexpr bool isTokenStart(char c)
{
    return isAlpha(c) || c == '*';
}
constexpr bool isKeyStart(char c)
{
    return isLower(c) || c == '*';
}
constexpr bool isKeyCharacter(char c)
{
    return isLower(c) || isDecimalDigit(c) || c == '_' || c == '-' || c == '.' || c == '*';
}
constexpr bool isVisible(char c)
{
    return c >= 0x20 && c < 0x7f;
}

/// Well-formed UTF-8: no overlong form, no surrogate, nothing over U+10FFFF.
bool isUtf8(std::string_view bytes);

} // namespace throttlescope::signals::sf
