// SPDX-License-Identifier: Apache-2.0
#include "core/engine/operation.h"

#include "core/engine/words.h"

#include <fmt/format.h>

namespace throttlescope {

AttemptMetadata attemptMetadata(const Decision &decision)
{
    AttemptMetadata metadata;
    metadata.rateLimited = decision.family == Family::RateLimited;
    if (!metadata.rateLimited || decision.finalAttempt)
        return metadata;
    metadata.retryAfter = decision.hint ? std::optional{decision.hint->delay} : std::nullopt;
    metadata.delay = decision.delay;
    metadata.delaySource = decision.source;
    metadata.waitExceeded = decision.refusal == RefusalReason::WaitExceeded;
    return metadata;
}

std::string errorMessage(const Summary &summary)
{
    if (summary.result == Result::Succeeded)
        return {};
    std::string text{word(summary.result)};
    if (summary.status)
        text += fmt::format(": {}", *summary.status);
    if (!summary.retryAfter.empty())
        text += fmt::format(", Retry-After: {}", summary.retryAfter);
    if (summary.reason)
        text += fmt::format(" ({})", word(*summary.reason));
    if (summary.extractionError)
        text += fmt::format("; the hint could not be extracted: {}", summary.extractionError->cause);
    return text;
}

} // namespace throttlescope
