// SPDX-License-Identifier: Apache-2.0
#include "random_policies.h"

#include <QTest>

#include <algorithm>

/// Random policies and outcome sequences on shared scopes, cancelled and retuned at random; what must hold of every run.
namespace throttlescope::testing {
namespace {

constexpr std::uint32_t kSeed = 20260602;
constexpr std::size_t kPolicies = 10'000;

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
    explicit World(std::uint32_t seed)
        : m_random(seed)
        , m_draw(seed)
        , m_driver(m_draw)
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
        Call call = callOf(randomPolicy(m_random), m_scopes[0],
            m_random.oneOf({ReplayRule::Safe, ReplayRule::Safe, ReplayRule::Limited, ReplayRule::Never}));
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
        const bool allowed
            = call.replay == ReplayRule::Safe || (call.replay == ReplayRule::Limited && decision.family == Family::RateLimited);
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
        const std::map<Family, bool> selects{{Family::RateLimited, on.rateLimited}, {Family::Ambiguous, on.ambiguous},
            {Family::Transport, on.transport}, {Family::Interrupted, on.interrupted}};
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
                interval = std::max(interval,
                    Duration{
                        static_cast<std::int64_t>(std::ceil(1e6 * static_cast<double>(call.units) / spec.pacer->unitsPerSecond->count))});
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
