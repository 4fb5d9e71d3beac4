// SPDX-License-Identifier: Apache-2.0
#include "core/engine/backoff.h"
#include "core/engine/budget.h"

#include <QTest>

#include <cmath>

using namespace throttlescope;

namespace {

constexpr MonotonicTime at(Duration since)
{
    return MonotonicTime{since};
}

/// What the AWS vectors script: attempt by attempt, quota left and delay.
struct AwsClient {
    Budget &budget;
    Backoff backoff;
    int maxAttempts = 3;
    std::optional<double> paid{};
    std::vector<std::pair<double, Duration>> steps{};
    std::string end{};

    void run(const std::vector<Family> &answers)
    {
        Budget::Reservation reservation;
        BackoffMemory memory;
        int attempt = 0;
        for (const Family family : answers) {
            budget.attemptStarted({}, ++attempt > 1);
            if (attempt > 1)
                paid = reservation.paid;
            budget.attemptFinished(reservation);
            if (family == Family::Success) {
                budget.succeeded(paid);
                end = "success";
                return;
            }
            if (attempt >= maxAttempts) {
                end = "attempts exhausted";
                return;
            }
            const auto reserved = budget.reserve({}, budget.cost(family, false));
            if (!reserved) {
                end = "quota exceeded";
                return;
            }
            reservation = *reserved;
            steps.emplace_back(*budget.available({}), jitteredBackoff(backoff, attempt, std::nextafter(1.0, 0.0), memory));
        }
    }
};

using Answers = std::vector<Family>;
using Steps = std::vector<std::pair<double, Duration>>;
constexpr Family A = Family::Ambiguous, S = Family::Success, T = Family::RateLimited;

} // namespace

Q_DECLARE_METATYPE(Answers)
Q_DECLARE_METATYPE(Steps)
Q_DECLARE_METATYPE(TokenBucketBudget)

class TestBudget : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void awsQuotaAndDelays_data();
    void awsQuotaAndDelays();
    void twoAwsCallsShareTokens();
    void costFollowsTheOutcome();
    void aCleanSuccessAddsOneUpToCapacity();
    void aReservationIsReturnedOnce();
    void ratioInMemoryForgets();
    void ratioInMemoryReturnsItsOwnEntry();
    void ratioInFlightCountsWhatRuns();
    void memoryWithoutEndDoesNotOverflow();
    void noBudgetAllowsEverything();
    void retuneKeepsTokensUpToTheNewCapacity();
    void retuneKeepsRetriesInFlightTrue();
    void retuneNeverTurnsRatioRetriesIntoTokens();
};

