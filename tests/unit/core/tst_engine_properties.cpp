// SPDX-License-Identifier: Apache-2.0
#include "core/engine/philox_draw.h"
#include "scripted_driver.h"

#include <QtTest>

#include <algorithm>
#include <random>

/// Random policies and outcome sequences on shared scopes, cancelled and retuned at random; what must hold of every run.
namespace throttlescope::testing {
namespace {

constexpr std::uint32_t kSeed = 20260602;
constexpr std::size_t kPolicies = 10'000;

/// Draws 0, ½ and just under 1 as often as anything between.
class EdgyDraw final : public Draw {
public:
    explicit EdgyDraw(std::uint64_t seed) : m_draw(seed) {}
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
    explicit Random(std::uint32_t seed) : m_engine(seed) {}
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((std::uint64_t{m_engine()} * n) >> 32); }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    template <typename T>
    T oneOf(std::initializer_list<T> values) { return *(values.begin() + below(static_cast<std::uint32_t>(values.size()))); }
    /// Up to `most`, on a grid of 250 ms half of the time so that moments coincide.
    Duration upTo(Duration most)
    {
        const auto count = static_cast<std::uint32_t>(most.count() / 1000);
        return chance(50) ? Duration{std::chrono::milliseconds{below(count / 250 + 1) * 250}} : Duration{std::chrono::milliseconds{below(count + 1)} + Duration{below(1000)}};
    }

private:
    std::mt19937 m_engine; // its sequence is fixed by the standard
};

Jitter randomJitter(Random &random)
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

HintMode randomHintMode(Random &random)
{
    switch (random.below(5)) {
    case 0: return HintExact{};
    case 1: return HintAtLeast{};
    case 2: return HintWithin{random.upTo(5s)};
    case 3: return HintSpread{random.oneOf({1.0, 1.5, 3.0})};
    default: return HintIgnore{};
    }
}

NoHint randomNoHint(Random &random)
{
    switch (random.below(3)) {
    case 0: return NoHintBackoff{};
    case 1: return NoHintFixed{random.upTo(20s), static_cast<int>(random.below(4))};
    default: return NoHintRefuse{};
    }
}

Policy randomPolicy(Random &random)
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

ScopeSpec randomScope(Random &random)
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

Scripted randomAnswer(Random &random)
{
    const Duration after = random.upTo(3s);
    switch (random.below(14)) {
    case 0:
    case 1: return {answer(200), after};
    case 2: return {throttled(), after};
    case 3:
    case 4: return {throttled(std::to_string(random.below(40))), after};
    case 5: return {throttled(random.oneOf<std::string>({"0", "soon", "9223372037", "86400", "-5", "1.5"})), after};
    case 6: return {answer(429, {{"Retry-After", "2"}, {"x-ratelimit-limit-day", "9"}, {"x-ratelimit-remaining-day", random.oneOf<std::string>({"0", "1"})}}, R"({"d": 1500})"), after};
    case 7: return {answer(429, {}, R"({"d": "soon"})"), after};
    case 8: return {answer(503, random.chance(50) ? Headers{{"Retry-After", std::to_string(random.below(40))}} : Headers{}), after};
    case 9: return {answer(random.oneOf({500, 502, 504})), after};
    case 10: return {lost(random.oneOf({TransportFailureKind::ConnectionRefused, TransportFailureKind::ConnectionReset})), after};
    case 11: return {Response{.status = 200, .headers = {}, .body = "x", .bodyComplete = false, .bytesHandedOn = random.below(2)}, after};
    case 12: return {answer(random.oneOf({400, 404})), after};
    default: return {}; // never answers
    }
}

/// The family by hand, for the answers of randomAnswer().
Family familyOf(std::optional<int> status, const std::vector<int> &listed)
{
    if (!status)
        return Family::Transport;
    if (std::count(listed.begin(), listed.end(), *status) > 0)
        return Family::RateLimited;
    if (*status >= 500)
        return Family::Ambiguous;
    return *status >= 400 ? Family::Permanent : Family::Interrupted; // a success is not decided on
}

/// What a checker must know of an operation.
struct Told {
    std::shared_ptr<const Call> call;
    Server server;
    std::optional<MonotonicTime> cancelledAt;
    bool replaced = false;
    MonotonicTime startedAt;
};

class World {
public:
    explicit World(std::uint32_t seed) : m_random(seed), m_draw(seed), m_driver(m_draw)
    {
        for (int i = 0; i < 2; ++i)
            m_scopes.push_back(m_driver.scope(m_specs.emplace_back(randomScope(m_random))));
        const std::uint32_t operations = 2 + m_random.below(6);
        for (std::uint32_t i = 0; i < operations; ++i)
            addOperation();
        if (m_random.chance(25)) {
            m_retuned = true;
            const Duration when = m_random.upTo(20s);
            const ScopeSpec spec = randomScope(m_random);
            m_driver.then(when, [this, spec] { m_scopes[0]->retune(spec); });
        }
    }

