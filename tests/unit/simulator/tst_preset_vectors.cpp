// SPDX-License-Identifier: Apache-2.0
#include "preset_policy.h"
#include "tests/unit/core/one_call.h"

#include <QTest>

#include <cmath>

using namespace throttlescope;
using namespace throttlescope::testing;

namespace {

std::vector<Scripted> statuses(const std::vector<int> &codes)
{
    std::vector<Scripted> answers;
    for (const int code : codes)
        answers.push_back({answer(code)});
    return answers;
}

const FixedDraw kRandOne{kJustUnderOne}; ///< "rand = 1" of the vectors: to the microsecond it is the same

struct Quota {
    const char *preset;
    int attempts = 3;
    double tokens = 500;
    Duration cap = 20s;
};
struct Step {
    double left;
    Duration delay;
};
struct Ended {
    std::vector<Step> steps;
    const char *end;
    double left;
};

/// One failure with that header, then success: the delay.
std::vector<Duration> delaysAfter(const Policy &policy, int status, Headers headers, const Draw &draw)
{
    Caller caller{policy, draw};
    return caller.call({{answer(status, std::move(headers))}, {answer(200)}}).delays;
}

} // namespace

Q_DECLARE_METATYPE(Quota)
Q_DECLARE_METATYPE(Ended)
Q_DECLARE_METATYPE(std::vector<int>)
Q_DECLARE_METATYPE(std::optional<Duration>)

/// Sequences of the engines that the presets stand for, as the shared vectors (retry-engines.md) have them. The execution is
/// driven whole: preset, scope, draws and answers go in, decisions come out.
class TestPresetVectors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void awsQuotaAndDelays_data();
    void awsQuotaAndDelays();
    void twoAwsCallsShareTheirTokens();
    void aTimeoutOfAwsCostsMore();
    void awsPureBackoff();
    void aHintIsReadAsTheEngineReadsIt_data();
    void aHintIsReadAsTheEngineReadsIt();
    void envoyTakesRandModInterval();
    void envoysBudgetIsOfWhatIsInFlight_data();
    void envoysBudgetIsOfWhatIsInFlight();
    void pollySpreadsItsDelay_data();
    void pollySpreadsItsDelay();
    void pollysDecorrelatedJitter();
    void ownWaitsOfTheOthers_data();
    void ownWaitsOfTheOthers();
};

void TestPresetVectors::awsQuotaAndDelays_data()
{
    QTest::addColumn<Quota>("quota");
    QTest::addColumn<std::vector<int>>("answers");
    QTest::addColumn<Ended>("expected");
    const auto row = [](const char *name, const Quota &quota, const std::vector<int> &answers, const Ended &expected) {
        QTest::newRow(name) << quota << answers << expected;
    };
    const std::vector<int> recovers{500, 500, 200}, down{502};
    constexpr auto exhausted = "attempts_exhausted", quota = "budget", success = "succeeded";

    constexpr auto older = "aws-standard";
    row("earlier: 500, 500, 200", {older}, recovers, {{{495, 1s}, {490, 2s}}, success, 495});
    row("earlier: 502 three times", {older}, down, {{{495, 1s}, {490, 2s}}, exhausted, 490});
    row("earlier: 5 tokens", {older, 3, 5}, down, {{{0, 1s}}, quota, 0});
    row("earlier: no tokens", {older, 3, 0}, down, {{}, quota, 0});
    row("earlier: 5 attempts", {older, 5}, down, {{{495, 1s}, {490, 2s}, {485, 4s}, {480, 8s}}, exhausted, 480});
    row("earlier: cap 3 s", {older, 5, 500, 3s}, down, {{{495, 1s}, {490, 2s}, {485, 3s}, {480, 3s}}, exhausted, 480});

    constexpr auto newer = "aws-standard-2026";
    row("2026: 500, 500, 200", {newer}, recovers, {{{486, 50ms}, {472, 100ms}}, success, 486});
    row("2026: 502 three times", {newer}, down, {{{486, 50ms}, {472, 100ms}}, exhausted, 472});
    row("2026: 14 tokens", {newer, 3, 14}, down, {{{0, 50ms}}, quota, 0});
    row("2026: 20 tokens", {newer, 3, 20}, down, {{{6, 50ms}}, quota, 6});
    row("2026: no tokens", {newer, 3, 0}, down, {{}, quota, 0});
    row("2026: 5 attempts", {newer, 5}, down, {{{486, 50ms}, {472, 100ms}, {458, 200ms}, {444, 400ms}}, exhausted, 444});
    row("2026: cap .2 s", {newer, 5, 500, 200ms}, down, {{{486, 50ms}, {472, 100ms}, {458, 200ms}, {444, 200ms}}, exhausted, 444});
    row("2026: a throttling error", {newer}, {429, 200}, {{{495, 1s}}, success, 500});
}

