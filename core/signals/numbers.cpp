// SPDX-License-Identifier: Apache-2.0
#include "core/signals/numbers.h"

#include <algorithm>
#include <array>
#include <limits>

namespace throttlescope::signals {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kNanos = 1'000'000'000;

/// Eats 1*DIGIT from the front.
std::int64_t takeDigits(std::string_view &text)
{
    std::int64_t value = 0;
    bool saturated = false;
    while (!text.empty() && isDigit(text.front())) {
        saturated = saturated || __builtin_mul_overflow(value, std::int64_t{10}, &value)
            || __builtin_add_overflow(value, std::int64_t{text.front() - '0'}, &value);
        text.remove_prefix(1);
    }
    return saturated ? kLargest : value;
}

/// Eats the digits behind the point: nanounits, a tenth digit and further ones round up. May be 1,000,000,000.
std::int32_t takeFraction(std::string_view &text)
{
    std::int32_t nanos = 0;
    std::int32_t place = kNanos / 10;
    bool more = false;
    while (!text.empty() && isDigit(text.front())) {
        const std::int32_t digit = text.front() - '0';
        nanos += digit * place;
        more = more || (place == 0 && digit != 0);
        place /= 10;
        text.remove_prefix(1);
    }
    return nanos + (more ? 1 : 0);
}

std::optional<Decimal> takeDecimal(std::string_view &text)
{
    const bool startsWithDigit = !text.empty() && isDigit(text.front());
    Decimal number;
    number.whole = takeDigits(text);
    if (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        number.fractional = true;
        if (!startsWithDigit && (text.empty() || !isDigit(text.front())))
            return std::nullopt;
        number.nanos = takeFraction(text);
        if (number.nanos == kNanos) {
            number.nanos = 0;
            number.whole = number.whole == kLargest ? kLargest : number.whole + 1;
        }
    } else if (!startsWithDigit) {
        return std::nullopt;
    }
    return number;
}

/// In nanoseconds, rounded up; 2^63 days still fit.
Wide product(const Decimal &number, std::chrono::nanoseconds unit)
{
    return Wide{number.whole} * unit.count() + (Wide{number.nanos} * unit.count() + kNanos - 1) / kNanos;
}

Duration microseconds(Wide nanoseconds)
{
    const Wide value = (nanoseconds + 999) / 1000;
    return value >= Wide{kMaxDuration.count()} ? kMaxDuration : Duration{static_cast<std::int64_t>(value)};
}

struct Unit {
    std::string_view name;
    std::chrono::nanoseconds length;
};
using namespace std::chrono_literals;
constexpr std::array<Unit, 9> kUnits{
    {{"ns", 1ns}, {"us", 1us}, {"\xc2\xb5s", 1us}, {"\xce\xbcs", 1us}, {"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", 24h}}};

} // namespace

std::optional<std::int64_t> digits(std::string_view text)
{
    if (text.empty())
        return std::nullopt;
    const std::int64_t value = takeDigits(text);
    return text.empty() ? std::optional{value} : std::nullopt;
}

std::optional<Decimal> decimal(std::string_view text)
{
    const auto number = takeDecimal(text);
    return text.empty() ? number : std::nullopt;
}

Duration times(const Decimal &number, std::chrono::nanoseconds unit)
{
    std::int64_t whole = 0;
    if (number.nanos == 0 && !__builtin_mul_overflow(number.whole, std::int64_t{unit.count()}, &whole) && whole < kLargest - 999)
        return Duration{(whole + 999) / 1000};
    return microseconds(product(number, unit));
}

std::optional<Duration> unitDuration(std::string_view text)
{
    if (text.empty())
        return std::nullopt;
    Wide sum = 0;
    while (!text.empty()) {
        const auto number = takeDecimal(text);
        if (!number)
            return std::nullopt;
        const std::size_t end = std::min(text.size(),
            static_cast<std::size_t>(std::find_if(text.begin(), text.end(), [](char c) { return isDigit(c) || c == '.'; }) - text.begin()));
        const auto unit
            = std::find_if(kUnits.begin(), kUnits.end(), [name = text.substr(0, end)](const Unit &known) { return known.name == name; });
        if (unit == kUnits.end())
            return std::nullopt;
        text.remove_prefix(end);
        sum = std::min(sum + product(*number, unit->length), Wide{kMaxDuration.count()} * 1000);
    }
    return microseconds(sum);
}

} // namespace throttlescope::signals
