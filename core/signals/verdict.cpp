// SPDX-License-Identifier: Apache-2.0
#include "core/signals/verdict.h"

#include "core/engine/words.h"
#include "core/signals/dialects.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::signals {

namespace {

std::string whyNone(const RateLimitState &state, const ReadOptions &options)
{
    std::string why;
    for (const Unreadable &each : state.unreadable)
        why += fmt::format("{}{} '{}': {}", why.empty() ? "" : "; ", each.header, each.raw, each.why);
    if (!why.empty())
        return why;
    if (options.strict)
        return "no Retry-After, and strict mode believes nothing else";
    const auto exhausted = [](const Window &window) { return window.remaining == 0U; };
    if (std::any_of(state.windows.begin(), state.windows.end(), exhausted))
        return "no Retry-After; a window has nothing left, and how long that lasts is not told";
    if (!state.windows.empty())
        return "no Retry-After, and no window is known to have nothing left: its reset is not a delay to wait for";
    return "no header and no body that tells a delay";
}

} // namespace

Verdict explain(const Response &response, WallTime wall, const ReadOptions &options)
{
    ReadOptions talkative = options;
    talkative.alwaysSayWhy = true;
    RateLimitState state = read(response, wall, talkative);
    Verdict verdict;
    verdict.actionable = response.status >= 300;
    verdict.dialect = state.dialect ? info(*state.dialect).name : std::string_view{};
    if (state.hint) {
        verdict.delay = state.hint->delay;
        verdict.valid = true;
        verdict.source = std::move(state.hint->header);
        verdict.form = throttlescope::word(state.hint->form);
        verdict.spelling = word(state.hint->spelling);
        verdict.why = std::move(state.hint->why);
    } else {
        verdict.why = whyNone(state, options);
    }
    verdict.windows = std::move(state.windows);
    verdict.unreadable = std::move(state.unreadable);
    verdict.saysRateLimited = state.saysRateLimited;
    return verdict;
}

} // namespace throttlescope::signals
