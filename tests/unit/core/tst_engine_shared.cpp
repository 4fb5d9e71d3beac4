// SPDX-License-Identifier: Apache-2.0
#include "scripted_driver.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;
using journal::AttemptStarted;

namespace {

const Scripted fine{answer(200)};

PacerSpec spacing(Duration interval)
{
    PacerSpec spec;
    spec.requestsPerSecond = Rate{1, interval};
    return spec;
}

} // namespace

class TestEngineShared : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void spacingAndUnitsInOneScope();
    void aRetryWaitsFirstAndThenTakesItsSlot();
    void aProbeStartsAtOnceAndPays();
    void limitsOfTheQueueAndOfUnits();
    void concurrencyHoldsBackUntilAnAttemptEnds();
    void theBreakerIsAskedOnArrival();
    void theBreakerIsAskedAtTheSlot();
    void wakingIntoAnOpenBreakerFails();
    void runningAttemptsFinishWhileItIsOpen();
    void aCancelledProbeLetsTheNextProbe();
    void aPermanentAnswerVotesAsASuccess();
    void anOperationIsCountedOnceAndBeforeItsFallback();
    void tokensAreReturnedByWhoNeverStarts_data();
    void tokensAreReturnedByWhoNeverStarts();
    void aFallbackHasItsOwnScope();
    void fallbacksChain();
};

void TestEngineShared::spacingAndUnitsInOneScope()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    PacerSpec spec;
    spec.requestsPerSecond = Rate{2, 1s};
    spec.unitsPerSecond = Rate{1000, 1s};
    const auto scope = driver.scope({.pacer = spec, .breaker = {}, .budget = {}});
    Call large = callOf(plainPolicy(), scope);
    large.units = 800;
    Call small = large;
    small.units = 100;
    std::vector<journal::OperationId> ids;
    for (const Call &call : {large, small, small, large})
        ids.push_back(driver.start(0s, shared(call), inTurn({fine})));
    driver.run();
    // 800 units pay 0.8 s, 100 units the 0.5 s of a request.
    const std::vector<Duration> expected{0ms, 800ms, 1300ms, 1800ms};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Seen started = driver.log().all<AttemptStarted>(ids[i])[0];
        QVERIFY(started.at == at(expected[i]));
        QVERIFY(started.as<AttemptStarted>()->paced == expected[i]);
        QVERIFY(started.as<AttemptStarted>()->waited == 0s);
    }
}

void TestEngineShared::aRetryWaitsFirstAndThenTakesItsSlot()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = spacing(5s), .breaker = {}, .budget = {}});
    const auto call = shared(callOf(plainPolicy(), scope));
    const auto first = driver.start(0s, call, inTurn({{throttled("3")}, fine})); // wakes at 3 s
    const auto second = driver.start(1s, call, inTurn({fine})); // came before: slot 5 s
    driver.run();
    QVERIFY(driver.log().all<AttemptStarted>(second)[0].at == at(5s));
    const Seen retry = driver.log().all<AttemptStarted>(first)[1];
    QVERIFY(retry.at == at(10s));
    QVERIFY(retry.as<AttemptStarted>()->waited == 3s && retry.as<AttemptStarted>()->paced == 7s);
    QVERIFY(driver.summary(first).metadata.rateLimitWait == 3s); // pacing is no part of it
}

void TestEngineShared::aProbeStartsAtOnceAndPays()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    PacerSpec spec = spacing(5s);
    spec.concurrency = 1;
    spec.cooldown = Cooldown::Extend;
    spec.maxWaiting = 0;
    const auto scope = driver.scope({.pacer = spec, .breaker = {}, .budget = {}});
    driver.start(0s, shared(callOf(plainPolicy(), scope)), inTurn({{answer(200), 2s}}));
    Call probe = callOf(plainPolicy(), scope, ReplayRule::Never);
    probe.operationClass = OperationClass::Probe;
    const auto probing = driver.start(1s, shared(probe), inTurn({{answer(200), 12s}})); // slot max(5, 1) + 5 = 10 s; runs to 13 s
    driver.then(1500ms, [&] {
        spec.maxWaiting = {};
        scope->pacer.retune(spec);
    });
    const auto next = driver.start(2s, shared(callOf(plainPolicy(), scope)), inTurn({fine}));
    driver.run();
    QVERIFY(driver.log().all<AttemptStarted>(probing)[0].at == at(1s));
    QVERIFY(driver.log().all<AttemptStarted>(next)[0].at == at(13s)); // the probe counts in concurrency
}

