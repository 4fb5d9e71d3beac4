// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/presets.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <stdexcept>

namespace throttlescope {

namespace {

// DESIGN.md section 5. The first six are the behaviours of the documents this project grew from; numbers that they leave
// open are ours, and the source says so. Then what people would pick instead, as the projects' public sources had it in 2026; what
// an engine does and a policy cannot say stands in its text. 36500d stands where an engine has no cap of its own.
constexpr std::array<Preset, 15> kPresets{{
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
    {"aws-standard",
        "The AWS SDKs' standard mode, earlier generation; what is modelled as retryable is replayed. It reads x-amz-retry-after alone, cut "
        "at 20 s. Adaptive mode's cubic rate is not there.",
        R"({replay: safe, max_attempts: 3,
            rate_limit: {hint: exact, hint_headers: [x-amz-retry-after], max_wait: 20s, over_max_wait: clamp},
            backoff: {kind: exponential, base: 1s, factor: 2, max: 20s, jitter: full},
            budget: {token_bucket: {capacity: 500, cost: 5, timeout_cost: 10}}})"},
    {"aws-standard-2026",
        "The same mode, generation of 2026: 50 ms, after a throttle 1 s; x-amz-retry-after counts up to 5 s above the own wait; a retry "
        "after a throttle is the cheaper one.",
        R"({replay: safe, max_attempts: 3,
            rate_limit: {hint: {within: 5s}, hint_on: all, hint_headers: [x-amz-retry-after], zero_hint: as_no_hint,
                         backoff: {kind: exponential, base: 1s, factor: 2, max: 20s, jitter: full}},
            backoff: {kind: exponential, base: 50ms, factor: 2, max: 20s, jitter: full},
            budget: {token_bucket: {capacity: 500, cost: 14, timeout_cost: 14, throttle_cost: 5}}})"},
    {"envoy",
        "A route's retries: num_retries 1, rate_limited_retry_back_off with the two headers of its manual, a retry budget; whatever its "
        "conditions match is replayed. A hint over 300 s it passes over and backs off, where this refuses.",
        R"({replay: safe, max_attempts: 2,
            rate_limit: {hint: {spread: 1.5}, hint_on: all, hint_headers: [Retry-After, X-RateLimit-Reset], max_wait: 300s},
            backoff: {kind: exponential, base: 25ms, factor: 2, max: 250ms, jitter: full},
            budget: {ratio: {percent: 20, min_in_flight: 3}}})"},
    {"polly",
        "Polly v8 as its variant for HTTP has it, all replayed but what opted out: Retry-After takes the place of the delay, uncapped. The "
        "standard handler's total timeout of 30 s is another strategy: add total_timeout.",
        R"({replay: safe, max_attempts: 4, rate_limit: {hint: exact, hint_on: all, hint_headers: [Retry-After], max_wait: 36500d},
            backoff: {kind: exponential, base: 2s, factor: 2, max: 36500d, jitter: decorrelated_v2},
            breaker: {trip: {ratio: {of: 10%, window: 30s, minimum: 100}}, counts: attempts, open_for: 5s, probes: {count: 1}}})"},
    {"resilience4j",
        "Retry with ofExponentialRandomBackoff(), which knows no hint, around a CircuitBreaker; all is replayed. Its breaker looks at the "
        "last 100 calls, of whatever age; this at 100 s.",
        R"({replay: safe, max_attempts: 3, rate_limit: {hint: ignore, hint_on: all},
            backoff: {kind: exponential, base: 500ms, factor: 1.5, max: 36500d, jitter: {plus_minus: 50%}},
            breaker: {trip: {ratio: {of: 50%, window: 100s, minimum: 100}}, counts: attempts, open_for: 60s, probes: {count: 10}}})"},
    {"urllib3",
        "urllib3 2.x, Retry(10, status_forcelist=[413, 429, 500, 502, 503, 504]). Replay is derived on purpose: it goes by the method, and "
        "its PUT and DELETE want idempotent: true here. Ours: the factor of 0.1 s, its manual's example; 0 is the default.",
        R"({writes: never, retry_on: [rate_limited, ambiguous, transport], max_attempts: 11,
            rate_limit: {statuses: [413, 429], hint: exact, hint_on: all, hint_headers: [Retry-After], zero_hint: as_no_hint,
                         max_wait: 6h, over_max_wait: clamp},
            backoff: {kind: exponential, base: 100ms, factor: 2, first: 0s, max: 120s, jitter: {additive: 0s}}})"},
    {"curl",
        "curl --retry 3, whatever the method; Retry-After where it is longer than the own wait. Ours: the 3, and no --retry-max-time, "
        "which is total_timeout. Of lost connections it retries timeouts and unknown hosts alone.",
        R"({replay: safe, retry_on: [rate_limited, ambiguous, transport], max_attempts: 4,
            rate_limit: {hint: at_least, hint_on: all, hint_headers: [Retry-After], zero_hint: as_no_hint, max_wait: 6h,
                         over_max_wait: clamp},
            backoff: {kind: exponential, base: 1s, factor: 2, max: 10m, jitter: none}})"},
    {"undici",
        "undici's RetryAgent: a Retry-After over 30 s is cut, and the client is back too early. Replay is derived on purpose: it goes by "
        "the method, and its PUT and DELETE want idempotent: true here.",
        R"({writes: never, max_attempts: 6,
            rate_limit: {hint: exact, hint_on: all, hint_headers: [Retry-After], zero_hint: as_no_hint, max_wait: 30s,
                         over_max_wait: clamp},
            backoff: {kind: exponential, base: 500ms, factor: 2, max: 30s, jitter: none}})"},
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
