// SPDX-License-Identifier: Apache-2.0
#include "scripted_driver.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;
using journal::AttemptFinished;
using journal::AttemptStarted;

namespace {

PacerSpec spacing(Duration interval)
{
    PacerSpec spec;
    spec.requestsPerSecond = Rate{1, interval};
    return spec;
}

Policy within(Duration total)
{
    Policy policy = plainPolicy();
    policy.totalTimeout = total;
    return policy;
}

const Scripted fine{answer(200)};
const Scripted never{};

} // namespace

class TestEngineTime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anAttemptTimesOut();
    void aRunningAttemptIsCancelledWhenTheTimeIsUp();
    void anAnswerAtTheLastMomentCounts();
    void aTimeThatIsUpInTheQueueRejects();
    void aSlotThatIsTooLateRejectsAtOnce();
    void waitAndSlotMustFitTogether();
    void aLateDriverSendsNothingAfterTheDeadline_data();
    void aLateDriverSendsNothingAfterTheDeadline();
    void theFallbackIsOutsideTheTimeout();
    void aDeadlineForgetsTheEarlierFailuresHint();
    void cancelledIn_data();
    void cancelledIn();
    void aCancelledAttemptKeepsItsPacing();
    void aCancelledWaiterLetsTheNextMoveUp();
    void aStoppedRunEndsUnfinished();
    void aCancelledFallbackEndsCancelled();
};

void TestEngineTime::anAttemptTimesOut()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Policy policy = plainPolicy();
    policy.attemptTimeout = 5s;
    const auto id = driver.start(0s, shared(callOf(policy, driver.scope())), inTurn({never, {answer(200), 1s}}));
    driver.run();
    const auto ends = driver.log().all<AttemptFinished>(id);
    QVERIFY(ends[0].at == at(5s) && ends[0].as<AttemptFinished>()->failure == TransportFailureKind::AttemptTimeout);
    QVERIFY(driver.summary(id).result == Result::Succeeded);
    QVERIFY(driver.finishedAt(id) == at(7s)); // 5 + 1 backoff + 1
}

void TestEngineTime::aRunningAttemptIsCancelledWhenTheTimeIsUp()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto id = driver.start(0s, shared(callOf(within(12s), driver.scope())), inTurn({{throttled("10"), 1s}, never}));
    driver.run();
    // 1 s attempt, 10 s wait, 1 s of the second attempt.
    QVERIFY(driver.finishedAt(id) == at(12s));
    QVERIFY(driver.summary(id).result == Result::Failed);
    QVERIFY(driver.summary(id).reason == RefusalReason::Deadline);
    QCOMPARE(driver.summary(id).attempts, 2); // it counts
    const auto last = driver.log().all<AttemptFinished>(id).back();
    QVERIFY(last.as<AttemptFinished>()->end == journal::AttemptEnd::Deadline && last.as<AttemptFinished>()->took == 1s);
}

void TestEngineTime::anAnswerAtTheLastMomentCounts()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto id = driver.start(0s, shared(callOf(within(5s), driver.scope())), inTurn({{answer(200), 5s}}));
    driver.run();
    QVERIFY(driver.summary(id).result == Result::Succeeded);
}

void TestEngineTime::aTimeThatIsUpInTheQueueRejects()
{
    // The slot is known to be in time when it queues; a cooldown then pushes it out.
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = spacing(2s), .breaker = {}, .budget = {}});
    driver.start(0s, shared(callOf(plainPolicy(), scope)), inTurn({fine}));
    const auto id = driver.start(0s, shared(callOf(within(3s), scope)), inTurn({fine}));
    driver.then(1s, [&] { scope->pacer.extendCooldown(at(10s)); });
    driver.run();
    QVERIFY(driver.summary(id).result == Result::Rejected);
    QVERIFY(driver.summary(id).reason == RefusalReason::Deadline);
    QVERIFY(driver.finishedAt(id) == at(3s));
    QCOMPARE(driver.summary(id).attempts, 0);
    QVERIFY(driver.log().all<journal::OperationFinished>(id)[0].as<journal::OperationFinished>()->paced == 3s);
}

void TestEngineTime::aSlotThatIsTooLateRejectsAtOnce()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = spacing(10s), .breaker = {}, .budget = {}});
    driver.start(0s, shared(callOf(plainPolicy(), scope)), inTurn({fine}));
    const auto id = driver.start(1s, shared(callOf(within(5s), scope)), inTurn({fine}));
    driver.run();
    QVERIFY(driver.summary(id).reason == RefusalReason::Deadline);
    QVERIFY(driver.finishedAt(id) == at(1s));
}

