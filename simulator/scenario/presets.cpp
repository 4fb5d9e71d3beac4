// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/presets.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <stdexcept>

namespace throttlescope {

namespace {

// DESIGN.md section 5. The first six are the behaviours of the documents this project grew from; numbers that they leave
// open are ours, and the source says so.
constexpr std::array<Preset, 7> kPresets{{
    {"saia",
        "Transport policy with default-on, opt-out retry that is honest about windows. Replay is derived on purpose: on for idempotent "
        "calls. Ours: the padding's jitter, the 2 blind retries, the 60 s attempt timeout.",
        R"({retry_on: [rate_limited], writes: never, max_attempts: 8, attempt_timeout: 60s,
            rate_limit: {hint: exact, max_wait: 60s, max_hinted_retries: 5, padding: {add: 1s, jitter: 2s}, zero_hint: as_no_hint,
                         no_hint: {fixed: 31s, times: 2}, refuse_when_exhausted: [hour, day, month]}})"},
    {"relprim",
        "A provider hint, a backoff and a maximum wait that refuses, the backoff's delays too, with a fallback on refusal. Ours: nothing.",
        R"({replay: safe, max_attempts: 4, rate_limit: {hint: exact, zero_hint: retry_now, no_hint: backoff, max_wait: 60s},
            backoff: {kind: exponential, base: 100ms, factor: 2, max: 10s, jitter: full}})"},
    {"luria",
        "Fail fast: one hinted retry, a breaker per remote for the run, a courtesy pause of 3 s. Ours: the 10 s up to which a hint is "
        "waited for.",
        R"({replay: safe, retry_on: [rate_limited], max_attempts: 2, rate_limit: {hint: exact, max_wait: 10s, no_hint: refuse},
            breaker: {trip: first_throttle, counts: operations, open_for: rest_of_run}, pacer: {requests_per_second: 20/min}})"},
    {"luria-before", "What luria replaced: every remote is asked three times whatever it says.",
        R"({replay: safe, max_attempts: 3, rate_limit: {hint: ignore}, backoff: {sequence: [3s, 6s], jitter: none}, pacer: {requests_per_second: 20/min}})"},
    {"provider", "A shared pacer with finite retries under a total time. Ours: the 30 s up to which a delay is waited for.",
        R"({replay: limited, max_attempts: 3, total_timeout: 60s, rate_limit: {hint: at_least, zero_hint: as_no_hint, max_wait: 30s},
            backoff: {kind: exponential, base: 500ms, factor: 2, max: 30s, jitter: full},
            pacer: {requests_per_second: 2, units_per_second: 1000, cooldown: extend}})"},
    {"operation",
        "A replay rule that belongs to the operation, so that an action is never replayed; replay is derived on purpose. An unreadable "
        "Retry-After means the default wait. Ours: the 30 s.",
        R"({max_attempts: 4, rate_limit: {hint: exact, no_hint: backoff, max_wait: 30s}, backoff: {sequence: [1s, 2s, 4s], jitter: none}})"},
    {"none", "One attempt. replay: safe only so that the reason reads attempts_exhausted.", R"({replay: safe, max_attempts: 1})"},
}};

} // namespace

std::span<const Preset> presets()
{
    return kPresets;
}

const Preset *findPreset(std::string_view name)
{
    const auto found = std::find_if(kPresets.begin(), kPresets.end(), [name](const Preset &preset) { return preset.name == name; });
    return found == kPresets.end() ? nullptr : &*found;
}

Node presetNode(const Preset &preset)
{
    Node node;
    Problems problems;
    if (!parseYaml(preset.values, std::make_shared<const std::string>(fmt::format("preset {}", preset.name)), node, problems))
        throw std::logic_error(problems.sorted().front().format());
    return node;
}

} // namespace throttlescope
