// SPDX-License-Identifier: Apache-2.0
#include "scripted_driver.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;
using journal::AttemptStarted;

namespace {

const Scripted fine{answer(200)};

PacerSpec cooling(Cooldown cooldown = Cooldown::Extend)
{
    PacerSpec spec;
    spec.cooldown = cooldown;
    return spec;
}

PacerSpec spacing(Duration interval)
{
    PacerSpec spec;
    spec.requestsPerSecond = Rate{1, interval};
    return spec;
}

struct CooldownCase {
    std::function<void(Policy &)> change{};
    Outcome outcome;
    ReplayRule replay = ReplayRule::Safe;
    Cooldown cooldown = Cooldown::Extend;
    bool oneShotBody = false;
};

} // namespace

Q_DECLARE_METATYPE(CooldownCase)

class TestEngineCooldown : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theNextCallerStartsAfterTheCooldown_data();
    void theNextCallerStartsAfterTheCooldown();
    void aCooldownIsNeverShortened();
    void aWaitingCallerChecksTheCooldownAgain();
};

/// A throttled operation at 0 s, another caller at 1 s: where does the pacer let that one start (seconds)?
void TestEngineCooldown::theNextCallerStartsAfterTheCooldown_data()
{
    QTest::addColumn<CooldownCase>("c");
    QTest::addColumn<qint64>("startsAt"); // milliseconds
    const auto row = [](const char *name, const CooldownCase &c, Duration startsAt) {
        QTest::newRow(name) << c << static_cast<qint64>(startsAt.count() / 1000);
    };
    const auto once = [](Policy &p) { p.maxAttempts = 1; };
    const auto off = [](Policy &p) { p.retry = false; };
    row("the hint of a retry holds all", {.outcome = throttled("47")}, 47s);
    row("the selected delay, not the hint",
        {.change =
                [](Policy &p) {
                    p.rateLimit.hint = HintAtLeast{};
                    p.backoff.base = 10s;
                },
            .outcome = throttled("4")},
        10s);
    row("the backoff where there is no hint", {.change = [](Policy &p) { p.backoff.base = 10s; }, .outcome = throttled()}, 10s);
    row("padding is not part of it",
        {.change = [](Policy &p) { p.rateLimit.padding = {.add = 20s, .jitter = {}}; }, .outcome = throttled("4")}, 4s);
    row("a delay over max_wait sets none", {.outcome = throttled("61")}, 1s);
    row("a delay of max_wait does", {.outcome = throttled("60")}, 60s);
    row("a clamped delay does", {.change = [](Policy &p) { p.rateLimit.overMaxWait = OverMaxWait::Clamp; }, .outcome = throttled("61")},
        60s);
    row("the final attempt sets it from the headers", {.change = once, .outcome = throttled("47")}, 47s);
    row("the final attempt over max_wait sets none", {.change = once, .outcome = throttled("61")}, 1s);
    row("the final attempt without a hint sets a backoff draw of its own",
        {.change =
                [](Policy &p) {
                    p.maxAttempts = 1;
                    p.backoff.base = 10s;
                    p.backoff.jitter = FullJitter{};
                },
            .outcome = throttled()},
        5s);
    row("a backoff of rate_limit sets it, drawn on the final attempt, too",
        {.change =
                [](Policy &p) {
                    p.maxAttempts = 1;
                    p.rateLimit.backoff = Backoff{.kind = BackoffKind::Constant, .base = 16s, .max = 30s, .jitter = FullJitter{}};
                },
            .outcome = throttled()},
        8s);
    row("the final attempt reads the headers, not the extractor",
        {.change =
                [](Policy &p) {
                    p.maxAttempts = 1;
                    p.rateLimit.extractor = JsonPointerExtractor{"/d"};
                },
            .outcome = answer(429, {{"Retry-After", "9"}}, R"({"d": 30})")},
        9s);
    row("retry: off sets it as a final attempt does", {.change = off, .outcome = throttled("47")}, 47s);
    row("a 429 that may not be replayed sets it", {.outcome = throttled("47"), .replay = ReplayRule::Never}, 47s);
    row("a 429 that retry_on leaves out sets it", {.change = [](Policy &p) { p.retryOn.rateLimited = false; }, .outcome = throttled("47")},
        47s);
    row("a deadline that refuses after the delay was selected sets it",
        {.change = [](Policy &p) { p.totalTimeout = 5s; }, .outcome = throttled("47")}, 47s);
    row("hints_exhausted sets it", {.change = [](Policy &p) { p.rateLimit.maxHintedRetries = 0; }, .outcome = throttled("47")}, 47s);
    row("a one-shot body sets it", {.outcome = throttled("47"), .oneShotBody = true}, 47s);
    row("a refused no_hint has no delay to set", {.change = [](Policy &p) { p.rateLimit.noHint = NoHintRefuse{}; }, .outcome = throttled()},
        1s);
    row("a 503 sets none", {.outcome = answer(503, {{"Retry-After", "47"}})}, 1s);
    row("a lost connection sets none", {.change = [](Policy &p) { p.backoff.base = 20s; }, .outcome = lost()}, 1s);
    row("without pacer.cooldown nobody is held", {.outcome = throttled("47"), .cooldown = Cooldown::None}, 1s);
}

void TestEngineCooldown::theNextCallerStartsAfterTheCooldown()
{
    QFETCH(CooldownCase, c);
    QFETCH(qint64, startsAt);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = cooling(c.cooldown), .breaker = {}, .budget = {}});
    Policy policy = plainPolicy();
    if (c.change)
        c.change(policy);
    Call call = callOf(policy, scope, c.replay);
    call.bodyReplayable = !c.oneShotBody;
    driver.start(0s, shared(call), inTurn({{c.outcome}, fine}));
    const auto other = driver.start(1s, shared(callOf(plainPolicy(), scope)), inTurn({fine}));
    driver.run();
    QCOMPARE(static_cast<qint64>(driver.log().all<AttemptStarted>(other).at(0).at.time_since_epoch().count() / 1000), startsAt);
}

void TestEngineCooldown::aCooldownIsNeverShortened()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = cooling(), .breaker = {}, .budget = {}});
    const auto call = shared(callOf(plainPolicy(), scope));
    driver.start(0s, call, inTurn({{throttled("47"), 1s}, fine}));
    driver.start(0s, call, inTurn({{throttled("3"), 2s}, fine})); // told later, and less
    const auto other = driver.start(3s, call, inTurn({fine}));
    driver.run();
    QVERIFY(driver.log().all<AttemptStarted>(other)[0].at == at(48s));
    QVERIFY(driver.log().all<journal::PacerWait>(other)[0].as<journal::PacerWait>()->cooldown);
}

void TestEngineCooldown::aWaitingCallerChecksTheCooldownAgain()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    PacerSpec spec = spacing(5s);
    spec.cooldown = Cooldown::Extend;
    const auto scope = driver.scope({.pacer = spec, .breaker = {}, .budget = {}});
    const auto call = shared(callOf(plainPolicy(), scope));
    const auto first = driver.start(0s, call, inTurn({{throttled("20"), 2s}, fine})); // told at 2 s, until 22 s
    const auto second = driver.start(0s, call, inTurn({fine})); // had a slot at 5 s
    driver.run();
    QVERIFY(driver.log().all<AttemptStarted>(second)[0].at == at(22s));
    QVERIFY(driver.log().all<AttemptStarted>(first)[1].at == at(27s)); // it waited, and queued behind
}

QTEST_APPLESS_MAIN(TestEngineCooldown)
#include "tst_engine_cooldown.moc"