    /// Empty: all holds.
    std::string check()
    {
        m_driver.run();
        for (journal::OperationId id = 1; id <= m_told.size() && m_fault.empty(); ++id)
            checkOperation(id);
        if (m_fault.empty())
            checkScopes();
        return m_fault;
    }
    std::size_t policies() const { return m_told.size(); } // one an operation; those of fallbacks and replacements besides
    std::uint64_t attempts() const { return m_driver.log().count<journal::AttemptStarted>(); }

private:
    void addOperation()
    {
        Call call = callOf(randomPolicy(m_random), m_scopes[0], m_random.oneOf({ReplayRule::Safe, ReplayRule::Safe, ReplayRule::Limited, ReplayRule::Never}));
        call.server = "api";
        call.units = m_random.below(1000);
        call.streaming = m_random.chance(30);
        call.bodyReplayable = m_random.chance(95);
        if (m_random.chance(8)) {
            call.operationClass = OperationClass::Probe;
            call.replay = ReplayRule::Never;
        }
        if (m_random.chance(30)) {
            Policy policy = randomPolicy(m_random);
            if (m_random.chance(70))
                policy.maxAttempts = 1;
            Call fallback = callOf(policy, m_scopes[m_random.below(2)]);
            fallback.server = fallback.scope == m_scopes[0] ? "api" : "other";
            call.fallback = shared(fallback);
        }
        Told told;
        told.call = shared(call);
        std::vector<Scripted> answers;
        for (int i = 0; i < 8; ++i)
            answers.push_back(randomAnswer(m_random));
        const Duration when = m_random.upTo(5s);
        told.startedAt = at(when);
        const auto id = m_driver.start(when, told.call, inTurn(answers));
        if (m_random.chance(20)) {
            const Duration cancelled = when + m_random.upTo(30s);
            told.cancelledAt = at(cancelled);
            m_driver.cancel(cancelled, id, m_random.chance(20));
        }
        if (m_random.chance(15)) {
            told.replaced = true;
            m_driver.replacePolicy(when + m_random.upTo(10s), id, std::make_shared<const Policy>(randomPolicy(m_random)));
        }
        m_told.push_back(std::move(told));
    }

    void fault(journal::OperationId id, const std::string &what)
    {
        if (m_fault.empty())
            m_fault = "operation " + std::to_string(id) + ": " + what + "\n  " + m_driver.log().names(id);
    }

    void checkOperation(journal::OperationId id)
    {
        const Log &log = m_driver.log();
        const Told &told = m_told[id - 1];
        const Policy &policy = *told.call->policy;
        if (!m_driver.finished(id) || log.count<journal::OperationFinished>(id) != 1 || log.count<journal::OperationStarted>(id) != 1)
            return fault(id, "does not finish exactly once");
        if (log.seenEvents.empty() || !lastOf(id).as<journal::OperationFinished>())
            return fault(id, "something follows its end");
        std::optional<MonotonicTime> fallbackAt;
        for (const Seen &seen : log.all<journal::FallbackStarted>(id))
            fallbackAt = fallbackAt.value_or(seen.at);
        int primary = 0, fallback = 0, running = 0;
        bool inFallback = false;
        bool decided = true; // a retry is only sent after a decision to retry
        for (const Seen &seen : log.seenEvents) {
            if (seen.op != id)
                continue;
            if (const auto *started = seen.as<journal::AttemptStarted>()) {
                if (told.cancelledAt && seen.at > *told.cancelledAt)
                    return fault(id, "an attempt after cancel");
                int &count = started->fallback ? fallback : primary;
                ++count;
                ++running;
                if (running != 1)
                    return fault(id, "two attempts at once");
                if (count > 1 && !decided)
                    return fault(id, "a retry that was not decided");
                if (started->waited < Duration::zero() || started->paced < Duration::zero())
                    return fault(id, "a negative wait");
                decided = false;
            } else if (seen.as<journal::AttemptFinished>()) {
                --running;
                m_lastFamily = seen.as<journal::AttemptFinished>()->family;
            } else if (const auto *scheduled = seen.as<journal::RetryScheduled>()) {
                decided = true;
                checkWait(id, seen, *scheduled, inFallback ? *told.call->fallback : *told.call, told.replaced && !inFallback);
            } else if (seen.as<journal::FallbackStarted>()) {
                inFallback = true;
            }
        }
        if (running != 0)
            return fault(id, "an attempt without an end");
        if (!told.replaced && primary > policy.maxAttempts)
            return fault(id, "more attempts than max_attempts");
        if (told.call->operationClass == OperationClass::Probe && primary > 1)
            return fault(id, "a probe was replayed");
        const MonotonicTime end = fallbackAt.value_or(m_driver.finishedAt(id));
        if (!told.replaced && policy.totalTimeout && end - told.startedAt > *policy.totalTimeout)
            return fault(id, "longer than total_timeout");
        if (told.cancelledAt && m_driver.finishedAt(id) > *told.cancelledAt)
            return fault(id, "ends after its cancellation");
    }

