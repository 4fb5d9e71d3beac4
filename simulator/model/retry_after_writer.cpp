// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/retry_after_writer.h"

#include "core/signals/http_date.h"
#include "simulator/model/number_text.h"
#include "simulator/model/rounding.h"

namespace throttlescope::model {

void writeRetryAfter(HeaderSink &sink, const RetryAfterHeader &header, std::optional<Duration> delay, WallTime arrival)
{
    if (const auto *literal = std::get_if<LiteralRetryAfter>(&header)) {
        sink.add("Retry-After") = literal->text;
        return;
    }
    if (!delay)
        return;
    const auto date = [&] { return nextWholeSecond(arrival + *delay); };
    switch (std::get<RetryAfterForm>(header)) {
    case RetryAfterForm::Seconds: return appendNumber(sink.add("Retry-After"), roundedUp<std::chrono::seconds>(*delay).count());
    case RetryAfterForm::HttpDate: return signals::appendImfFixdate(sink.add("Retry-After"), date());
    case RetryAfterForm::Rfc850Date: return signals::appendRfc850Date(sink.add("Retry-After"), date());
    case RetryAfterForm::AsctimeDate: return signals::appendAsctimeDate(sink.add("Retry-After"), date());
    case RetryAfterForm::Milliseconds:
        return appendNumber(sink.add("retry-after-ms"), roundedUp<std::chrono::milliseconds>(*delay).count());
    case RetryAfterForm::None: return;
    }
}

} // namespace throttlescope::model
