// SPDX-License-Identifier: Apache-2.0
#include "scripted_driver.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;

namespace {

const Scripted fine{answer(200)};

std::shared_ptr<const Policy> replaced(const std::function<void(Policy &)> &change)
{
    Policy policy = plainPolicy();
    change(policy);
    return std::make_shared<const Policy>(policy);
}

struct MetadataCase {
    std::function<void(Policy &)> change{};
    Outcome outcome;
    AttemptMetadata expected;
    ReplayRule replay = ReplayRule::Safe;
};

} // namespace

Q_DECLARE_METATYPE(MetadataCase)

class TestEngineMetadata : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFailedAttemptTells_data();
    void aFailedAttemptTells();
    void anOperationTellsWhatItWaitedForRateLimits();
    void aFallbacksRateLimitsBelongToTheOperation();
    void anExtractionErrorCarriesItsCause();
    void stateOfEveryResponse();
    void countersCountStartsAndEnds();
    void aDecisionHoldsItsReasons();
    void aPolicyReplacedHoldsFromTheNextDecision_data();
    void aPolicyReplacedHoldsFromTheNextDecision();
    void aPolicyReplacedBeforeTheStartEndsNothing();
    void aRunningAttemptKeepsItsLimits();
};

void TestEngineMetadata::aFailedAttemptTells_data()
{
    QTest::addColumn<MetadataCase>("c");
    const auto row = [](const char *name, const MetadataCase &c) { QTest::newRow(name) << c; };
    const auto once = [](Policy &p) { p.maxAttempts = 1; };
    row("a hint that is obeyed", {.outcome = throttled("4"), .expected = {true, false, DelaySource::Provider, 4s, 4s}});
    row("a hint that at_least outbids",
        {.change =
                [](Policy &p) {
                    p.rateLimit.hint = HintAtLeast{};
                    p.backoff.base = 10s;
                },
            .outcome = throttled("4"),
            .expected = {true, false, DelaySource::Backoff, 4s, 10s}});
    row("no hint", {.outcome = throttled(), .expected = {true, false, DelaySource::Backoff, {}, 1s}});
    row("a rejected delay is described", {.outcome = throttled("61"), .expected = {true, true, DelaySource::Provider, 61s, 61s}});
    row("padding is not part of the delay",
        {.change = [](Policy &p) { p.rateLimit.padding = {.add = 1s, .jitter = {}}; },
            .outcome = throttled("4"),
            .expected = {true, false, DelaySource::Provider, 4s, 4s}});
    row("on the final attempt no delay is reported", {.change = once, .outcome = throttled("61"), .expected = {true, false, {}, {}, {}}});
    row("nor where the 429 may not be replayed",
        {.outcome = throttled("61"), .expected = {true, false, {}, {}, {}}, .replay = ReplayRule::Never});
    row("a 503 has no delay keys", {.outcome = answer(503, {{"Retry-After", "4"}}), .expected = {}});
    row("a 503 over max_wait neither", {.outcome = answer(503, {{"Retry-After", "61"}}), .expected = {}});
    row("a lost connection neither", {.outcome = lost(), .expected = {}});
}

void TestEngineMetadata::aFailedAttemptTells()
{
    QFETCH(MetadataCase, c);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Policy policy = plainPolicy();
    if (c.change)
        c.change(policy);
    const auto id = driver.start(0s, shared(callOf(policy, driver.scope(), c.replay)), inTurn({{c.outcome}, fine}));
    driver.run();
    QVERIFY(driver.summary(id).lastFailure == c.expected);
}

void TestEngineMetadata::anOperationTellsWhatItWaitedForRateLimits()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Policy policy = plainPolicy();
    policy.rateLimit.padding = {.add = 1s, .jitter = {}};
    // 1 s of backoff for the 503, 4 + 1 s for the first 429; the second is refused.
    const auto id = driver.start(0s, shared(callOf(policy, driver.scope())), inTurn({{answer(503)}, {throttled("4")}, {throttled("61")}}));
    driver.run();
    QVERIFY((driver.summary(id).metadata == journal::OperationMetadata{true, 5s, true}));
    QVERIFY(driver.finishedAt(id) == at(6s));
    const Seen finished = driver.log().all<journal::OperationFinished>(id)[0];
    QVERIFY(finished.as<journal::OperationFinished>()->metadata == driver.summary(id).metadata);
    QCOMPARE(QString::fromStdString(finished.retryAfter), QString{"61"});
    QVERIFY(finished.as<journal::OperationFinished>()->status == 429);
    QCOMPARE(QString::fromStdString(errorMessage(driver.summary(id))), QString{"failed: 429, Retry-After: 61 (wait_exceeded)"});

    const auto other = driver.start(100s, shared(callOf(policy, driver.scope())), inTurn({{answer(503)}, fine}));
    driver.run();
    QVERIFY(driver.summary(other).metadata == journal::OperationMetadata{});
}