    void checkWait(journal::OperationId id, const Seen &seen, const journal::RetryScheduled &scheduled, const Call &call, bool replaced)
    {
        const Decision &decision = seen.decision;
        if (scheduled.until < seen.at || !decision.delay || *decision.delay < Duration::zero() || decision.padding < Duration::zero())
            return fault(id, "a negative wait");
        if (decision.family != m_lastFamily)
            return fault(id, "decided on another family than the attempt's");
        const bool allowed = call.replay == ReplayRule::Safe || (call.replay == ReplayRule::Limited && decision.family == Family::RateLimited);
        if (!allowed || decision.family == Family::Success || decision.family == Family::Permanent)
            return fault(id, "a replay that the rule forbids");
        if (*decision.delay > decision.maxWait)
            return fault(id, "a wait above max_wait");
        if (replaced)
            return;
        const Policy &policy = *call.policy;
        if (decision.family != familyOf(decision.status, policy.rateLimit.statuses))
            return fault(id, "decided on a family that the status does not have");
        const RetryOn &on = policy.retryOn;
        const std::map<Family, bool> selects{{Family::RateLimited, on.rateLimited}, {Family::Ambiguous, on.ambiguous}, {Family::Transport, on.transport}, {Family::Interrupted, on.interrupted}};
        if (!policy.retry || !selects.at(decision.family))
            return fault(id, "a retry that the policy does not select");
        const Padding &padding = policy.rateLimit.padding;
        const Duration most = saturatingAdd(policy.rateLimit.maxWait, padding.add + padding.jitter);
        if (scheduled.until - seen.at > most)
            return fault(id, "a wait above max_wait and padding");
        if (decision.attempt >= policy.maxAttempts)
            return fault(id, "a retry after the final attempt");
    }

    const Seen &lastOf(journal::OperationId id) const
    {
        const auto &all = m_driver.log().seenEvents;
        return *std::find_if(all.rbegin(), all.rend(), [id](const Seen &seen) { return seen.op == id; });
    }

    void checkScopes()
    {
        for (const auto &scope : m_scopes) {
            if (scope->pacer.inFlight() != 0 || scope->pacer.waiting() != 0)
                return fault(0, "the pacer keeps somebody");
        }
        for (std::size_t i = 0; i < m_scopes.size(); ++i) {
            if (!(i == 0 && m_retuned))
                checkSpacing(m_specs[i], i == 0 ? "api" : "other");
        }
    }

    /// Every pair of starts: the earlier paid for its spacing before the later.
    void checkSpacing(const ScopeSpec &spec, const std::string &server)
    {
        if (!spec.pacer)
            return;
        std::optional<MonotonicTime> due;
        for (const Seen &seen : m_driver.log().all<journal::AttemptStarted>()) {
            if (seen.server != server)
                continue;
            const Told &told = m_told[seen.op - 1];
            const Call &call = seen.as<journal::AttemptStarted>()->fallback ? *told.call->fallback : *told.call;
            const bool probe = call.operationClass == OperationClass::Probe;
            if (due && !probe && seen.at < *due)
                return fault(seen.op, "started before its slot");
            Duration interval{};
            // Exact in integers: the rates are per second, so `count` of them take per / count, rounded up.
            if (spec.pacer->requestsPerSecond)
                interval = Duration{static_cast<std::int64_t>(std::ceil(1e6 / spec.pacer->requestsPerSecond->count))};
            if (spec.pacer->unitsPerSecond)
                interval = std::max(interval, Duration{static_cast<std::int64_t>(std::ceil(1e6 * static_cast<double>(call.units) / spec.pacer->unitsPerSecond->count))});
            due = std::max(due.value_or(seen.at), seen.at) + interval;
        }
    }

    Random m_random;
    EdgyDraw m_draw;
    Driver m_driver;
    std::vector<ScopeSpec> m_specs;
    std::vector<std::shared_ptr<Scope>> m_scopes;
    std::vector<Told> m_told;
    bool m_retuned = false;
    Family m_lastFamily = Family::Success;
    std::string m_fault;
};

} // namespace
} // namespace throttlescope::testing

class TestEngineProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomPoliciesKeepTheRules();
};

void TestEngineProperties::randomPoliciesKeepTheRules()
{
    using namespace throttlescope::testing;
    std::uint64_t attempts = 0;
    std::size_t policies = 0;
    for (std::uint32_t seed = kSeed; policies < kPolicies; ++seed) {
        World world{seed};
        const std::string fault = world.check();
        QVERIFY2(fault.empty(), qPrintable(QString{"seed %1: %2"}.arg(seed).arg(QString::fromStdString(fault))));
        policies += world.policies();
        attempts += world.attempts();
    }
    QVERIFY(attempts > 10'000); // the worlds are not empty
}

QTEST_APPLESS_MAIN(TestEngineProperties)
#include "tst_engine_properties.moc"
