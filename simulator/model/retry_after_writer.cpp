// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/retry_after_writer.h"

#include "core/signals/http_date.h"
#include "simulator/model/rounding.h"

#include <fmt/format.h>

#include <iterator>

namespace throttlescope::model {

namespace {

template <typename Unit>
void writeDelay(std::string &text, Duration delay)
{
    fmt::format_to(std::back_inserter(text), "{}", roundedUp<Unit>(delay).count());
}

} // namespace

void writeRetryAfter(HeaderSink &sink, const RetryAfterHeader &header, std::optional<Duration> delay, WallTime arrival)
{
    if (const auto *literal = std::get_if<LiteralRetryAfter>(&header)) {
        sink.add("Retry-After") = literal->text;
        return;
    }
    if (!delay)
        return;
    const WallTime date = nextWholeSecond(arrival + *delay);
    switch (std::get<RetryAfterForm>(header)) {
    case RetryAfterForm::Seconds: return writeDelay<std::chrono::seconds>(sink.add("Retry-After"), *delay);
    case RetryAfterForm::HttpDate: return signals::appendImfFixdate(sink.add("Retry-After"), date);
    case RetryAfterForm::Rfc850Date: return signals::appendRfc850Date(sink.add("Retry-After"), date);
    case RetryAfterForm::AsctimeDate: return signals::appendAsctimeDate(sink.add("Retry-After"), date);
    case RetryAfterForm::Milliseconds: return writeDelay<std::chrono::milliseconds>(sink.add("retry-after-ms"), *delay);
    case RetryAfterForm::None: return;
    }
}

} // namespace throttlescope::model