void TestEngineShared::limitsOfTheQueueAndOfUnits()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    PacerSpec spec = spacing(5s);
    spec.maxWaiting = 1;
    spec.maxUnits = 10;
    const auto scope = driver.scope({.pacer = spec, .breaker = {}, .budget = {}});
    Call call = callOf(plainPolicy(), scope);
    Call large = call;
    large.units = 11;
    const auto tooLarge = driver.start(0s, shared(large), inTurn({fine}));
    const auto first = driver.start(0s, shared(call), inTurn({{throttled("6")}, fine})); // wakes at 6 s
    driver.start(0s, shared(call), inTurn({fine}));
    const auto full = driver.start(1s, shared(call), inTurn({fine}));
    driver.start(5500ms, shared(call), inTurn({fine})); // waits to 10 s, so the queue is full at 6 s
    driver.run();
    QVERIFY(driver.summary(tooLarge).result == Result::Rejected && driver.summary(tooLarge).reason == RefusalReason::UnitsTooLarge);
    QVERIFY(driver.summary(full).result == Result::Rejected && driver.summary(full).reason == RefusalReason::QueueFull);
    QVERIFY(driver.summary(first).result == Result::Failed && driver.summary(first).reason == RefusalReason::QueueFull);
    QCOMPARE(driver.summary(first).attempts, 1);
    QCOMPARE(QString::fromStdString(driver.log().names(full)), QString{"operation.started operation.finished"});
}

void TestEngineShared::concurrencyHoldsBackUntilAnAttemptEnds()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    PacerSpec spec;
    spec.concurrency = 2;
    const auto scope = driver.scope({.pacer = spec, .breaker = {}, .budget = {}});
    const auto call = shared(callOf(plainPolicy(), scope));
    driver.start(0s, call, inTurn({{answer(200), 3s}}));
    driver.start(0s, call, inTurn({{answer(200), 7s}}));
    const auto third = driver.start(0s, call, inTurn({{answer(200), 10s}}));
    const auto fourth = driver.start(0s, call, inTurn({fine}));
    driver.run();
    QVERIFY(driver.log().all<AttemptStarted>(third)[0].at == at(3s));
    QVERIFY(driver.log().all<AttemptStarted>(fourth)[0].at == at(7s));
    QVERIFY(!driver.log().all<journal::PacerWait>(third)[0].as<journal::PacerWait>()->earliest);
}

void TestEngineShared::theBreakerIsAskedOnArrival()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope(
        {.pacer = spacing(5s), .breaker = BreakerSpec{.trip = TripFirstThrottle{}, .openFor = OpenForRestOfRun{}}, .budget = {}});
    Policy once = plainPolicy();
    once.maxAttempts = 1;
    driver.start(0s, shared(callOf(once, scope)), inTurn({{throttled("1")}}));
    const auto other = driver.start(1s, shared(callOf(plainPolicy(), scope)), inTurn({fine}));
    driver.run();
    // Before the pacer: no pacer.wait, and at once.
    QCOMPARE(QString::fromStdString(driver.log().names(other)), QString{"operation.started breaker.rejected operation.finished"});
    QVERIFY(driver.summary(other).result == Result::Rejected && driver.summary(other).reason == RefusalReason::BreakerOpen);
    QVERIFY(driver.finishedAt(other) == at(1s));
}

void TestEngineShared::theBreakerIsAskedAtTheSlot()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope(
        {.pacer = spacing(5s), .breaker = BreakerSpec{.trip = TripFirstThrottle{}, .openFor = OpenForRestOfRun{}}, .budget = {}});
    Policy once = plainPolicy();
    once.maxAttempts = 1;
    driver.start(0s, shared(callOf(once, scope)), inTurn({{throttled("1"), 2s}}));
    const auto second = driver.start(0s, shared(callOf(plainPolicy(), scope)), inTurn({fine})); // slot 5 s
    const auto third = driver.start(0s, shared(callOf(plainPolicy(), scope)), inTurn({fine}));
    driver.run();
    for (const auto id : {second, third}) {
        QVERIFY(driver.summary(id).result == Result::Rejected && driver.summary(id).reason == RefusalReason::BreakerOpen);
        QVERIFY(driver.finishedAt(id) == at(5s)); // who is turned away takes no slot
    }
    QCOMPARE(scope->pacer.waiting(), std::uint64_t{0});
}

