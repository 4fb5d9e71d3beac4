// SPDX-License-Identifier: Apache-2.0
#include "scripted_driver.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;

namespace {

/// One failed attempt (or several) and what becomes of it.
struct Given {
    Policy policy = plainPolicy();
    ReplayRule replay = ReplayRule::Safe;
    std::vector<Scripted> answers;
    ScopeSpec scope{};
    bool streaming = false;
    bool bodyReplayable = true;
};

Given given(std::vector<Scripted> answers, const std::function<void(Policy &)> &change = {}, ReplayRule replay = ReplayRule::Safe)
{
    Given g{.replay = replay, .answers = std::move(answers)};
    if (change)
        change(g.policy);
    return g;
}

Outcome handedOn(std::uint64_t bytes)
{
    return Response{.status = 200, .headers = {}, .body = "half", .bodyComplete = false, .bytesHandedOn = bytes};
}

Outcome emptyWindow()
{
    return answer(429, {{"Retry-After", "4"}, {"x-ratelimit-limit-day", "10"}, {"x-ratelimit-remaining-day", "0"}});
}

} // namespace

Q_DECLARE_METATYPE(Given)

class TestEngineRefusals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itEndsWith_data();
    void itEndsWith();
    void eventsComeInOrder_data();
    void eventsComeInOrder();
};