void TestBudget::awsQuotaAndDelays_data()
{
    QTest::addColumn<TokenBucketBudget>("bucket");
    QTest::addColumn<double>("base"); // seconds
    QTest::addColumn<int>("attempts");
    QTest::addColumn<double>("cap");
    QTest::addColumn<Answers>("answers");
    QTest::addColumn<Steps>("steps");
    QTest::addColumn<QString>("end");
    QTest::addColumn<double>("left");

    const auto older
        = [](double tokens) { return TokenBucketBudget{.capacity = tokens, .cost = 5, .timeoutCost = 10, .throttleCost = {}}; };
    const auto newer
        = [](double tokens) { return TokenBucketBudget{.capacity = tokens, .cost = 14, .timeoutCost = 14, .throttleCost = 5}; };
    QTest::newRow("earlier: two failures, then success")
        << older(500) << 1.0 << 3 << 20.0 << Answers{A, A, S} << Steps{{495, 1s}, {490, 2s}} << "success" << 495.0;
    QTest::newRow("earlier: three failures") << older(500) << 1.0 << 3 << 20.0 << Answers{A, A, A} << Steps{{495, 1s}, {490, 2s}}
                                             << "attempts exhausted" << 490.0;
    QTest::newRow("earlier: 5 tokens") << older(5) << 1.0 << 3 << 20.0 << Answers{A, A} << Steps{{0, 1s}} << "quota exceeded" << 0.0;
    QTest::newRow("earlier: no token") << older(0) << 1.0 << 3 << 20.0 << Answers{A} << Steps{} << "quota exceeded" << 0.0;
    QTest::newRow("earlier: five attempts") << older(500) << 1.0 << 5 << 20.0 << Answers{A, A, A, A, A}
                                            << Steps{{495, 1s}, {490, 2s}, {485, 4s}, {480, 8s}} << "attempts exhausted" << 480.0;
    QTest::newRow("earlier: cap 3 s") << older(500) << 1.0 << 5 << 3.0 << Answers{A, A, A, A, A}
                                      << Steps{{495, 1s}, {490, 2s}, {485, 3s}, {480, 3s}} << "attempts exhausted" << 480.0;
    QTest::newRow("2026: two failures, then success")
        << newer(500) << .05 << 3 << 20.0 << Answers{A, A, S} << Steps{{486, 50ms}, {472, 100ms}} << "success" << 486.0;
    QTest::newRow("2026: three failures") << newer(500) << .05 << 3 << 20.0 << Answers{A, A, A} << Steps{{486, 50ms}, {472, 100ms}}
                                          << "attempts exhausted" << 472.0;
    QTest::newRow("2026: 14 tokens") << newer(14) << .05 << 3 << 20.0 << Answers{A, A} << Steps{{0, 50ms}} << "quota exceeded" << 0.0;
    QTest::newRow("2026: 20 tokens") << newer(20) << .05 << 3 << 20.0 << Answers{A, A} << Steps{{6, 50ms}} << "quota exceeded" << 6.0;
    QTest::newRow("2026: no token") << newer(0) << .05 << 3 << 20.0 << Answers{A} << Steps{} << "quota exceeded" << 0.0;
    QTest::newRow("2026: five attempts") << newer(500) << .05 << 5 << 20.0 << Answers{A, A, A, A, A}
                                         << Steps{{486, 50ms}, {472, 100ms}, {458, 200ms}, {444, 400ms}} << "attempts exhausted" << 444.0;
    QTest::newRow("2026: cap .2 s") << newer(500) << .05 << 5 << .2 << Answers{A, A, A, A, A}
                                    << Steps{{486, 50ms}, {472, 100ms}, {458, 200ms}, {444, 200ms}} << "attempts exhausted" << 444.0;
    QTest::newRow("2026: a throttling error, 1 s base")
        << newer(500) << 1.0 << 3 << 20.0 << Answers{T, S} << Steps{{495, 1s}} << "success" << 500.0;
}

void TestBudget::awsQuotaAndDelays()
{
    QFETCH(TokenBucketBudget, bucket);
    QFETCH(double, base);
    QFETCH(int, attempts);
    QFETCH(double, cap);
    QFETCH(Answers, answers);
    QFETCH(Steps, steps);
    QFETCH(QString, end);
    QFETCH(double, left);
    Budget budget{bucket};
    AwsClient client{
        budget, {.base = durationFromSeconds(base), .factor = 2, .max = durationFromSeconds(cap), .jitter = FullJitter{}}, attempts};
    client.run(answers);
    QVERIFY(client.steps == steps);
    QCOMPARE(QString::fromStdString(client.end), end);
    QCOMPARE(*budget.available({}), left);
}

void TestBudget::twoAwsCallsShareTokens()
{
    // 30 tokens, two calls sharing them: 16, 2, success 16; then 2, success 16.
    Budget budget{TokenBucketBudget{.capacity = 30, .cost = 14, .timeoutCost = 14, .throttleCost = 5}};
    AwsClient first{budget, {.base = 50ms, .max = 20s, .jitter = FullJitter{}}};
    first.run({A, A, S});
    QVERIFY(first.steps == (Steps{{16, 50ms}, {2, 100ms}}));
    QCOMPARE(*budget.available({}), 16.0);
    AwsClient second{budget, {.base = 50ms, .max = 20s, .jitter = FullJitter{}}};
    second.run({A, S});
    QVERIFY(second.steps == (Steps{{2, 50ms}}));
    QCOMPARE(*budget.available({}), 16.0);
}