void TestEngineTime::waitAndSlotMustFitTogether()
{
    // One slot in 20 s: the wait of 1 s would fit into 15 s, the slot after it does not.
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = spacing(20s), .breaker = {}, .budget = {}});
    const auto id = driver.start(0s, shared(callOf(within(15s), scope)), inTurn({{throttled("1")}}));
    driver.run();
    QVERIFY(driver.summary(id).reason == RefusalReason::Deadline);
    QVERIFY(driver.finishedAt(id) == at(0s));
    const Decision decision = driver.log().all<journal::RetryRefused>(id)[0].decision;
    QVERIFY(decision.timeLeft == 15s && decision.earliestSlot == 20s && decision.delay == 1s);
}

void TestEngineTime::aLateDriverSendsNothingAfterTheDeadline_data()
{
    QTest::addColumn<bool>("probe");
    QTest::newRow("out of the pacer's queue") << false;
    QTest::newRow("a probe that was started late") << true;
}

/// A timer is only a hint: a driver that comes back late must not have a request sent after the deadline.
void TestEngineTime::aLateDriverSendsNothingAfterTheDeadline()
{
    QFETCH(bool, probe);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = spacing(2s), .breaker = {}, .budget = {}});
    Policy policy = within(3s);
    if (probe) {
        Call call = callOf(within(-1s), scope);
        call.operationClass = OperationClass::Probe;
        Execution execution{call, {1, 1, 1}, driver.environment()};
        QVERIFY(std::holds_alternative<Finish>(execution.next(Driver::nowAt(at(1s)), Start{})));
        return;
    }
    scope->pacer.started(at(0s), 1);
    const Call call = callOf(policy, scope);
    Execution execution{call, {1, 1, 1}, driver.environment()};
    const Step queued = execution.next(Driver::nowAt(at(0s)), Start{});
    QVERIFY(std::get<WaitUntil>(queued).at == at(2s));
    const Step late = execution.next(Driver::nowAt(at(3s + 1us)), TimeReached{});
    QVERIFY(std::get<Finish>(late).reason == RefusalReason::Deadline);
    QCOMPARE(scope->pacer.waiting(), std::uint64_t{0});
}

void TestEngineTime::theFallbackIsOutsideTheTimeout()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Call call = callOf(within(5s), driver.scope());
    Policy none = plainPolicy();
    none.maxAttempts = 1;
    call.fallback = shared(callOf(none, driver.scope()));
    const auto id = driver.start(0s, shared(call), [](const Flight &flight) {
        return flight.fallback ? Scripted{answer(200), 20s} : never;
    });
    driver.run();
    QVERIFY(driver.summary(id).result == Result::Succeeded && driver.summary(id).viaFallback);
    QVERIFY(driver.finishedAt(id) == at(25s));
    QCOMPARE(driver.summary(id).attempts, 1); // primary ones
}

void TestEngineTime::aDeadlineForgetsTheEarlierFailuresHint()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = {},
        .breaker = BreakerSpec{.trip = TripConsecutive{1}, .counts = BreakerCounts::Operations, .openFor = OpenForHint{}},
        .budget = {}});
    const auto id = driver.start(0s, shared(callOf(within(12s), scope)), inTurn({{throttled("10")}, never}));
    driver.run();
    QVERIFY(driver.summary(id).lastFailure == AttemptMetadata{}); // the attempt that failed last was not rate-limited
    QVERIFY(scope->breaker.openUntil() == at(42s)); // 12 + 30: the result that tripped it had no hint
}

void TestEngineTime::cancelledIn_data()
{
    QTest::addColumn<qint64>("when"); // milliseconds
    QTest::addColumn<int>("attempts");
    QTest::addColumn<qint64>("rateLimitWait"); // milliseconds
    QTest::addColumn<qint64>("paced");
    // A caller before takes the slots 0 and 5 s; attempt 1 at 5 s for 1 s; wait of 10 s to 16 s; attempt 2 for 1 s.
    QTest::newRow("the pacer's queue") << qint64{2000} << 0 << qint64{0} << qint64{2000};
    QTest::newRow("the first attempt") << qint64{5500} << 1 << qint64{0} << qint64{0};
    QTest::newRow("the wait") << qint64{9000} << 1 << qint64{3000} << qint64{0};
    QTest::newRow("the second attempt") << qint64{16500} << 2 << qint64{10000} << qint64{0};
}

