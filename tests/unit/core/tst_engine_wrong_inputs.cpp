// SPDX-License-Identifier: Apache-2.0
#include "one_call.h"

#include <QTest>

#include <ctime>

using namespace throttlescope;
using namespace throttlescope::testing;

namespace {

struct Expected {
    std::vector<Duration> delays;
    std::string end = "succeeded";
};

Policy with(const std::function<void(Policy &)> &change)
{
    Policy policy = plainPolicy();
    change(policy);
    return policy;
}

Policy maxWait(Duration most)
{
    return with([most](Policy &policy) { policy.rateLimit.maxWait = most; });
}

Policy zeroHint(ZeroHint meaning)
{
    return with([meaning](Policy &policy) { policy.rateLimit.zeroHint = meaning; });
}

Outcome resets(const std::string &reset)
{
    return answer(429, {{"X-RateLimit-Limit", "10"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", reset}});
}

/// The wall clock of the scripted driver at t = 0 is epoch second 1,780,000,000: Thu, 28 May 2026 20:26:40 GMT.
constexpr auto kIn47Seconds = "Thu, 28 May 2026 20:27:27 GMT";
constexpr auto k47SecondsAgo = "Thu, 28 May 2026 20:25:53 GMT";

} // namespace

Q_DECLARE_METATYPE(Policy)
Q_DECLARE_METATYPE(Outcome)
Q_DECLARE_METATYPE(Expected)

/// Inputs that other engines get wrong, by their numbers in the shared vectors. Those about something else than one call are
/// elsewhere: 8 in tst_breaker (anIgnoredProbeLosesItsLease, aCancelledProbeCastsNoVote) and tst_engine_shared
/// (aCancelledProbeLetsTheNextProbe); 10 and 11 in tst_backoff (rows "at the cap …", "plus_minus larger than the delay …");
/// 13 in tst_engine_shared (aRetryWaitsFirstAndThenTakesItsSlot), tst_pacer and tst_budget (retune…); 14 in tst_engine_time
/// (aCancelledAttemptKeepsItsPacing, aCancelledWaiterLetsTheNextMoveUp); 15 in tests/unit/net, where the peer counts.
class TestEngineWrongInputs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneWrongInput_data();
    void oneWrongInput();
    void aDateIsReadInGmtWhereverTheMachineIs_data();
    void aDateIsReadInGmtWhereverTheMachineIs();
    void attempt1024IsStillTheCap();
    void atTheCapClientsAreStillSpread();
};

void TestEngineWrongInputs::oneWrongInput_data()
{
    QTest::addColumn<Policy>("policy");
    QTest::addColumn<Outcome>("wrong");
    QTest::addColumn<Expected>("expected");
    const auto row = [](const char *name, const Policy &policy, const Outcome &wrong, const Expected &expected) {
        QTest::newRow(name) << policy << wrong << expected;
    };
    row("1: 3600 over a cap of 10 s is refused", maxWait(10s), throttled("3600"), {{}, "wait_exceeded"});
    row("2: 9223372037 saturates and is refused", plainPolicy(), throttled("9223372037"), {{}, "wait_exceeded"});
    row("2: and nothing bursts where the cap is as long as it can be", with([](Policy &p) {
        p.rateLimit.maxWait = kMaxDuration;
        p.totalTimeout = 1h;
    }),
        throttled("9223372036854775807"), {{}, "deadline"});
    row("3: 86400 in a budget of 2 minutes is refused at once", with([](Policy &p) {
        p.rateLimit.maxWait = 48h;
        p.totalTimeout = 2min;
    }),
        throttled("86400"), {{}, "deadline"});
    row("4: 1 with an own minimum of 10 s and at_least waits 10", with([](Policy &p) {
        p.backoff.base = 10s;
        p.rateLimit.hint = HintAtLeast{};
    }),
        throttled("1"), {{10s}});
    row("5: 0.503 is 503 ms", plainPolicy(), throttled("0.503"), {{503ms}});
    row("5: 1m0s is a minute", plainPolicy(), throttled("1m0s"), {{1min}});
    row("5: 500ms is no 500 s", plainPolicy(), throttled("500ms"), {{500ms}});
    row("5: what cannot be read is the own backoff", plainPolicy(), throttled("soon"), {{1s}});
    row("6: 0, retry_now", zeroHint(ZeroHint::RetryNow), throttled("0"), {{0s}});
    row("6: 0, refuse", zeroHint(ZeroHint::Refuse), throttled("0"), {{}, "zero_hint"});
    row("6: 0, as_no_hint", zeroHint(ZeroHint::AsNoHint), throttled("0"), {{1s}});
    row("11: jitter of three times the delay is never negative", with([](Policy &p) { p.backoff.jitter = PlusMinusJitter{3}; }),
        throttled(), {{0s}});
    row("12: epoch milliseconds", plainPolicy(), resets("1780000047000"), {{47s}});
    row("12: epoch seconds", plainPolicy(), resets("1780000047"), {{47s}});
    row("12: a past epoch is 0", plainPolicy(), resets("1779999953"), {{0s}});
}

void TestEngineWrongInputs::oneWrongInput()
{
    QFETCH(Policy, policy);
    QFETCH(Outcome, wrong);
    QFETCH(Expected, expected);
    const FixedDraw draw{0};
    const Played played = Caller{policy, draw}.call({{wrong}, {answer(200)}});
    QCOMPARE(played.end, expected.end);
    QVERIFY(played.delays == expected.delays);
    QCOMPARE(played.attempts, static_cast<int>(expected.delays.size()) + 1);
    if (expected.delays.empty())
        QVERIFY(played.took == 0s);
}

void TestEngineWrongInputs::aDateIsReadInGmtWhereverTheMachineIs_data()
{
    QTest::addColumn<QByteArray>("zone");
    for (const char *zone : {"UTC", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati"})
        QTest::newRow(zone) << QByteArray{zone};
}

void TestEngineWrongInputs::aDateIsReadInGmtWhereverTheMachineIs()
{
    QFETCH(QByteArray, zone);
    qputenv("TZ", zone);
    tzset();
    const FixedDraw draw{0};
    const Played ahead = Caller{plainPolicy(), draw}.call({{throttled(kIn47Seconds)}, {answer(200)}});
    const Played past = Caller{plainPolicy(), draw}.call({{throttled(k47SecondsAgo)}, {answer(200)}});
    qunsetenv("TZ");
    tzset();
    QVERIFY(ahead.delays == std::vector<Duration>{47s});
    QVERIFY(past.delays == std::vector<Duration>{0s});
}

void TestEngineWrongInputs::attempt1024IsStillTheCap()
{
    const Policy policy = with([](Policy &p) {
        p.maxAttempts = 1100;
        p.backoff = {.kind = BackoffKind::Exponential, .base = 1s, .factor = 2, .max = 30s, .jitter = NoJitter{}};
    });
    const FixedDraw draw{0.5};
    const Played played = Caller{policy, draw}.call({{answer(503)}});
    QCOMPARE(played.delays.size(), std::size_t{1099});
    QVERIFY(std::all_of(played.delays.begin() + 5, played.delays.end(), [](Duration delay) { return delay == 30s; })); // 2⁵ > 30
}

void TestEngineWrongInputs::atTheCapClientsAreStillSpread()
{
    const Policy policy = with([](Policy &p) {
        p.maxAttempts = 12;
        p.backoff = {.kind = BackoffKind::Exponential, .base = 1s, .factor = 2, .max = 8s, .jitter = PlusMinusJitter{0.25}};
    });
    for (const auto &[draw, expected] : {std::pair{0.0, Duration{6s}}, {0.5, 7s}, {kJustUnderOne, 8s}}) { // [6, 8]: cut, then drawn
        const FixedDraw fixed{draw};
        QVERIFY(Caller(policy, fixed).call({{answer(503)}}).delays.back() == expected);
    }
}

QTEST_APPLESS_MAIN(TestEngineWrongInputs)
#include "tst_engine_wrong_inputs.moc"
