// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/retry_after.h"

#include "core/signals/http_date.h"
#include "core/signals/ratelimit_fields.h"

#include <fmt/format.h>
#include <iterator>

namespace throttlescope {

namespace {

using std::chrono::seconds;

std::optional<Duration> writeDate(void (*append)(std::string &, WallTime), Duration delay, WallTime serverNow, HeaderWriter &headers)
{
    const WallTime date = std::chrono::ceil<seconds>(serverNow + delay);
    append(headers.add("Retry-After"), date);
    return date - std::chrono::floor<seconds>(serverNow); // as it reads against the response's Date
}

} // namespace

std::optional<Duration> writeRetryAfter(const RetryAfterHeader &form, Duration delay, WallTime serverNow, HeaderWriter &headers)
{
    if (const auto *literal = std::get_if<LiteralRetryAfter>(&form)) {
        headers.add("Retry-After") = literal->text;
        const auto number = signals::digits(literal->text);
        return number ? std::optional{saturatingMultiply(Duration{1'000'000}, *number)} : std::nullopt;
    }
    switch (std::get<RetryAfterForm>(form)) {
    case RetryAfterForm::Seconds: {
        const seconds whole = std::chrono::ceil<seconds>(delay);
        fmt::format_to(std::back_inserter(headers.add("Retry-After")), "{}", whole.count());
        return whole;
    }
    case RetryAfterForm::Milliseconds: {
        const auto whole = std::chrono::ceil<std::chrono::milliseconds>(delay);
        fmt::format_to(std::back_inserter(headers.add("retry-after-ms")), "{}", whole.count());
        return whole;
    }
    case RetryAfterForm::HttpDate: return writeDate(signals::appendImfFixdate, delay, serverNow, headers);
    case RetryAfterForm::Rfc850Date: return writeDate(signals::appendRfc850Date, delay, serverNow, headers);
    case RetryAfterForm::AsctimeDate: return writeDate(signals::appendAsctimeDate, delay, serverNow, headers);
    case RetryAfterForm::None: break;
    }
    return std::nullopt;
}

} // namespace throttlescope
