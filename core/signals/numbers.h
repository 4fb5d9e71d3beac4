// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"
#include "core/engine/time.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// Numbers as header values hold them. Nothing here knows a locale, throws or allocates; each is linear in the text, and
/// what does not fit saturates. Thread-safe.
namespace throttlescope::signals {

/// Optional white space around a field value (RFC 9110 5.6.3): SP and HTAB, and nothing that isspace() would add.
constexpr std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// 1*DIGIT; saturates at the largest std::int64_t. Nothing for anything else, an empty text included.
std::optional<std::int64_t> digits(std::string_view text);

/// A number ≥ 0 in decimal notation, exact to the nanounit; further digits round up.
struct Decimal {
    std::int64_t whole = 0; ///< saturated
    std::int32_t nanos = 0; ///< 0 to 999,999,999
    bool fractional = false; ///< there was a point
    bool operator==(const Decimal &) const = default;
};

/// *DIGIT [ "." *DIGIT ] with at least one digit: "120", "0.503", "5.", ".5". No sign, no exponent, no separator.
std::optional<Decimal> decimal(std::string_view text);

/// `number` times `unit` (≥ 1 ns, ≤ 1 day), in microseconds, rounded up: a client must not come back early.
Duration times(const Decimal &number, std::chrono::nanoseconds unit);

/// What Go prints for a duration, and protobuf's seconds: "1m0s", "2m59.56s", "577.5ms", "45.837906927s". Units ns, us,
/// µs, ms, s, m, h and d, each number with its unit, no sign, no spaces. Rounded up to the microsecond.
std::optional<Duration> unitDuration(std::string_view text);

} // namespace throttlescope::signals