void TestEngineShared::wakingIntoAnOpenBreakerFails()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = {},
        .breaker = BreakerSpec{.trip = TripFirstThrottle{}, .openFor = OpenForRestOfRun{}},
        .budget = TokenBucketBudget{.capacity = 500, .cost = 5}});
    const auto waiting = driver.start(0s, shared(callOf(plainPolicy(), scope)), inTurn({{throttled("10")}, fine}));
    Policy once = plainPolicy();
    once.maxAttempts = 1;
    driver.start(1s, shared(callOf(once, scope)), inTurn({{throttled("1")}}));
    driver.run();
    QVERIFY(driver.summary(waiting).result == Result::Failed && driver.summary(waiting).reason == RefusalReason::BreakerOpen);
    QVERIFY(driver.finishedAt(waiting) == at(10s));
    QCOMPARE(driver.summary(waiting).attempts, 1);
    QVERIFY(driver.summary(waiting).metadata.rateLimitWait == 10s); // really waited
    QCOMPARE(*scope->budget.available(at(10s)), 500.0); // and never started
}

void TestEngineShared::runningAttemptsFinishWhileItIsOpen()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope
        = driver.scope({.pacer = {}, .breaker = BreakerSpec{.trip = TripConsecutive{1}, .openFor = OpenForRestOfRun{}}, .budget = {}});
    Policy once = plainPolicy();
    once.maxAttempts = 1;
    const auto running = driver.start(0s, shared(callOf(once, scope)), inTurn({{answer(200), 5s}}));
    driver.start(0s, shared(callOf(once, scope)), inTurn({{answer(503), 1s}}));
    driver.run();
    QVERIFY(driver.summary(running).result == Result::Succeeded);
    QVERIFY(scope->breaker.state() == Breaker::State::Open); // its result is of an older generation
}

void TestEngineShared::aCancelledProbeLetsTheNextProbe()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope(
        {.pacer = {}, .breaker = BreakerSpec{.trip = TripConsecutive{1}, .openFor = Duration{10s}, .probes = {1, 60s}}, .budget = {}});
    Policy once = plainPolicy();
    once.maxAttempts = 1;
    const auto call = shared(callOf(once, scope));
    driver.start(0s, call, inTurn({{answer(503)}}));
    const auto probe = driver.start(10s, call, inTurn({{}}));
    const auto rejected = driver.start(11s, call, inTurn({fine}));
    driver.cancel(12s, probe);
    const auto second = driver.start(13s, call, inTurn({fine}));
    driver.run();
    QVERIFY(driver.log().all<AttemptStarted>(probe)[0].as<AttemptStarted>()->probe);
    QVERIFY(driver.summary(rejected).reason == RefusalReason::BreakerOpen);
    QVERIFY(driver.summary(second).result == Result::Succeeded);
    QVERIFY(scope->breaker.state() == Breaker::State::Closed);
    QCOMPARE(driver.log().count<journal::BreakerHalfOpen>(), std::size_t{1});
    QCOMPARE(driver.log().count<journal::BreakerClosed>(), std::size_t{1});
}

void TestEngineShared::aPermanentAnswerVotesAsASuccess()
{
    for (const BreakerCounts counts : {BreakerCounts::Operations, BreakerCounts::Attempts}) {
        const FixedDraw draw{0.5};
        Driver driver{draw};
        const auto scope = driver.scope({.pacer = {}, .breaker = BreakerSpec{.trip = TripConsecutive{2}, .counts = counts}, .budget = {}});
        Policy once = plainPolicy();
        once.maxAttempts = 1;
        const auto call = shared(callOf(once, scope));
        for (const int status : {503, 404, 503, 404, 503})
            driver.start(0s, call, inTurn({{answer(status)}}));
        driver.run();
        QVERIFY(scope->breaker.state() == Breaker::State::Closed);
    }
}

void TestEngineShared::anOperationIsCountedOnceAndBeforeItsFallback()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = {}, .breaker = BreakerSpec{.trip = TripConsecutive{2}}, .budget = {}});
    Call call = callOf(plainPolicy(), scope);
    call.fallback = shared(callOf(plainPolicy(), driver.scope()));
    const auto server = [](const Flight &flight) { return flight.fallback ? fine : Scripted{answer(503)}; };
    driver.start(0s, shared(call), server); // four failed attempts are one failed operation, also where the fallback helps
    driver.run();
    QVERIFY(scope->breaker.state() == Breaker::State::Closed);
    driver.start(60s, shared(call), server);
    driver.run();
    QVERIFY(scope->breaker.state() == Breaker::State::Open);
}

void TestEngineShared::tokensAreReturnedByWhoNeverStarts_data()
{
    QTest::addColumn<int>("end"); // how the wait of 10 s ends
    QTest::addColumn<double>("tokens");
    QTest::newRow("the retry ran and failed: paid") << 0 << 495.0;
    QTest::newRow("the retry ran and succeeded: refunded") << 1 << 500.0;
    QTest::newRow("cancelled in the wait: returned") << 2 << 500.0;
    QTest::newRow("run stopped in the wait: returned") << 3 << 500.0;
    QTest::newRow("the queue was full: returned") << 4 << 500.0;
    QTest::newRow("cancelled in the queue: returned") << 5 << 500.0;
    QTest::newRow("cancelled while it ran: paid") << 6 << 495.0;
}

