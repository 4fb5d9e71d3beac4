// SPDX-License-Identifier: Apache-2.0
#include "core/signals/delay_value.h"

#include "core/signals/numbers.h"

namespace throttlescope::signals {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kEpochFrom = 1'000'000'000; ///< 2001-09-09 in seconds, 32 years as a delay
constexpr std::int64_t kYear = 32'000'000; ///< seconds, rounded up: no quota is told further ahead
constexpr std::int64_t kAbsurd = 9'000'000'000'000'000'000; ///< where numbers begin to saturate

Told at(WallTime moment, Spelling spelling, const Clock &clock)
{
    const WallTime reference = clock.reference();
    return {moment > reference ? moment - reference : Duration::zero(), spelling, moment, false};
}

struct Epoch {
    Spelling spelling;
    std::chrono::nanoseconds unit;
};

/// The unit of a number that is an epoch, by its magnitude. It must be ≥ 1e9.
Epoch epochOf(std::int64_t number)
{
    if (number >= 100'000'000'000'000'000)
        return {Spelling::EpochNanoseconds, 1ns};
    if (number >= 100'000'000'000'000)
        return {Spelling::EpochMicroseconds, 1us};
    if (number >= 100'000'000'000)
        return {Spelling::EpochMilliseconds, 1ms};
    return {Spelling::EpochSeconds, 1s};
}

Told epoch(const Decimal &number, const Clock &clock)
{
    const Epoch unit = epochOf(number.whole);
    return at(WallTime{times(number, unit.unit)}, unit.spelling, clock);
}

Told seconds(const Decimal &number)
{
    return {times(number, 1s), number.fractional ? Spelling::DecimalSeconds : Spelling::DelaySeconds, {}, false};
}

Spelling spellingOf(DateForm form)
{
    switch (form) {
    case DateForm::ImfFixdate: return Spelling::ImfFixdate;
    case DateForm::Rfc850: return Spelling::Rfc850Date;
    case DateForm::Asctime: return Spelling::AsctimeDate;
    case DateForm::Loose: return Spelling::LooseDate;
    case DateForm::Iso8601: return Spelling::Iso8601;
    case DateForm::JavaScript: return Spelling::JavaScriptDate;
    }
    return Spelling::LooseDate;
}

std::optional<Told> date(std::string_view text, const Clock &clock, DateMode mode)
{
    const auto read = readHttpDate(text, clock.reference(), mode);
    if (!read)
        return std::nullopt;
    Told told = at(read->time, spellingOf(read->form), clock);
    told.wrongDayName = read->wrongDayName;
    return told;
}

std::optional<Told> withUnits(std::string_view text)
{
    const auto duration = unitDuration(text);
    return duration ? std::optional{Told{*duration, Spelling::UnitDuration, {}, false}} : std::nullopt;
}

/// Up to nine digits: no overflow to think of, and no epoch.
std::optional<std::uint32_t> fewDigits(std::string_view text)
{
    if (text.empty() || text.size() > 9)
        return std::nullopt;
    std::uint32_t value = 0;
    for (const char c : text) {
        if (!isDigit(c))
            return std::nullopt;
        value = value * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return value;
}

/// A delay of 32 years is no delay that a server means, unless the moment it would be lies before 2001 or further than a
/// year ahead: then neither reading is sensible, and the RFC's holds.
bool likelierEpoch(const Decimal &number, const Clock &clock)
{
    if (number.whole < kEpochFrom || number.whole >= kAbsurd)
        return false;
    const Told told = epoch(number, clock);
    return told.moment->time_since_epoch() >= std::chrono::seconds{kEpochFrom} && told.delay <= std::chrono::seconds{kYear};
}

} // namespace

HintForm formOf(Spelling spelling)
{
    switch (spelling) {
    case Spelling::DelaySeconds:
    case Spelling::DecimalSeconds: return HintForm::DelaySeconds;
    case Spelling::Milliseconds: return HintForm::DelayMilliseconds;
    case Spelling::EpochSeconds:
    case Spelling::EpochMilliseconds:
    case Spelling::EpochMicroseconds:
    case Spelling::EpochNanoseconds: return HintForm::EpochSeconds;
    case Spelling::UnitDuration: return HintForm::Duration;
    case Spelling::ImfFixdate:
    case Spelling::Rfc850Date:
    case Spelling::AsctimeDate:
    case Spelling::LooseDate:
    case Spelling::Iso8601:
    case Spelling::JavaScriptDate: return HintForm::HttpDate;
    }
    return HintForm::DelaySeconds;
}

Form columnOf(Spelling spelling)
{
    switch (spelling) {
    case Spelling::DelaySeconds:
    case Spelling::DecimalSeconds: return Form::Seconds;
    case Spelling::Milliseconds: return Form::Milliseconds;
    case Spelling::EpochSeconds: return Form::EpochSeconds;
    case Spelling::EpochMilliseconds:
    case Spelling::EpochMicroseconds:
    case Spelling::EpochNanoseconds: return Form::EpochMilliseconds;
    case Spelling::UnitDuration: return Form::UnitDuration;
    case Spelling::ImfFixdate:
    case Spelling::Rfc850Date:
    case Spelling::AsctimeDate:
    case Spelling::LooseDate: return Form::HttpDate;
    case Spelling::Iso8601: return Form::Iso8601;
    case Spelling::JavaScriptDate: return Form::JavaScriptDate;
    }
    return Form::Seconds;
}

std::optional<Told> strictRetryAfter(std::string_view text, WallTime wall)
{
    const std::string_view value = trimmed(text);
    if (const auto number = digits(value))
        return seconds({*number, 0, false});
    return date(value, {wall, std::nullopt}, DateMode::Strict);
}

std::optional<Told> looseRetryAfter(std::string_view text, const Clock &clock)
{
    const std::string_view value = trimmed(text);
    if (const auto few = fewDigits(value)) // what nearly every server sends
        return Told{std::chrono::seconds{*few}, Spelling::DelaySeconds, {}, false};
    if (const auto number = decimal(value))
        return likelierEpoch(*number, clock) ? epoch(*number, clock) : seconds(*number);
    if (const auto duration = withUnits(value))
        return duration;
    return date(value, clock, DateMode::Tolerant);
}

std::optional<Told> resetValue(std::string_view text, const Clock &clock)
{
    const std::string_view value = trimmed(text);
    if (const auto number = decimal(value)) {
        if (number->whole >= kAbsurd)
            return std::nullopt;
        if (number->whole >= kEpochFrom)
            return epoch(*number, clock);
        return number->whole > kYear ? std::nullopt : std::optional{seconds(*number)};
    }
    if (const auto duration = withUnits(value))
        return duration;
    return date(value, clock, DateMode::Tolerant);
}

std::optional<Told> valueOfForm(Form form, std::string_view text, const Clock &clock)
{
    const std::string_view value = trimmed(text);
    const auto number = decimal(value);
    switch (form) {
    case Form::SecondsOrDate: return looseRetryAfter(value, clock);
    case Form::Seconds: return number ? std::optional{seconds(*number)} : std::nullopt;
    case Form::Milliseconds: return number ? std::optional{Told{times(*number, 1ms), Spelling::Milliseconds, {}, false}} : std::nullopt;
    case Form::WholeMilliseconds: return number && !number->fractional ? valueOfForm(Form::Milliseconds, value, clock) : std::nullopt;
    case Form::EpochSeconds:
    case Form::EpochMilliseconds:
        return number && number->whole >= kEpochFrom ? std::optional{epoch(*number, clock)} : looseRetryAfter(value, clock);
    case Form::UnitDuration: return number ? std::optional{seconds(*number)} : withUnits(value);
    case Form::HttpDate:
    case Form::Iso8601:
    case Form::JavaScriptDate: return date(value, clock, DateMode::Tolerant);
    case Form::Count:
    case Form::CountAndPolicies:
    case Form::CountAndLength:
    case Form::UsedOfLimit:
    case Form::NamedUsedOfLimit:
    case Form::TotalRemainingResets:
    case Form::NamedCounts:
    case Form::SecondsScopes:
    case Form::Dictionary:
    case Form::List:
    case Form::Word: break;
    }
    return std::nullopt;
}

} // namespace throttlescope::signals