void TestPresetVectors::awsQuotaAndDelays()
{
    QFETCH(Quota, quota);
    QFETCH(std::vector<int>, answers);
    QFETCH(Ended, expected);
    Caller caller{preset(quota.preset,
                      [&quota](Policy &policy) {
                          policy.maxAttempts = quota.attempts;
                          policy.backoff.max = quota.cap;
                          std::get<TokenBucketBudget>(*policy.budget).capacity = quota.tokens;
                      }),
        kRandOne};
    const Played played = caller.call(statuses(answers));
    QCOMPARE(played.end, std::string{expected.end});
    QCOMPARE(played.delays.size(), expected.steps.size());
    for (std::size_t i = 0; i < expected.steps.size(); ++i) {
        QCOMPARE(played.tokens[i], expected.steps[i].left);
        QVERIFY(played.delays[i] == expected.steps[i].delay);
    }
    QCOMPARE(caller.tokens(), expected.left);
}

void TestPresetVectors::twoAwsCallsShareTheirTokens()
{
    Caller caller{preset("aws-standard-2026", [](Policy &policy) { std::get<TokenBucketBudget>(*policy.budget).capacity = 30; }), kRandOne};
    QVERIFY(caller.call(statuses({500, 500, 200})).tokens == (std::vector<double>{16, 2}));
    QCOMPARE(caller.tokens(), 16.0);
    QVERIFY(caller.call(statuses({500, 200})).tokens == std::vector<double>{2});
    QCOMPARE(caller.tokens(), 16.0);
}

void TestPresetVectors::aTimeoutOfAwsCostsMore()
{
    Caller caller{preset("aws-standard"), kRandOne};
    QVERIFY(caller.call({{lost(TransportFailureKind::AttemptTimeout)}, {answer(200)}}).tokens == std::vector<double>{490});
    QCOMPARE(caller.tokens(), 500.0);
}

void TestPresetVectors::awsPureBackoff()
{
    Caller caller{preset("aws-standard-2026",
                      [](Policy &policy) {
                          policy.maxAttempts = 12;
                          policy.budget.reset();
                      }),
        kRandOne};
    QVERIFY(caller.call(statuses({503})).delays
        == (std::vector<Duration>{50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 12800ms, 20s, 20s}));
}