void TestBudget::costFollowsTheOutcome()
{
    const Budget bucket{TokenBucketBudget{.capacity = 500, .cost = 5, .timeoutCost = 10, .throttleCost = {}}};
    QCOMPARE(bucket.cost(Family::Ambiguous, false), 5.0);
    QCOMPARE(bucket.cost(Family::Transport, false), 5.0);
    QCOMPARE(bucket.cost(Family::Transport, true), 10.0);
    QCOMPARE(bucket.cost(Family::RateLimited, false), 5.0);
    const Budget throttle{TokenBucketBudget{.capacity = 500, .cost = 14, .timeoutCost = 10, .throttleCost = 3}};
    QCOMPARE(throttle.cost(Family::RateLimited, false), 3.0);
    QCOMPARE(throttle.cost(Family::Interrupted, false), 14.0);
    QCOMPARE(Budget{RatioBudget{}}.cost(Family::RateLimited, false), 1.0);
}

void TestBudget::aCleanSuccessAddsOneUpToCapacity()
{
    Budget budget{TokenBucketBudget{.capacity = 10}};
    QVERIFY(budget.reserve({}, 5));
    budget.succeeded(std::nullopt);
    QCOMPARE(*budget.available({}), 6.0);
    for (int i = 0; i < 9; ++i)
        budget.succeeded(std::nullopt);
    QCOMPARE(*budget.available({}), 10.0);
}

void TestBudget::aReservationIsReturnedOnce()
{
    Budget budget{TokenBucketBudget{.capacity = 20, .cost = 5}};
    auto reservation = *budget.reserve({}, 5);
    auto other = *budget.reserve({}, 5);
    QCOMPARE(*budget.available({}), 10.0);
    budget.release(reservation);
    budget.release(reservation);
    QCOMPARE(*budget.available({}), 15.0);
    budget.attemptStarted({}, true);
    budget.attemptFinished(other); // ran: stays paid
    budget.release(other);
    QCOMPARE(*budget.available({}), 15.0);
}

void TestBudget::ratioInMemoryForgets()
{
    // 20 % of the requests of the last 10 s, and 0.1/s × 10 s = 1 besides.
    Budget budget{RatioBudget{.fraction = 0.2, .minPerSecond = 0.1, .minInFlight = {}, .memory = 10s}};
    Budget::Reservation none;
    for (int i = 0; i < 5; ++i) {
        budget.attemptStarted(at(0s), false);
        budget.attemptFinished(none);
    }
    QCOMPARE(*budget.available(at(0s)), 2.0);
    QVERIFY(budget.reserve(at(1s), 1));
    QVERIFY(budget.reserve(at(1s), 1));
    QVERIFY(!budget.reserve(at(1s), 1));
    QCOMPARE(*budget.available(at(9'999'999us)), 0.0);
    QCOMPARE(*budget.available(at(10s)), -1.0); // the requests are forgotten, the retries not yet
    QCOMPARE(*budget.available(at(11s)), 1.0);
}

void TestBudget::ratioInMemoryReturnsItsOwnEntry()
{
    Budget budget{RatioBudget{.fraction = 0, .minPerSecond = 0.2, .minInFlight = {}, .memory = 10s}}; // 2 in 10 s
    auto early = *budget.reserve(at(0s), 1);
    QVERIFY(budget.reserve(at(9s), 1));
    QCOMPARE(*budget.available(at(10s)), 1.0); // the early one is forgotten
    budget.release(early);
    QCOMPARE(*budget.available(at(10s)), 1.0); // and must not take the late one's place
    auto third = *budget.reserve(at(10s), 1);
    QCOMPARE(*budget.available(at(10s)), 0.0);
    budget.release(third);
    QCOMPARE(*budget.available(at(10s)), 1.0);
}

