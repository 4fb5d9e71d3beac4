// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/verdict.h"

#include "app/cli/fetch/digest.h"
#include "core/engine/words.h"

#include <array>

namespace throttlescope::fetch {

namespace {

constexpr std::array<std::string_view, 4> kWords{"agreed", "changed", "no_such", "unchecked"};

bool isGone(int status)
{
    return status == 404 || status == 410;
}

bool settles(const Response &response)
{
    const int status = response.status;
    return response.bodyComplete && ((status >= 200 && status < 300) || status == kNotModified || isGone(status));
}

/// The request's own validator held: it is what it was, which has no body to compare.
bool notModified(int status, const Settled *earlier)
{
    return status == kNotModified && earlier && !isGone(earlier->baseline.status);
}

Judgement settledBy(const Response &response, const Settled *earlier, bool acknowledged)
{
    Judgement judgement;
    judgement.status = response.status;
    Settled settled;
    settled.answer = notModified(response.status, earlier) ? earlier->baseline : Answer{response.status, sha256(response.body)};
    settled.baseline = earlier && !acknowledged ? earlier->baseline : settled.answer;
    if (isGone(response.status))
        settled.verdict = Verdict::NoSuch;
    else
        settled.verdict = !earlier || settled.answer == earlier->baseline ? Verdict::Agreed : Verdict::Changed;
    judgement.verdict = settled.verdict;
    judgement.settled = std::move(settled);
    return judgement;
}

/// Rules that only say that there is no further attempt leave open what was wrong.
bool saysLittle(RefusalReason reason)
{
    return reason == RefusalReason::NotSelected || reason == RefusalReason::NotReplayable || reason == RefusalReason::AttemptsExhausted
        || reason == RefusalReason::RetryOff;
}

std::string reasonOf(const net::Result &result, std::uint64_t largestBody)
{
    if (result.end == throttlescope::Result::Cancelled || result.end == throttlescope::Result::Unfinished)
        return "cancelled";
    if (result.response && !result.response->bodyComplete)
        return result.response->body.size() >= largestBody ? "body_too_large" : "interrupted";
    if (result.response && result.response->status < 400)
        return "redirect";
    if (!result.error || !result.error->reason)
        return "unusable_request";
    const RefusalReason reason = *result.error->reason;
    return std::string{
        result.error->transport && saysLittle(reason) ? throttlescope::word(*result.error->transport) : throttlescope::word(reason)};
}

} // namespace

std::string_view word(Verdict verdict)
{
    return kWords.at(static_cast<std::size_t>(verdict));
}

std::optional<Verdict> verdictOf(std::string_view text)
{
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        if (kWords[i] == text)
            return static_cast<Verdict>(i);
    }
    return std::nullopt;
}

Judgement judge(const net::Result &result, const Settled *earlier, bool acknowledged, std::uint64_t largestBody)
{
    const bool ended = result.end == throttlescope::Result::Succeeded || result.end == throttlescope::Result::Failed;
    if (ended && result.response && settles(*result.response))
        return settledBy(*result.response, earlier, acknowledged);
    Judgement judgement = unchecked(reasonOf(result, largestBody));
    if (result.response)
        judgement.status = result.response->status;
    judgement.hint = result.lastFailure.retryAfter;
    if (!judgement.hint && result.state.hint)
        judgement.hint = result.state.hint->delay;
    return judgement;
}

Judgement unchecked(std::string_view reason)
{
    Judgement judgement;
    judgement.reason = reason;
    return judgement;
}

} // namespace throttlescope::fetch