/// `expected`: "succeeded", or the reason of the refusal; `attempts` sent.
void TestEngineRefusals::itEndsWith_data()
{
    QTest::addColumn<Given>("g");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<int>("attempts");
    const auto row
        = [](const char *name, const Given &g, const char *expected, int attempts) { QTest::newRow(name) << g << expected << attempts; };
    const Scripted fine{answer(200)};
    const auto off = [](Policy &p) { p.retry = false; };
    const auto onlyRateLimited = [](Policy &p) { p.retryOn = {true, false, false, false}; };
    const auto once = [](Policy &p) { p.maxAttempts = 1; };
    const auto maxWait = [](Duration d) { return [d](Policy &p) { p.rateLimit.maxWait = d; }; };

    row("a success is a success", given({fine}), "succeeded", 1);
    row("retry: off refuses a 429", given({{throttled()}, fine}, off), "retry_off", 1);
    row("retry: off is judged before the replay rule", given({{throttled()}, fine}, off, ReplayRule::Never), "retry_off", 1);
    row("a permanent answer is not_selected", given({{answer(404)}, fine}), "not_selected", 1);
    row("a permanent answer is not_selected also under retry: off", given({{answer(404)}, fine}, off), "not_selected", 1);
    row("a permanent answer is not_selected also under never", given({{answer(404)}, fine}, {}, ReplayRule::Never), "not_selected", 1);
    row("never refuses a 429", given({{throttled()}, fine}, {}, ReplayRule::Never), "not_replayable", 1);
    row("never refuses a lost connection", given({{lost()}, fine}, {}, ReplayRule::Never), "not_replayable", 1);
    row("limited replays a 429", given({{throttled()}, fine}, {}, ReplayRule::Limited), "succeeded", 2);
    row("limited refuses a 502", given({{answer(502)}, fine}, {}, ReplayRule::Limited), "not_replayable", 1);
    row("limited refuses an attempt timeout", given({{}, fine}, {}, ReplayRule::Limited), "not_replayable", 1);
    row("limited refuses an interrupted body", given({{handedOn(0)}, fine}, {}, ReplayRule::Limited), "not_replayable", 1);
    row("limited replays a 503 that is listed",
        given(
            {{answer(503)}, fine},
            [](Policy &p) {
                p.rateLimit.statuses = {429, 503};
            },
            ReplayRule::Limited),
        "succeeded", 2);
    row("safe replays a 502", given({{answer(502)}, fine}), "succeeded", 2);
    row("safe replays a lost connection", given({{lost()}, fine}), "succeeded", 2);
    row("safe replays an attempt timeout", given({{}, fine}), "succeeded", 2);
    row("safe replays an interrupted body", given({{handedOn(0)}, fine}), "succeeded", 2);
    row("retry_on takes away what it does not list", given({{answer(502)}, fine}, onlyRateLimited), "not_selected", 1);
    row("not_replayable is judged before not_selected", given({{answer(502)}, fine}, onlyRateLimited, ReplayRule::Limited),
        "not_replayable", 1);
    Given stream = given({{handedOn(1)}, fine});
    row("a body that nobody streams may break", stream, "succeeded", 2);
    stream.streaming = true;
    row("a stream of which a byte was handed on is not replayed", stream, "streaming_started", 1);
    stream.answers = {{handedOn(0)}, fine};
    row("a stream that broke before its first byte is replayed", stream, "succeeded", 2);
    stream.answers = {{throttled()}, fine};
    row("a stream whose opening is a 429 is replayed", stream, "succeeded", 2);
    stream.answers = {{handedOn(1)}, fine};
    stream.policy.maxAttempts = 1;
    row("streaming_started is judged before attempts_exhausted", stream, "streaming_started", 1);

    row("four attempts by default", given({{answer(503)}}), "attempts_exhausted", 4);
    row("one attempt ends in attempts_exhausted", given({{throttled("1")}}, once), "attempts_exhausted", 1);
    row("the final attempt does not judge max_wait", given({{throttled("3600")}}, once), "attempts_exhausted", 1);
    row("the final attempt runs no extractor",
        given({{answer(429, {}, R"({"retry_after": "soon"})")}},
            [](Policy &p) {
                p.maxAttempts = 1;
                p.rateLimit.extractor = JsonPointerExtractor{"/retry_after"};
            }),
        "attempts_exhausted", 1);
    row("an extractor that is not believed",
        given({{answer(429, {{"Retry-After", "1"}}, R"({"retry_after": "soon"})")}, fine},
            [](Policy &p) { p.rateLimit.extractor = JsonPointerExtractor{"/retry_after"}; }),
        "extraction_failed", 1);
    row("an extractor that finds nothing is no hint",
        given({{answer(429, {{"Retry-After", "3600"}}, R"({})")}, fine},
            [](Policy &p) { p.rateLimit.extractor = JsonPointerExtractor{"/retry_after"}; }),
        "succeeded", 2);
    row("an extractor does not concern a 503",
        given({{answer(503, {{"Retry-After", "1"}}, "soon")}, fine},
            [](Policy &p) { p.rateLimit.extractor = JsonPointerExtractor{"/retry_after"}; }),
        "succeeded", 2);
    row("zero_hint: refuse", given({{throttled("0")}, fine}, [](Policy &p) { p.rateLimit.zeroHint = ZeroHint::Refuse; }), "zero_hint", 1);
    row("zero_hint: retry_now", given({{throttled("0")}, fine}), "succeeded", 2);
    row("no_hint: refuse", given({{throttled()}, fine}, [](Policy &p) { p.rateLimit.noHint = NoHintRefuse{}; }), "no_hint", 1);
    row("an unreadable Retry-After is no hint", given({{throttled("soon")}, fine}, [](Policy &p) { p.rateLimit.noHint = NoHintRefuse{}; }),
        "no_hint", 1);
    row("two blind retries an operation",
        given({{throttled()}},
            [](Policy &p) {
                p.maxAttempts = 8;
                p.rateLimit.noHint = NoHintFixed{31s, 2};
            }),
        "no_hint", 3);
    row("two hinted retries an operation",
        given({{throttled("1")}},
            [](Policy &p) {
                p.maxAttempts = 8;
                p.rateLimit.maxHintedRetries = 2;
            }),
        "hints_exhausted", 3);
    row("a zero hint is obeyed too",
        given({{throttled("0")}},
            [](Policy &p) {
                p.maxAttempts = 8;
                p.rateLimit.maxHintedRetries = 2;
            }),
        "hints_exhausted", 3);
    row("a 503's hint is not counted", given({{answer(503, {{"Retry-After", "1"}})}}, [](Policy &p) { p.rateLimit.maxHintedRetries = 1; }),
        "attempts_exhausted", 4);
    row("an exhausted day", given({{emptyWindow()}, fine}, [](Policy &p) { p.rateLimit.refuseWhenExhausted = {WindowSpan::Day}; }),
        "window_exhausted", 1);
    row("an exhausted day that nobody asked about", given({{emptyWindow()}, fine}), "succeeded", 2);
    row("60 s are awaited", given({{throttled("60")}, fine}), "succeeded", 2);
    row("61 s are not", given({{throttled("61")}, fine}), "wait_exceeded", 1);
    row("Retry-After: 3600 at a cap of 10 s is refused, not cut", given({{throttled("3600")}, fine}, maxWait(10s)), "wait_exceeded", 1);
    row("Retry-After: 9223372037 saturates", given({{throttled("9223372037")}, fine}), "wait_exceeded", 1);
    row("Retry-After: 99999999999999999999 saturates", given({{throttled("99999999999999999999")}, fine}), "wait_exceeded", 1);
    row("a 503's hint is held against max_wait too", given({{answer(503, {{"Retry-After", "61"}})}, fine}), "wait_exceeded", 1);
    row("the backoff is held against max_wait too", given({{lost()}, fine}, maxWait(999'999us)), "wait_exceeded", 1);
    row("a backoff of exactly max_wait is awaited", given({{lost()}, fine}, maxWait(1s)), "succeeded", 2);
    row("clamp comes back early", given({{throttled("3600")}, fine}, [](Policy &p) { p.rateLimit.overMaxWait = OverMaxWait::Clamp; }),
        "succeeded", 2);
    row("a day's wait in a budget of minutes is refused at once",
        given({{throttled("86400")}, fine},
            [](Policy &p) {
                p.rateLimit.maxWait = 48h;
                p.totalTimeout = 5min;
            }),
        "deadline", 1);
    row("a retry that starts with the last moment still fits", given({{throttled("10")}, fine}, [](Policy &p) { p.totalTimeout = 10s; }),
        "succeeded", 2);
    row("a microsecond less does not", given({{throttled("10")}, fine}, [](Policy &p) { p.totalTimeout = 9'999'999us; }), "deadline", 1);
    row("padding must fit the time that is left",
        given({{throttled("10")}, fine},
            [](Policy &p) {
                p.totalTimeout = 10s;
                p.rateLimit.padding = {.add = 1us, .jitter = {}};
            }),
        "deadline", 1);
    row("padding is not held against max_wait",
        given({{throttled("60")}, fine}, [](Policy &p) { p.rateLimit.padding = {.add = 1s, .jitter = 2s}; }), "succeeded", 2);
    Given budget = given({{answer(503)}, fine});
    budget.scope.budget = TokenBucketBudget{.capacity = 4, .cost = 5};
    row("a budget without tokens", budget, "budget", 1);
    Given breaker = given({{throttled("1")}, fine});
    breaker.scope.breaker = BreakerSpec{.trip = TripFirstThrottle{}, .counts = BreakerCounts::Attempts, .openFor = OpenForRestOfRun{}};
    row("the own attempt trips the breaker before its decision", breaker, "breaker_open", 1);
    Given body = given({{throttled("1")}, fine});
    body.bodyReplayable = false;
    row("a one-shot body", body, "body_not_replayable", 1);
    body.policy.rateLimit.maxWait = 0s;
    row("wait_exceeded is judged before body_not_replayable", body, "wait_exceeded", 1);
}

void TestEngineRefusals::itEndsWith()
{
    QFETCH(Given, g);
    QFETCH(QString, expected);
    QFETCH(int, attempts);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Call call = callOf(g.policy, driver.scope(g.scope), g.replay);
    call.streaming = g.streaming;
    call.bodyReplayable = g.bodyReplayable;
    const auto id = driver.start(0s, shared(call), inTurn(g.answers));
    driver.run();
    QVERIFY(driver.finished(id));
    const Summary &summary = driver.summary(id);
    QCOMPARE(summary.attempts, attempts);
    QCOMPARE(driver.log().count<journal::AttemptStarted>(id), static_cast<std::size_t>(attempts));
    QCOMPARE(driver.log().count<journal::OperationFinished>(id), std::size_t{1});
    const auto refused = driver.log().all<journal::RetryRefused>(id);
    if (expected == "succeeded") {
        QVERIFY(summary.result == Result::Succeeded && !summary.reason);
        QVERIFY(refused.empty());
    } else {
        QVERIFY(summary.result == Result::Failed);
        QCOMPARE(QString::fromStdString(std::string{word(*summary.reason)}), expected);
        QCOMPARE(refused.size(), std::size_t{1});
        QVERIFY(refused[0].decision.refusal == summary.reason);
        QCOMPARE(driver.log().count<journal::RateLimitWaitExceeded>(id) == 1,
            expected == "wait_exceeded" && refused[0].decision.family == Family::RateLimited);
    }
}

void TestEngineRefusals::eventsComeInOrder_data()
{
    QTest::addColumn<Given>("g");
    QTest::addColumn<bool>("withFallback");
    QTest::addColumn<QString>("expected");
    const auto row
        = [](const char *name, const Given &g, bool fallback, const char *expected) { QTest::newRow(name) << g << fallback << expected; };
    const Scripted fine{answer(200)};
    row("a throttled attempt, then a success", given({{throttled("1")}, fine}), false,
        "operation.started attempt.started attempt.finished rate_limit.detected retry.scheduled attempt.started attempt.finished "
        "operation.finished");
    row("an ambiguous attempt is not detected", given({{answer(503)}, fine}), false,
        "operation.started attempt.started attempt.finished retry.scheduled attempt.started attempt.finished operation.finished");
    row("a wait exceeded, then the fallback", given({{throttled("61")}, fine}), true,
        "operation.started attempt.started attempt.finished rate_limit.detected rate_limit.wait_exceeded retry.refused{wait_exceeded} "
        "fallback.started attempt.started attempt.finished fallback.finished operation.finished");
    row("a 503's wait exceeded is refused alone", given({{answer(503, {{"Retry-After", "61"}})}}), false,
        "operation.started attempt.started attempt.finished retry.refused{wait_exceeded} operation.finished");
    row("a final attempt is detected and refused", given({{throttled("61")}}, [](Policy &p) { p.maxAttempts = 1; }), false,
        "operation.started attempt.started attempt.finished rate_limit.detected retry.refused{attempts_exhausted} operation.finished");
    row("a permanent answer has no fallback", given({{answer(404)}, fine}), true,
        "operation.started attempt.started attempt.finished retry.refused{not_selected} operation.finished");
    Given budget = given({{throttled("1")}});
    budget.scope.budget = TokenBucketBudget{.capacity = 0};
    row("an empty budget says so first", budget, false,
        "operation.started attempt.started attempt.finished rate_limit.detected budget.exhausted retry.refused{budget} operation.finished");
    Given breaker = given({{throttled("1")}});
    breaker.scope.breaker = BreakerSpec{.trip = TripFirstThrottle{}, .counts = BreakerCounts::Attempts};
    row("a breaker that counts attempts trips before the decision", breaker, false,
        "operation.started attempt.started attempt.finished rate_limit.detected breaker.opened retry.refused{breaker_open} "
        "operation.finished");
    breaker.scope.breaker->counts = BreakerCounts::Operations;
    breaker.policy.maxAttempts = 1;
    row("a breaker that counts operations trips before the fallback", breaker, true,
        "operation.started attempt.started attempt.finished rate_limit.detected retry.refused{attempts_exhausted} breaker.opened "
        "fallback.started attempt.started attempt.finished rate_limit.detected retry.refused{attempts_exhausted} fallback.finished "
        "operation.finished");
}

void TestEngineRefusals::eventsComeInOrder()
{
    QFETCH(Given, g);
    QFETCH(bool, withFallback);
    QFETCH(QString, expected);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    Call call = callOf(g.policy, driver.scope(g.scope), g.replay);
    if (withFallback) {
        Policy none = plainPolicy();
        none.maxAttempts = 1;
        call.fallback = shared(callOf(none, driver.scope()));
    }
    const auto id = driver.start(0s, shared(call), inTurn(g.answers));
    driver.run();
    QCOMPARE(QString::fromStdString(driver.log().names(id)), expected);
}

QTEST_APPLESS_MAIN(TestEngineRefusals)
#include "tst_engine_refusals.moc"