void TestEngineMetadata::aFallbacksRateLimitsBelongToTheOperation()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Call call = callOf(plainPolicy(), driver.scope(), ReplayRule::Never);
    call.fallback = shared(callOf(plainPolicy(), driver.scope()));
    const auto id = driver.start(0s, shared(call), [](const Flight &flight) {
        if (!flight.fallback)
            return Scripted{answer(503)};
        return flight.attempt == 1 ? Scripted{throttled("4")} : fine;
    });
    driver.run();
    QVERIFY(driver.summary(id).viaFallback);
    QVERIFY((driver.summary(id).metadata == journal::OperationMetadata{true, 4s, false}));
}

void TestEngineMetadata::anExtractionErrorCarriesItsCause()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Policy policy = plainPolicy();
    policy.rateLimit.extractor = JsonPointerExtractor{"/retry_after"};
    const auto id = driver.start(0s, shared(callOf(policy, driver.scope())), inTurn({{answer(429, {}, R"({"retry_after": "secret"})")}}));
    driver.run();
    const Summary &summary = driver.summary(id);
    QVERIFY(summary.reason == RefusalReason::ExtractionFailed);
    QVERIFY(summary.extractionError && summary.extractionError->status == 429 && !summary.extractionError->cause.empty());
    QVERIFY(errorMessage(summary).find("secret") == std::string::npos); // never a body
    QVERIFY((summary.lastFailure == AttemptMetadata{true, false, {}, {}, {}}));
}

void TestEngineMetadata::stateOfEveryResponse()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const Headers told{{"x-ratelimit-limit-minute", "30"}, {"x-ratelimit-remaining-minute", "7"}};
    for (const int status : {200, 404, 503}) {
        Policy once = plainPolicy();
        once.maxAttempts = 1;
        const auto id = driver.start(0s, shared(callOf(once, driver.scope())), inTurn({{answer(status, told)}}));
        driver.run();
        const Summary &summary = driver.summary(id);
        QCOMPARE(summary.state->windows.size(), std::size_t{1});
        QVERIFY(summary.state->windows[0].remaining == 7U);
    }
    Call call = callOf(plainPolicy(), driver.scope(), ReplayRule::Never);
    call.fallback = shared(callOf(plainPolicy(), driver.scope()));
    const auto id = driver.start(
        0s, shared(call), [&](const Flight &flight) { return flight.fallback ? Scripted{answer(200, told)} : Scripted{answer(503)}; });
    driver.run();
    QCOMPARE(driver.summary(id).state->windows.size(), std::size_t{1});
}

void TestEngineMetadata::countersCountStartsAndEnds()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const Call call = callOf(plainPolicy(), driver.scope());
    driver.start(0s, shared(call), inTurn({{throttled("1")}, {answer(503)}, {throttled("1")}, fine}));
    const auto cancelled = driver.start(0s, shared(call), inTurn({{throttled("20")}, fine}));
    driver.cancel(10s, cancelled); // its retry never starts
    driver.run();
    QVERIFY((*call.counters == PolicyCounters{5, 3, 3}));
}

void TestEngineMetadata::aDecisionHoldsItsReasons()
{
    const FixedDraw draw{0.5, {{Stream::PaddingJitter, 0.25}}};
    Driver driver{draw};
    Policy policy = plainPolicy();
    policy.rateLimit.hint = HintAtLeast{};
    policy.rateLimit.padding = {.add = 1s, .jitter = 2s};
    policy.backoff.jitter = FullJitter{};
    policy.totalTimeout = 1min;
    const auto id = driver.start(0s,
        shared(callOf(policy, driver.scope({.pacer = {}, .breaker = {}, .budget = TokenBucketBudget{.capacity = 500, .cost = 5}}))),
        inTurn({{throttled("4"), 2s}, fine}));
    driver.run();
    const Decision d = driver.log().all<journal::RetryScheduled>(id)[0].decision;
    QVERIFY(d.attempt == 1 && d.family == Family::RateLimited && d.status == 429 && !d.finalAttempt && !d.refusal);
    QVERIFY(d.hint && d.hint->delay == 4s && d.hint->raw == "4");
    QVERIFY(d.backoff == 500ms && d.jitterDraw == 0.5);
    QVERIFY(d.rule == DelayRule::HintAtLeast && d.source == DelaySource::Provider && d.delay == 4s);
    QVERIFY(d.padding == 1500ms && d.paddingDraw == 0.25 && d.wait() == 5500ms);
    QVERIFY(d.maxWait == 60s && d.timeLeft == 58s && d.earliestSlot == 0s && d.maxAttempts == 4);
    QVERIFY(d.tokensBefore == 500.0 && d.tokensAfter == 495.0);
    QVERIFY(driver.log().all<journal::RetryScheduled>(id)[0].as<journal::RetryScheduled>()->until == at(7500ms));
}

