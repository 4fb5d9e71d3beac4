// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/inspector.h"
#include "app/dashboard/session/spoken.h"
#include "core/engine/words.h"
#include "core/journal/printable.h"
#include "simulator/run/story.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

using journal::printable;

std::string drawText(std::string_view what, std::optional<double> draw)
{
    return draw ? fmt::format("{} drew {:.3f}", what, *draw) : std::string{};
}

std::vector<Candidate> candidatesOf(const Decision &decision)
{
    std::vector<Candidate> candidates;
    const bool own = decision.source == DelaySource::Backoff;
    if (decision.hint)
        candidates.push_back({printable(decision.hint->header), decision.hint->delay, "the server's", decision.rule && !own});
    if (decision.backoff)
        candidates.push_back({"own backoff", *decision.backoff, drawText("jitter", decision.jitterDraw),
            decision.rule && own && decision.rule != DelayRule::NoHintFixed});
    if (decision.rule == DelayRule::NoHintFixed && decision.delay)
        candidates.push_back({"blind wait", *decision.delay, "no_hint: fixed", true});
    // What no candidate is by itself: spread, clamped to a span, cut to max_wait.
    const bool asItIs = std::any_of(
        candidates.begin(), candidates.end(), [&decision](const Candidate &each) { return each.chosen && decision.delay == each.delay; });
    if (decision.delay && decision.rule && !asItIs)
        candidates.push_back({decision.clamped ? "cut to max_wait" : "selected", *decision.delay,
            decision.clamped ? "over_max_wait: clamp, it comes back too early" : std::string{word(*decision.rule)}, true});
    if (decision.padding > Duration::zero())
        candidates.push_back({"padding", decision.padding, drawText("its jitter", decision.paddingDraw), true});
    return candidates;
}

HeldAgainst heldAgainst(std::string limit, Duration value, Duration bound)
{
    const auto [first, second] = spokenApart(value, bound);
    return {std::move(limit), first, bound == Duration::max() ? "none" : second, value <= bound};
}

/// In the order in which they are judged; what was not reached is left out.
std::vector<HeldAgainst> limitsOf(const Decision &decision)
{
    std::vector<HeldAgainst> limits;
    const auto refused = [&decision](RefusalReason reason) { return decision.refusal == reason; };
    if (refused(RefusalReason::RetryOff))
        limits.push_back({"retry", "a retry", "off", false});
    if (refused(RefusalReason::NotReplayable))
        limits.push_back({"replay", std::string{word(decision.family)}, "not allowed", false});
    if (refused(RefusalReason::NotSelected))
        limits.push_back({"retry_on", std::string{word(decision.family)}, "not in it", false});
    if (decision.maxAttempts > 0)
        limits.push_back({"max_attempts", std::to_string(decision.attempt),
            decision.maxAttempts == kUnlimitedAttempts ? "unlimited" : std::to_string(decision.maxAttempts),
            decision.attempt < decision.maxAttempts});
    if (refused(RefusalReason::WindowExhausted))
        limits.push_back({"refuse_when_exhausted", printable(decision.windowExhausted), "nothing left", false});
    if (decision.delay)
        limits.push_back(heldAgainst("max_wait", *decision.delay, decision.maxWait));
    if (decision.timeLeft)
        limits.push_back(
            heldAgainst("total_timeout", std::max(decision.wait(), decision.earliestSlot.value_or(Duration{})), *decision.timeLeft));
    if (decision.tokensBefore)
        limits.push_back(
            {"budget", decision.tokensAfter ? fmt::format("{:g} tokens", *decision.tokensBefore - *decision.tokensAfter) : "a retry",
                fmt::format("{:g} tokens", *decision.tokensBefore), !refused(RefusalReason::Budget)});
    if (refused(RefusalReason::BreakerOpen))
        limits.push_back({"breaker", "a retry", "open", false});
    return limits;
}

std::string readingOf(const signals::Hint &hint)
{
    return hint.why.empty() ? fmt::format("read as {}: {}", word(hint.spelling), spokenExactly(hint.delay)) : printable(hint.why);
}

} // namespace

DecisionStory decisionStory(
    const Decision &decision, MonotonicTime at, const std::string &policy, std::uint64_t units, const PolicyDraft *draft)
{
    DecisionStory story;
    story.attempt = decision.attempt;
    story.at = at;
    story.refusal = decision.refusal;
    story.outcome = decision.refusal         ? fmt::format("Given up: {}", spokenRefusal(decision))
        : decision.wait() > Duration::zero() ? fmt::format("Told to wait {}", spoken(decision.wait()))
                                             : std::string{"Told to try again at once"};
    if (decision.hint) {
        story.header = printable(
            decision.hint->raw.empty() ? decision.hint->header : fmt::format("{}: {}", decision.hint->header, decision.hint->raw));
        story.reading = readingOf(*decision.hint);
    }
    story.candidates = candidatesOf(decision);
    story.rule = decision.rule ? printable(spokenWords(delayReason(decision))) : std::string{};
    story.limits = limitsOf(decision);
    if (decision.refusal)
        story.remedy = remedyFor(decision, policy, units, draft);
    return story;
}

} // namespace throttlescope::dashboard