void TestEngineTime::cancelledIn()
{
    QFETCH(qint64, when);
    QFETCH(int, attempts);
    QFETCH(qint64, rateLimitWait);
    QFETCH(qint64, paced);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = spacing(5s), .breaker = {}, .budget = TokenBucketBudget{.capacity = 500, .cost = 5}});
    driver.start(0s, shared(callOf(plainPolicy(), scope)), inTurn({fine}));
    Call call = callOf(plainPolicy(), scope);
    call.fallback = shared(callOf(plainPolicy(), driver.scope()));
    const auto id = driver.start(0s, shared(call), inTurn({{throttled("10"), 1s}}));
    const Duration moment = std::chrono::milliseconds{when};
    driver.cancel(moment, id);
    driver.run();
    QVERIFY(driver.summary(id).result == Result::Cancelled && !driver.summary(id).reason);
    QVERIFY(driver.finishedAt(id) == at(moment));
    QCOMPARE(driver.summary(id).attempts, attempts);
    for (const Seen &started : driver.log().all<AttemptStarted>(id))
        QVERIFY(started.at < at(moment));
    QCOMPARE(driver.log().count<journal::FallbackStarted>(id), std::size_t{0});
    QVERIFY(driver.summary(id).metadata.rateLimitWait == std::chrono::milliseconds{rateLimitWait});
    const auto finished = driver.log().all<journal::OperationFinished>(id);
    QCOMPARE(finished.size(), std::size_t{1});
    QVERIFY(finished[0].as<journal::OperationFinished>()->paced == std::chrono::milliseconds{paced});
    QCOMPARE(scope->pacer.inFlight(), 0);
    QCOMPARE(scope->pacer.waiting(), std::uint64_t{0});
    // A retry that never started gives its tokens back; the one that ran keeps them. The first caller's success is at capacity.
    QCOMPARE(*scope->budget.available(at(1h)), attempts == 2 ? 495.0 : 500.0);
}

void TestEngineTime::aCancelledAttemptKeepsItsPacing()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = spacing(5s), .breaker = {}, .budget = {}});
    const auto id = driver.start(0s, shared(callOf(plainPolicy(), scope)), inTurn({never}));
    driver.cancel(1s, id);
    const auto next = driver.start(2s, shared(callOf(plainPolicy(), scope)), inTurn({fine}));
    driver.run();
    QVERIFY(driver.log().all<AttemptStarted>(next)[0].at == at(5s));
}

void TestEngineTime::aCancelledWaiterLetsTheNextMoveUp()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope({.pacer = spacing(5s), .breaker = {}, .budget = {}});
    const auto call = shared(callOf(plainPolicy(), scope));
    driver.start(0s, call, inTurn({fine}));
    const auto second = driver.start(0s, call, inTurn({fine}));
    const auto third = driver.start(0s, call, inTurn({fine}));
    const auto fourth = driver.start(0s, call, inTurn({fine}));
    driver.cancel(1s, second);
    driver.cancel(5s, third); // it had just been woken or started: whichever, the next must not hang
    driver.run();
    QVERIFY(driver.finished(fourth));
    QVERIFY(driver.log().all<AttemptStarted>(fourth)[0].at <= at(10s));
}

void TestEngineTime::aStoppedRunEndsUnfinished()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto id = driver.start(0s, shared(callOf(plainPolicy(), driver.scope())), inTurn({{throttled("10")}}));
    driver.cancel(3s, id, true);
    driver.run();
    QVERIFY(driver.summary(id).result == Result::Unfinished);
    QVERIFY(driver.log().all<journal::OperationFinished>(id)[0].as<journal::OperationFinished>()->waited == 3s);
}

void TestEngineTime::aCancelledFallbackEndsCancelled()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Call call = callOf(plainPolicy(), driver.scope(), ReplayRule::Never);
    call.fallback = shared(callOf(plainPolicy(), driver.scope()));
    const auto id = driver.start(0s, shared(call), [](const Flight &flight) { return flight.fallback ? never : Scripted{throttled("1")}; });
    driver.cancel(3s, id);
    driver.run();
    QVERIFY(driver.summary(id).result == Result::Cancelled);
    QVERIFY(!driver.summary(id).reason && !driver.summary(id).viaFallback);
    QCOMPARE(driver.log().count<journal::FallbackFinished>(id), std::size_t{1});
    QCOMPARE(driver.log().count<journal::OperationFinished>(id), std::size_t{1});
}

QTEST_APPLESS_MAIN(TestEngineTime)
#include "tst_engine_time.moc"
