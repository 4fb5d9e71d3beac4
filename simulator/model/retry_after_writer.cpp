// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/retry_after_writer.h"

#include "simulator/model/http_date.h"
#include "simulator/model/rounding.h"

#include <fmt/format.h>

#include <iterator>

namespace throttlescope::model {

namespace {

template <typename Unit>
Duration writeDelay(std::string &text, Duration delay)
{
    const auto whole = roundedUp<Unit>(delay);
    fmt::format_to(std::back_inserter(text), "{}", whole.count());
    return whole;
}

/// The client takes the response's Date for the moment of arrival; that has lost its part of a second.
Duration writeDate(std::string &text, void (*write)(WallTime, std::string &), Duration delay, WallTime arrival)
{
    const auto date = nextWholeSecond(arrival + delay);
    write(date, text);
    return date - std::chrono::floor<std::chrono::seconds>(arrival);
}

} // namespace

WrittenRetryAfter writeRetryAfter(HeaderSink &sink, const RetryAfterHeader &header, std::optional<Duration> delay, WallTime arrival)
{
    if (const auto *literal = std::get_if<LiteralRetryAfter>(&header)) {
        sink.add("Retry-After") = literal->text;
        return {true, plainSeconds(literal->text)};
    }
    if (!delay)
        return {};
    switch (std::get<RetryAfterForm>(header)) {
    case RetryAfterForm::Seconds: return {true, writeDelay<std::chrono::seconds>(sink.add("Retry-After"), *delay)};
    case RetryAfterForm::HttpDate: return {true, writeDate(sink.add("Retry-After"), writeImfFixdate, *delay, arrival), true};
    case RetryAfterForm::Rfc850Date: return {true, writeDate(sink.add("Retry-After"), writeRfc850Date, *delay, arrival), true};
    case RetryAfterForm::AsctimeDate: return {true, writeDate(sink.add("Retry-After"), writeAsctimeDate, *delay, arrival), true};
    case RetryAfterForm::Milliseconds: return {true, writeDelay<std::chrono::milliseconds>(sink.add("retry-after-ms"), *delay)};
    case RetryAfterForm::None: break;
    }
    return {};
}

std::optional<Duration> plainSeconds(std::string_view text)
{
    if (text.empty())
        return std::nullopt;
    std::int64_t seconds = 0;
    for (const char c : text) {
        if (c < '0' || c > '9')
            return std::nullopt;
        if (__builtin_mul_overflow(seconds, 10, &seconds) || __builtin_add_overflow(seconds, c - '0', &seconds))
            return kMaxDuration;
    }
    return saturatingMultiply(Duration{std::chrono::seconds{1}}, seconds);
}

} // namespace throttlescope::model