/// The answer has that header, and its retry waits so long; nothing: it is refused.
void TestPresetVectors::aHintIsReadAsTheEngineReadsIt_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("header");
    QTest::addColumn<double>("draw");
    QTest::addColumn<std::optional<Duration>>("expected");
    const auto row = [](const char *name, int status, const char *header, double draw, std::optional<Duration> expected) {
        QTest::newRow(qPrintable(QString{"%1, %2, %3, rand %4"}.arg(name, QString::number(status), header).arg(draw)))
            << QString{name} << status << QString{header} << draw << expected;
    };
    constexpr auto newer = "aws-standard-2026";
    row(newer, 500, "x-amz-retry-after: 1500", kJustUnderOne, 1500ms);
    row(newer, 500, "x-amz-retry-after: 0", kJustUnderOne, 50ms);
    row(newer, 500, "x-amz-retry-after: 10000", kJustUnderOne, 5050ms);
    row(newer, 500, "x-amz-retry-after: invalid", kJustUnderOne, 50ms);
    row(newer, 500, "x-amz-retry-after: -100", kJustUnderOne, 50ms);
    row(newer, 429, "x-amz-retry-after: 10000", kJustUnderOne, 6s); // a throttle's own wait is 1 s
    row(newer, 429, "Retry-After: 4", kJustUnderOne, 1s);
    row("aws-standard", 500, "x-amz-retry-after: 1500", 0, 1500ms);
    row("aws-standard", 429, "x-amz-retry-after: 47000", 0, 20s);
    row("aws-standard", 429, "Retry-After: 47", kJustUnderOne, 1s);
    row("envoy", 429, "Retry-After: 40", 0, 40s);
    row("envoy", 429, "Retry-After: 40", 0.5, 50s);
    row("envoy", 503, "Retry-After: 40", kJustUnderOne, 60s);
    row("envoy", 429, "X-RateLimit-Reset: 1780000040", 0, 40s); // epoch second 1,780,000,000 is t = 0
    row("envoy", 429, "Retry-After: 300", 0, 300s);
    row("envoy", 429, "Retry-After: 301", 0, std::nullopt);
    row("polly", 429, "Retry-After: 3600", 0.5, 1h);
    row("polly", 503, "Retry-After: 8640000", 0.5, 24h * 100); // uncapped
    row("polly", 429, "Retry-After: 0", 0.5, 0s);
    row("resilience4j", 429, "Retry-After: 47", 0.5, 500ms);
    row("resilience4j", 503, "Retry-After: 47", 0.5, 500ms);
    row("urllib3", 413, "Retry-After: 3600", 0.5, 1h);
    row("urllib3", 503, "Retry-After: 86400", 0.5, 6h);
    row("urllib3", 429, "Retry-After: 0", 0.5, 0s); // as none: nothing before the first retry
    row("urllib3", 429, "retry-after-ms: 1500", 0.5, 0s); // it does not know that one
    row("curl", 429, "Retry-After: 47", 0.5, 47s);
    row("curl", 503, "Retry-After: 86400", 0.5, 6h);
    row("curl", 503, "Retry-After: 0", 0.5, 1s);
    row("undici", 429, "Retry-After: 47", 0.5, 30s); // early
    row("undici", 503, "Retry-After: 12", 0.5, 12s);
    row("undici", 503, "Retry-After: 0", 0.5, 500ms);
}

void TestPresetVectors::aHintIsReadAsTheEngineReadsIt()
{
    QFETCH(QString, name);
    QFETCH(int, status);
    QFETCH(QString, header);
    QFETCH(double, draw);
    QFETCH(std::optional<Duration>, expected);
    const FixedDraw fixed{draw};
    Headers headers{{header.section(": ", 0, 0).toStdString(), header.section(": ", 1).toStdString()}};
    if (header.startsWith("X-RateLimit"))
        headers.push_back({"X-RateLimit-Remaining", "0"});
    const auto delays = delaysAfter(preset(name.toStdString()), status, headers, fixed);
    QCOMPARE(delays.size(), std::size_t{expected ? 1U : 0U});
    QVERIFY2(!expected || delays.front() == *expected, durationText(delays.empty() ? Duration{} : delays.front()).c_str());
}

void TestPresetVectors::envoyTakesRandModInterval()
{
    /// The same integer every time, taken mod the interval, as the share of it that our draw is.
    class RandModInterval final : public Draw {
    public:
        double operator()(const DrawKey &key) const override
        {
            const int interval = std::min(25 << (key.attempt - 1), 250);
            return static_cast<double>(190 % interval) / interval; // 15 / 25, 40 / 50, 90 / 100
        }
    };
    const RandModInterval draw;
    Caller caller{preset("envoy", [](Policy &policy) { policy.maxAttempts = 4; }), draw};
    QVERIFY(caller.call(statuses({503})).delays == (std::vector<Duration>{15ms, 40ms, 90ms}));
}

void TestPresetVectors::envoysBudgetIsOfWhatIsInFlight_data()
{
    QTest::addColumn<int>("requests");
    QTest::addColumn<int>("retries");
    // All fail at one moment. When the kth is decided, n - k are in flight, and k - 1 retries are already promised:
    // it may be tried again while max(3, 20 % of n - k) ≥ k.
    QTest::newRow("of 5 the minimum of 3") << 5 << 3;
    QTest::newRow("of 40, 20 % of 34 are 6.8 and the sixth passes, 20 % of 33 are 6.6 and the seventh does not") << 40 << 6;
}