void TestBudget::ratioInFlightCountsWhatRuns()
{
    Budget budget{RatioBudget{.fraction = 0.2, .minPerSecond = {}, .minInFlight = 3, .memory = 10s}};
    std::vector<Budget::Reservation> reservations;
    for (int i = 0; i < 3; ++i)
        reservations.push_back(*budget.reserve({}, 1));
    QVERIFY(!budget.reserve({}, 1)); // the minimum of 3 is out
    for (int i = 0; i < 20; ++i)
        budget.attemptStarted({}, false);
    QVERIFY(budget.reserve({}, 1)); // 20 % of 20 is 4
    QVERIFY(!budget.reserve({}, 1));
    budget.attemptStarted({}, true);
    budget.attemptFinished(reservations[0]);
    QVERIFY(budget.reserve({}, 1)); // one ended
    budget.release(reservations[1]);
    QVERIFY(budget.reserve({}, 1)); // one never started
}

void TestBudget::memoryWithoutEndDoesNotOverflow()
{
    Budget budget{RatioBudget{.fraction = 1, .minPerSecond = {}, .minInFlight = {}, .memory = kMaxDuration}};
    budget.attemptStarted(at(1s), false);
    QCOMPARE(*budget.available(at(24h)), 1.0);
}

void TestBudget::noBudgetAllowsEverything()
{
    Budget budget{std::nullopt};
    QVERIFY(!budget.available({}));
    auto reservation = budget.reserve({}, 5);
    QVERIFY(reservation);
    budget.release(*reservation);
    budget.succeeded(std::nullopt);
    QVERIFY(!budget.available({}));
}

void TestBudget::retuneKeepsTokensUpToTheNewCapacity()
{
    Budget budget{TokenBucketBudget{.capacity = 500, .cost = 5}};
    auto reservation = *budget.reserve({}, 100);
    budget.retune(TokenBucketBudget{.capacity = 1000, .cost = 5});
    QCOMPARE(*budget.available({}), 400.0);
    budget.retune(TokenBucketBudget{.capacity = 50, .cost = 5});
    QCOMPARE(*budget.available({}), 50.0);
    budget.release(reservation);
    QCOMPARE(*budget.available({}), 50.0); // never above capacity
}

void TestBudget::retuneKeepsRetriesInFlightTrue()
{
    Budget budget{TokenBucketBudget{.capacity = 500, .cost = 5}};
    auto reservation = *budget.reserve({}, 5);
    budget.retune(RatioBudget{.fraction = 0, .minPerSecond = {}, .minInFlight = 2, .memory = 10s});
    QCOMPARE(*budget.available({}), 1.0); // the retry that waits is one of the two
    budget.release(reservation);
    QCOMPARE(*budget.available({}), 2.0);
    auto second = *budget.reserve({}, 1);
    budget.retune(std::nullopt);
    budget.attemptStarted({}, true);
    budget.attemptFinished(second);
    budget.retune(RatioBudget{.fraction = 0, .minPerSecond = {}, .minInFlight = 2, .memory = 10s});
    QCOMPARE(*budget.available({}), 2.0);
}

void TestBudget::retuneNeverTurnsRatioRetriesIntoTokens()
{
    Budget budget{TokenBucketBudget{.capacity = 10, .cost = 5}};
    QVERIFY(budget.reserve({}, 5));
    budget.retune(RatioBudget{.fraction = 1, .minPerSecond = 10, .minInFlight = {}, .memory = 10s});
    auto retry = *budget.reserve({}, 1);
    budget.retune(TokenBucketBudget{.capacity = 10, .cost = 5});
    const double before = *budget.available({});
    budget.release(retry);
    QCOMPARE(*budget.available({}), before);
}

QTEST_APPLESS_MAIN(TestBudget)
#include "tst_budget.moc"