/// An attempt of 2 s that is told to wait 10 s, then an attempt of 2 s that succeeds; replaced at `when`.
void TestEngineMetadata::aPolicyReplacedHoldsFromTheNextDecision_data()
{
    QTest::addColumn<qint64>("when"); // seconds
    QTest::addColumn<int>("change"); // 0: max_wait 5 s, 1: retry off, 2: one attempt, 3: total_timeout 13 s
    QTest::addColumn<QString>("expected");
    QTest::addColumn<qint64>("finishedAt"); // seconds
    QTest::newRow("max_wait lowered while the attempt runs refuses it") << qint64{1} << 0 << "wait_exceeded" << qint64{2};
    QTest::newRow("max_wait lowered in the wait lets it be slept") << qint64{5} << 0 << "succeeded" << qint64{14};
    QTest::newRow("retry: off while the attempt runs refuses it") << qint64{1} << 1 << "retry_off" << qint64{2};
    QTest::newRow("retry: off in the wait lets it be slept") << qint64{5} << 1 << "succeeded" << qint64{14};
    QTest::newRow("fewer attempts while the attempt runs") << qint64{1} << 2 << "attempts_exhausted" << qint64{2};
    QTest::newRow("fewer attempts in the wait") << qint64{5} << 2 << "succeeded" << qint64{14};
    QTest::newRow("a total_timeout set in the wait ends the attempt after it") << qint64{5} << 3 << "deadline" << qint64{13};
    QTest::newRow("a total_timeout set while the last attempt runs leaves it alone") << qint64{13} << 3 << "succeeded" << qint64{14};
}

void TestEngineMetadata::aPolicyReplacedHoldsFromTheNextDecision()
{
    QFETCH(qint64, when);
    QFETCH(int, change);
    QFETCH(QString, expected);
    QFETCH(qint64, finishedAt);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto id = driver.start(0s, shared(callOf(plainPolicy(), driver.scope())), inTurn({{throttled("10"), 2s}, {answer(200), 2s}}));
    driver.replacePolicy(std::chrono::seconds{when}, id, replaced([change](Policy &p) {
        switch (change) {
        case 0: p.rateLimit.maxWait = 5s; break;
        case 1: p.retry = false; break;
        case 2: p.maxAttempts = 1; break;
        default: p.totalTimeout = 13s; break;
        }
    }));
    bool keptItsWait = false;
    driver.then(std::chrono::seconds{when}, [&] { keptItsWait = driver.execution(id).inRetryWait(); });
    driver.run();
    QCOMPARE(keptItsWait, when == 5);
    QCOMPARE(
        driver.summary(id).reason ? QString::fromStdString(std::string{word(*driver.summary(id).reason)}) : QString{"succeeded"}, expected);
    QVERIFY(driver.finishedAt(id) == at(std::chrono::seconds{finishedAt}));
}

void TestEngineMetadata::aPolicyReplacedBeforeTheStartEndsNothing()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const auto scope = driver.scope();
    const Call call = callOf(plainPolicy(), scope);
    Execution execution{call, {1, 1, 1}, driver.environment()};
    const Step early = execution.next(Driver::nowAt(at(0s)), PolicyReplaced{replaced([](Policy &p) { p.attemptTimeout = 7s; })});
    QVERIFY(std::holds_alternative<WaitUntil>(early));
    const Step started = execution.next(Driver::nowAt(at(1s)), Start{});
    QVERIFY(std::get<Send>(started).deadline == at(8s));
}

void TestEngineMetadata::aRunningAttemptKeepsItsLimits()
{
    const FixedDraw draw{0.5};
    Driver driver{draw};
    // Started under 5 s in all; the new minute must not turn the cut at 5 s into an attempt timeout of 30 s.
    Policy policy = plainPolicy();
    policy.totalTimeout = 5s;
    const auto id = driver.start(0s, shared(callOf(policy, driver.scope())), inTurn({{}, fine}));
    driver.replacePolicy(2s, id, replaced([](Policy &p) { p.totalTimeout = 1min; }));
    driver.run();
    QVERIFY(driver.summary(id).reason == RefusalReason::Deadline);
    QVERIFY(driver.finishedAt(id) == at(5s));
}

QTEST_APPLESS_MAIN(TestEngineMetadata)
#include "tst_engine_metadata.moc"