void TestPresetVectors::envoysBudgetIsOfWhatIsInFlight()
{
    QFETCH(int, requests);
    QFETCH(int, retries);
    const FixedDraw draw{0.5};
    Driver driver{draw};
    const Policy policy = preset("envoy");
    const auto call = shared(callOf(policy, driver.scope({policy.pacer, policy.breaker, policy.budget})));
    for (int i = 0; i < requests; ++i)
        driver.start(0s, call, inTurn({{answer(503), 1s}}));
    driver.run();
    QCOMPARE(driver.log().count<journal::RetryScheduled>(), static_cast<std::size_t>(retries));
    QCOMPARE(driver.log().count<journal::BudgetExhausted>(), static_cast<std::size_t>(requests - retries));
}

void TestPresetVectors::pollySpreadsItsDelay_data()
{
    QTest::addColumn<double>("rand");
    QTest::addColumn<double>("constant"); // 1 s, the first retry
    QTest::addColumn<double>("linear"); // 1 s, the third retry
    QTest::newRow("rand 0") << 0.0 << .75 << 2.25;
    QTest::newRow("rand .4") << .4 << .95 << 2.85;
    QTest::newRow("rand .6") << .6 << 1.05 << 3.15;
    QTest::newRow("rand 1") << kJustUnderOne << 1.25 << 3.75;
}

void TestPresetVectors::pollySpreadsItsDelay()
{
    QFETCH(double, rand);
    QFETCH(double, constant);
    QFETCH(double, linear);
    const FixedDraw draw{rand};
    const auto delays = [&draw](BackoffKind kind) {
        const Policy policy = preset(
            "polly", [kind](Policy &changed) { changed.backoff = {.kind = kind, .base = 1s, .max = 1h, .jitter = PlusMinusJitter{0.25}}; });
        return Caller{policy, draw}.call(statuses({503})).delays;
    };
    QCOMPARE(secondsOf(delays(BackoffKind::Constant).at(0)), constant);
    QCOMPARE(secondsOf(delays(BackoffKind::Linear).at(2)), linear);
}

void TestPresetVectors::pollysDecorrelatedJitter()
{
    const FixedDraw draw{0.5};
    const Policy policy = preset("polly", [](Policy &changed) {
        changed.backoff.base = 1s;
        changed.maxAttempts = 7;
    });
    const auto delays = Caller{policy, draw}.call(statuses({503})).delays;
    const std::vector<double> expected{.897405, 1.093004, 2.035748, 4.045979, 8.083632, 16.163663};
    QCOMPARE(delays.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY2(std::abs(secondsOf(delays[i]) - expected[i]) <= 1.01e-6, qPrintable(QString::number(secondsOf(delays[i]), 'g', 12)));
}

void TestPresetVectors::ownWaitsOfTheOthers_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("expected");
    QTest::newRow("resilience4j × 1.5, in the middle of ± 50 %") << "resilience4j"
                                                                 << "500ms 750ms";
    QTest::newRow("urllib3: 0, then 0.1 s × 2ⁿ up to 120 s") << "urllib3"
                                                             << "0s 200ms 400ms 800ms 1.6s 3.2s 6.4s 12.8s 25.6s 51.2s";
    QTest::newRow("curl doubles from 1 s") << "curl"
                                           << "1s 2s 4s";
    QTest::newRow("undici doubles from half a second") << "undici"
                                                       << "500ms 1s 2s 4s 8s";
}

void TestPresetVectors::ownWaitsOfTheOthers()
{
    QFETCH(QString, name);
    QFETCH(QString, expected);
    const FixedDraw draw{0.5};
    QStringList waits;
    for (const Duration delay : Caller{preset(name.toStdString()), draw}.call(statuses({503})).delays)
        waits << QString::fromStdString(durationText(delay));
    QCOMPARE(waits.join(' '), expected);
}

QTEST_APPLESS_MAIN(TestPresetVectors)
#include "tst_preset_vectors.moc"