void TestEngineShared::tokensAreReturnedByWhoNeverStarts()
{
    QFETCH(int, end);
    QFETCH(double, tokens);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    PacerSpec spec = spacing(1ms);
    const auto scope = driver.scope({.pacer = spec, .breaker = {}, .budget = TokenBucketBudget{.capacity = 500, .cost = 5}});
    Policy policy = plainPolicy();
    policy.maxAttempts = 2;
    const Scripted second = end == 0 ? Scripted{answer(503)} : Scripted{answer(200), 5s};
    const auto id = driver.start(0s, shared(callOf(policy, scope)), inTurn({{throttled("10")}, second}));
    driver.then(5s, [&] { QCOMPARE(*scope->budget.available(at(5s)), 495.0); });
    if (end == 2 || end == 3)
        driver.cancel(6s, id, end == 3);
    if (end == 4 || end == 5) {
        driver.then(6s, [&] {
            spec = spacing(10s);
            spec.maxWaiting = end == 4 ? 0 : 5;
            scope->pacer.retune(spec);
            scope->pacer.started(at(6s), 1);
        });
    }
    if (end == 5)
        driver.cancel(12s, id);
    if (end == 6)
        driver.cancel(11s, id);
    driver.run();
    QVERIFY(driver.finished(id));
    QCOMPARE(*scope->budget.available(at(1h)), tokens);
}

void TestEngineShared::aFallbackHasItsOwnScope()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto ownScope = driver.scope({.pacer = spacing(5s), .breaker = {}, .budget = {}});
    const auto otherScope = driver.scope({.pacer = spacing(5s), .breaker = {}, .budget = {}});
    Policy once = plainPolicy();
    once.maxAttempts = 1;
    Call backup = callOf(once, otherScope);
    backup.operation = "backup";
    backup.server = "other";
    Call call = callOf(once, ownScope);
    call.fallback = shared(backup);
    driver.start(0s, shared(backup), inTurn({fine})); // takes other's slot at 0
    const auto id = driver.start(1s, shared(call), [](const Flight &flight) { return flight.fallback ? fine : Scripted{throttled("1")}; });
    driver.run();
    const auto starts = driver.log().all<AttemptStarted>(id);
    QCOMPARE(starts.size(), std::size_t{2});
    QVERIFY(starts[0].at == at(1s) && starts[0].server == "api" && !starts[0].as<AttemptStarted>()->fallback);
    QVERIFY(starts[1].at == at(5s) && starts[1].server == "other" && starts[1].as<AttemptStarted>()->fallback);
    QVERIFY(starts[1].operation == "chat"); // events of a fallback carry the name of the operation it serves
    const Summary &summary = driver.summary(id);
    QVERIFY(summary.result == Result::Succeeded && summary.viaFallback && summary.attempts == 1 && summary.status == 200);
}

void TestEngineShared::fallbacksChain()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Policy once = plainPolicy();
    once.maxAttempts = 1;
    Call last = callOf(once, driver.scope());
    last.operation = "last";
    Call middle = callOf(once, driver.scope());
    middle.operation = "middle";
    middle.fallback = shared(last);
    Call first = callOf(once, driver.scope());
    first.fallback = shared(middle);
    const auto id = driver.start(0s, shared(first), [](const Flight &flight) {
        return flight.call.operation == "last" ? Scripted{answer(200), 2s} : Scripted{answer(503), 1s};
    });
    driver.replacePolicy(3s, id, std::make_shared<const Policy>(once)); // in the middle of the last one's attempt
    driver.run();
    QVERIFY(driver.summary(id).result == Result::Succeeded && driver.summary(id).viaFallback);
    QVERIFY(driver.finishedAt(id) == at(4s));
    QCOMPARE(QString::fromStdString(driver.log().names(id)),
        QString{"operation.started attempt.started attempt.finished retry.refused{attempts_exhausted} fallback.started attempt.started "
                "attempt.finished retry.refused{attempts_exhausted} "
                "fallback.started attempt.started attempt.finished fallback.finished fallback.finished operation.finished"});
    const auto failed = driver.start(10s, shared(first), inTurn({{answer(503)}}));
    driver.run();
    QVERIFY(driver.summary(failed).result == Result::Failed && !driver.summary(failed).viaFallback);
    QVERIFY(driver.summary(failed).reason == RefusalReason::AttemptsExhausted);
}

QTEST_APPLESS_MAIN(TestEngineShared)
#include "tst_engine_shared.moc"
