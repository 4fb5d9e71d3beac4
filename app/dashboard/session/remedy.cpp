// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/remedy.h"

#include "app/dashboard/data/spoken_time.h"
#include "core/engine/words.h"
#include "simulator/run/story.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

struct Change {
    std::string path, value;
};

const Policy *policyOf(const PolicyDraft *draft, const std::string &name)
{
    if (!draft)
        return nullptr;
    const auto &policies = draft->scenario()->scenario.policies;
    const auto found = policies.find(name);
    return found == policies.end() ? nullptr : found->second.get();
}

std::string retryOnWith(const Policy *policy, Family family)
{
    if (!policy)
        return "all";
    const RetryOn &on = policy->retryOn;
    std::string words;
    const auto add = [&](bool selected, Family each) {
        if (selected || each == family)
            words += fmt::format("{}{}", words.empty() ? "" : ", ", word(each));
    };
    add(on.rateLimited, Family::RateLimited);
    add(on.ambiguous, Family::Ambiguous);
    add(on.transport, Family::Transport);
    add(on.interrupted, Family::Interrupted);
    return '[' + words + ']';
}

/// The list without the window that had nothing left; a window's name need not be that of its span.
std::string exhaustedWithout(const Policy *policy, const std::string &window)
{
    const auto &spans = policy ? policy->rateLimit.refuseWhenExhausted : std::vector<WindowSpan>{};
    std::string words;
    bool without = false;
    for (const WindowSpan span : spans) {
        without = without || word(span) == window;
        if (word(span) != window)
            words += fmt::format("{}{}", words.empty() ? "" : ", ", word(span));
    }
    return without ? '[' + words + ']' : "[]";
}

std::optional<Change> changeFor(const Decision &decision, const Policy *policy, std::uint64_t units)
{
    switch (*decision.refusal) {
    case RefusalReason::RetryOff: return Change{"retry", "on"};
    case RefusalReason::NotSelected:
        if (decision.family == Family::Permanent)
            return std::nullopt;
        return Change{"retry_on", retryOnWith(policy, decision.family)};
    case RefusalReason::AttemptsExhausted: return Change{"max_attempts", std::to_string(decision.maxAttempts + 1)};
    case RefusalReason::ZeroHint: return Change{"rate_limit.zero_hint", "retry_now"};
    case RefusalReason::NoHint: return Change{"rate_limit.no_hint", "backoff"};
    case RefusalReason::HintsExhausted:
        if (!policy || !policy->rateLimit.maxHintedRetries)
            return std::nullopt;
        return Change{"rate_limit.max_hinted_retries", std::to_string(*policy->rateLimit.maxHintedRetries + 1)};
    case RefusalReason::WindowExhausted:
        return Change{"rate_limit.refuse_when_exhausted", exhaustedWithout(policy, decision.windowExhausted)};
    case RefusalReason::WaitExceeded: return Change{"rate_limit.max_wait", durationText(decision.delay.value_or(Duration{}))};
    case RefusalReason::Deadline: {
        if (!policy || !policy->totalTimeout || !decision.delay || !decision.timeLeft)
            return std::nullopt;
        const Duration needed = std::max(decision.wait(), decision.earliestSlot.value_or(Duration{}));
        return Change{"total_timeout", durationText(saturatingAdd(*policy->totalTimeout, needed - *decision.timeLeft))};
    }
    case RefusalReason::QueueFull:
        if (!policy || !policy->pacer || !policy->pacer->maxWaiting)
            return std::nullopt;
        return Change{"pacer.max_waiting", std::to_string(*policy->pacer->maxWaiting + 1)};
    case RefusalReason::UnitsTooLarge:
        if (!policy || !policy->pacer || !policy->pacer->maxUnits)
            return std::nullopt;
        return Change{"pacer.max_units", std::to_string(units)};
    case RefusalReason::NotReplayable: // the call's own word, or what it is
    case RefusalReason::StreamingStarted:
    case RefusalReason::ExtractionFailed:
    case RefusalReason::Budget: // how much of it depends on all the others
    case RefusalReason::BreakerOpen:
    case RefusalReason::BodyNotReplayable: return std::nullopt;
    }
    return std::nullopt;
}

} // namespace

std::optional<Place> placeOf(const PolicyDraft &draft, const std::string &policy, const std::string &path)
{
    const LoadedScenario &loaded = draft.written() ? *draft.written() : *draft.scenario(); // an edit stands nowhere in it
    if (const auto fields = loaded.provenance.find(policy); fields != loaded.provenance.end()) {
        for (const ResolvedField &field : fields->second) {
            const ValueOrigin origin = field.path == path ? valueOrigin(field.origin) : ValueOrigin{};
            if (origin.kind == ValueOrigin::Kind::File)
                return Place{origin.file, origin.mark, true};
        }
    }
    for (const WorkloadRow &row : loaded.scenario.workload) {
        if (row.policyName == policy)
            return Place{loaded.scenario.file, row.mark, false};
    }
    return std::nullopt;
}

Remedy remedyFor(const Decision &decision, const std::string &policy, std::uint64_t units, const PolicyDraft *draft)
{
    Remedy remedy;
    if (!decision.refusal)
        return remedy;
    remedy.text = spokenWords(whatWouldHaveChanged(decision));
    const auto change = changeFor(decision, policyOf(draft, policy), units);
    if (change) {
        remedy.path = change->path;
        remedy.value = change->value;
        remedy.set = fmt::format("policies.{}.{}={}", draft ? draft->writtenName(policy) : policy, remedy.path, remedy.value);
    }
    if (draft)
        remedy.place = placeOf(*draft, policy, remedy.path);
    return remedy;
}

} // namespace throttlescope::dashboard
