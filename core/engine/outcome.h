// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace throttlescope {

struct HeaderField {
    std::string name; ///< as received; compared without case (RFC 9110 5.1)
    std::string value;
    bool operator==(const HeaderField &) const = default;
};
using Headers = std::vector<HeaderField>; ///< lines in order of arrival, duplicates kept

struct Response {
    int status = 0;
    Headers headers;
    std::string body;
    bool bodyComplete = true; ///< false: the connection broke inside the body
    std::uint64_t bytesHandedOn = 0; ///< bytes of the body that the caller has already seen (streaming)
    bool operator==(const Response &) const = default;
};
/// Exchanges the buffers, copies nothing.
inline void swap(Response &a, Response &b) noexcept
{
    std::swap(a.status, b.status);
    a.headers.swap(b.headers);
    a.body.swap(b.body);
    std::swap(a.bodyComplete, b.bodyComplete);
    std::swap(a.bytesHandedOn, b.bytesHandedOn);
}

enum class TransportFailureKind : std::uint8_t {
    ConnectionRefused,
    ConnectionReset,
    AttemptTimeout,
    NameNotResolved,
    Tls,
    Other,
};

struct TransportFailure {
    TransportFailureKind kind = TransportFailureKind::Other;
    bool operator==(const TransportFailure &) const = default;
};

using Outcome = std::variant<Response, TransportFailure>;

/// What an outcome means for a retry (DESIGN.md section 3). `Success` is any response below 400 with a whole body.
enum class Family : std::uint8_t { Success, RateLimited, Ambiguous, Transport, Interrupted, Permanent };

/// tchar of RFC 9110 5.6.2: what a method and a header's name are made of.
bool isTokenCharacter(char c);
bool isToken(std::string_view text);
/// In ASCII; other bytes stay as they are.
constexpr char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
/// In ASCII, as methods are written.
std::string upperCase(std::string text);
/// Case-insensitive comparison of ASCII header names.
inline bool sameHeaderName(std::string_view a, std::string_view b)
{
    if (a.size() != b.size())
        return false;
    const auto same = [](char x, char y) { return x == y || lowered(x) == lowered(y); };
    return a == b || std::equal(a.begin(), a.end(), b.begin(), same); // mostly spelled alike
}
/// The value of the first line of that name, or null.
const std::string *findHeader(const Headers &headers, std::string_view name);

} // namespace throttlescope
