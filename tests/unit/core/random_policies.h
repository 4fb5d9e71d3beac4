// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/philox_draw.h"
#include "scripted_driver.h"

#include <random>

/// Policies, scopes and answers at random, the edges more often than chance would have them.
namespace throttlescope::testing {

/// Draws 0, ½ and just under 1 as often as anything between.
class EdgyDraw final : public Draw {
public:
    explicit EdgyDraw(std::uint64_t seed)
        : m_draw(seed)
    {
    }
    double operator()(const DrawKey &key) const override
    {
        const double draw = m_draw(key);
        return draw < 0.2 ? 0 : draw < 0.4 ? 0.5 : draw < 0.6 ? kJustUnderOne : draw;
    }

private:
    PhiloxDraw m_draw;
};

class Random {
public:
    explicit Random(std::uint32_t seed)
        : m_engine(seed)
    {
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((std::uint64_t{m_engine()} * n) >> 32); }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    template <typename T>
    T oneOf(std::initializer_list<T> values)
    {
        return *(values.begin() + below(static_cast<std::uint32_t>(values.size())));
    }
    /// Up to `most`, on a grid of 250 ms half of the time so that moments coincide.
    Duration upTo(Duration most)
    {
        const auto count = static_cast<std::uint32_t>(most.count() / 1000);
        return chance(50) ? Duration{std::chrono::milliseconds{below(count / 250 + 1) * 250}}
                          : Duration{std::chrono::milliseconds{below(count + 1)} + Duration{below(1000)}};
    }

private:
    std::mt19937 m_engine; // its sequence is fixed by the standard
};

inline Jitter randomJitter(Random &random)
{
    switch (random.below(7)) {
    case 0: return NoJitter{};
    case 1: return FullJitter{};
    case 2: return EqualJitter{};
    case 3: return DecorrelatedJitter{};
    case 4: return DecorrelatedV2Jitter{};
    case 5: return PlusMinusJitter{random.oneOf({0.25, 1.0, 3.0})};
    default: return AdditiveJitter{random.upTo(5s)};
    }
}

inline HintMode randomHintMode(Random &random)
{
    switch (random.below(5)) {
    case 0: return HintExact{};
    case 1: return HintAtLeast{};
    case 2: return HintWithin{random.upTo(5s)};
    case 3: return HintSpread{random.oneOf({1.0, 1.5, 3.0})};
    default: return HintIgnore{};
    }
}

inline NoHint randomNoHint(Random &random)
{
    switch (random.below(3)) {
    case 0: return NoHintBackoff{};
    case 1: return NoHintFixed{random.upTo(20s), static_cast<int>(random.below(4))};
    default: return NoHintRefuse{};
    }
}

inline Policy randomPolicy(Random &random)
{
    Policy policy;
    policy.name = "random";
    policy.retry = !random.chance(5);
    policy.retryOn = {random.chance(85), random.chance(85), random.chance(85), random.chance(85)};
    policy.maxAttempts = random.chance(5) ? 40 : 1 + static_cast<int>(random.below(6));
    policy.attemptTimeout = 1s + random.upTo(20s);
    if (random.chance(40))
        policy.totalTimeout = random.chance(5) ? Duration::zero() : random.upTo(60s);
    RateLimitRules &rules = policy.rateLimit;
    rules.maxWait = random.chance(5) ? random.oneOf({Duration::zero(), kMaxDuration}) : random.upTo(30s);
    rules.statuses = random.oneOf<std::vector<int>>({{429}, {429}, {429, 503}, {}});
    rules.overMaxWait = random.chance(15) ? OverMaxWait::Clamp : OverMaxWait::Refuse;
    rules.hint = randomHintMode(random);
    rules.zeroHint = random.oneOf({ZeroHint::RetryNow, ZeroHint::Refuse, ZeroHint::AsNoHint});
    rules.noHint = randomNoHint(random);
    if (random.chance(30))
        rules.maxHintedRetries = static_cast<int>(random.below(4));
    if (random.chance(30))
        rules.refuseWhenExhausted = {WindowSpan::Day};
    if (random.chance(40))
        rules.padding = {random.upTo(2s), random.upTo(2s)};
    if (random.chance(15))
        rules.extractor = JsonPointerExtractor{"/d", JsonPointerExtractor::Unit::Milliseconds};
    if (random.chance(20))
        rules.hintOn = {random.chance(50), random.chance(50), random.chance(50), random.chance(50)};
    if (random.chance(10))
        rules.hintHeaders = {random.oneOf<std::string>({"Retry-After", "x-amz-retry-after"})};
    if (random.chance(10))
        rules.backoff
            = Backoff{.kind = BackoffKind::Linear, .base = random.upTo(5s), .max = random.upTo(40s), .jitter = randomJitter(random)};
    Backoff &backoff = policy.backoff;
    backoff.kind = random.oneOf({BackoffKind::Constant, BackoffKind::Sequence, BackoffKind::Linear, BackoffKind::Exponential});
    backoff.base = random.upTo(5s);
    backoff.factor = random.oneOf({1.0, 1.5, 2.0, 10.0});
    backoff.max = random.upTo(40s);
    backoff.sequence = {random.upTo(2s), random.upTo(8s)};
    backoff.jitter = randomJitter(random);
    if (random.chance(20))
        backoff.first = random.upTo(3s);
    return policy;
}

inline ScopeSpec randomScope(Random &random)
{
    ScopeSpec spec;
    if (random.chance(70)) {
        PacerSpec pacer;
        if (random.chance(60))
            pacer.requestsPerSecond = Rate{random.oneOf({0.5, 3.0, 20.0, 1000.0}), 1s};
        if (random.chance(30))
            pacer.unitsPerSecond = Rate{random.oneOf({100.0, 1000.0}), 1s};
        pacer.cooldown = random.chance(50) ? Cooldown::Extend : Cooldown::None;
        if (random.chance(40))
            pacer.concurrency = 1 + static_cast<int>(random.below(3));
        if (random.chance(20))
            pacer.maxWaiting = static_cast<int>(random.below(4));
        if (random.chance(10))
            pacer.maxUnits = 500;
        spec.pacer = pacer;
    }
    if (random.chance(40)) {
        BreakerSpec breaker;
        switch (random.below(3)) {
        case 0: breaker.trip = TripFirstThrottle{}; break;
        case 1: breaker.trip = TripConsecutive{1 + static_cast<int>(random.below(5))}; break;
        default: breaker.trip = TripRatio{0.5, random.upTo(30s), 3}; break;
        }
        breaker.counts = random.chance(50) ? BreakerCounts::Attempts : BreakerCounts::Operations;
        switch (random.below(4)) {
        case 0: breaker.openFor = OpenForHint{}; break;
        case 1: breaker.openFor = OpenForRestOfRun{}; break;
        default: breaker.openFor = random.upTo(10s); break;
        }
        breaker.probes = {1 + static_cast<int>(random.below(2)), random.upTo(10s)};
        spec.breaker = breaker;
    }
    if (random.chance(40)) {
        if (random.chance(50))
            spec.budget = TokenBucketBudget{.capacity = random.oneOf({0.0, 12.0, 500.0}), .cost = 5, .timeoutCost = 10, .throttleCost = {}};
        else if (random.chance(50))
            spec.budget = RatioBudget{.fraction = 0.2, .minPerSecond = 0.3, .minInFlight = {}, .memory = random.upTo(10s)};
        else
            spec.budget = RatioBudget{.fraction = 0.2, .minPerSecond = {}, .minInFlight = 1, .memory = 10s};
    }
    return spec;
}

inline Scripted randomAnswer(Random &random)
{
    const Duration after = random.upTo(3s);
    switch (random.below(14)) {
    case 0:
    case 1: return {answer(200), after};
    case 2: return {throttled(), after};
    case 3:
    case 4: return {throttled(std::to_string(random.below(40))), after};
    case 5: return {throttled(random.oneOf<std::string>({"0", "soon", "9223372037", "86400", "-5", "1.5"})), after};
    case 6:
        return {answer(429,
                    {{"Retry-After", "2"}, {"x-ratelimit-limit-day", "9"},
                        {"x-ratelimit-remaining-day", random.oneOf<std::string>({"0", "1"})}},
                    R"({"d": 1500})"),
            after};
    case 7: return {answer(429, {}, R"({"d": "soon"})"), after};
    case 8: return {answer(503, random.chance(50) ? Headers{{"Retry-After", std::to_string(random.below(40))}} : Headers{}), after};
    case 9: return {answer(random.oneOf({500, 502, 504})), after};
    case 10: return {lost(random.oneOf({TransportFailureKind::ConnectionRefused, TransportFailureKind::ConnectionReset})), after};
    case 11: return {Response{.status = 200, .headers = {}, .body = "x", .bodyComplete = false, .bytesHandedOn = random.below(2)}, after};
    case 12: return {answer(random.oneOf({400, 404})), after};
    default: return {}; // never answers
    }
}

} // namespace throttlescope::testing
