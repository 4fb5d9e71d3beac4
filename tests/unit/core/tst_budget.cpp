// SPDX-License-Identifier: Apache-2.0
#include "core/engine/budget.h"

#include <QTest>

using namespace throttlescope;

namespace {

constexpr MonotonicTime at(Duration since)
{
    return MonotonicTime{since};
}

} // namespace

/// The sequences of AWS and Envoy are in tst_preset_vectors.
class TestBudget : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
