// SPDX-License-Identifier: Apache-2.0
#include "core/engine/breaker.h"

#include <QTest>

using namespace throttlescope;
using State = Breaker::State;
using Vote = Breaker::Vote;

namespace {

constexpr MonotonicTime at(Duration since)
{
    return MonotonicTime{since};
}

/// One result of an attempt that was admitted just before it.
struct Result {
    Duration when;
    Vote vote = Vote::Failure;
    bool throttled = false;
    std::optional<Duration> hint{};
};
using Results = std::vector<Result>;
constexpr Vote ok = Vote::Success, bad = Vote::Failure;

bool reject(Breaker &breaker, MonotonicTime now)
{
    breaker.refresh(now);
    return !breaker.allows({});
}

Breaker::Transition play(Breaker &breaker, const Result &result)
{
    breaker.refresh(at(result.when));
    const auto pass = breaker.admit(at(result.when), {});
    return pass ? breaker.record(at(result.when), *pass, result.vote, result.throttled, result.hint) : Breaker::Transition{};
}

BreakerSpec spec(Trip trip, OpenFor openFor = Duration{30s}, Probes probes = {})
{
    return {.trip = trip, .counts = BreakerCounts::Operations, .openFor = openFor, .probes = probes};
}

/// Open since 0 for 30 s, half-open at 30 s.
Breaker halfOpen(Probes probes)
{
    Breaker breaker{spec(TripConsecutive{1}, Duration{30s}, probes)};
    play(breaker, {0s});
    breaker.refresh(at(30s));
    return breaker;
}

} // namespace

Q_DECLARE_METATYPE(Trip)
Q_DECLARE_METATYPE(Results)

class TestBreaker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tripsAtTheLastResultOrNever_data();
    void tripsAtTheLastResultOrNever();
    void staysOpen_data();
    void staysOpen();
    void halfOpenClosesAfterItsProbes();
    void aFailedProbeOpensAgain();
    void onlySoManyProbesAtOnce();
    void anIgnoredProbeLosesItsLease();
    void aCancelledProbeCastsNoVote();
    void aProbeKeepsItsLeaseOverARetry();
    void aResultOfAnOlderGenerationIsDropped();
    void closingForgetsWhatWasCounted();
    void aBreakerThatIsTakenAwayLetsPass();
    void retuneKeepsOpenAndWindow();
    void noBreakerAllowsEverything();
};

void TestBreaker::tripsAtTheLastResultOrNever_data()
{
    QTest::addColumn<Trip>("trip");
    QTest::addColumn<Results>("results");
    QTest::addColumn<QString>("cause"); // empty: does not trip

    QTest::newRow("first_throttle trips on the first throttled one")
        << Trip{TripFirstThrottle{}} << Results{{0s, ok}, {1s, bad, true}} << "first_throttle";
    QTest::newRow("first_throttle does not trip on another failure") << Trip{TripFirstThrottle{}} << Results{{0s}, {1s}, {2s}} << "";
    QTest::newRow("consecutive trips on the third of 3") << Trip{TripConsecutive{3}} << Results{{0s}, {1s}, {2s}} << "consecutive";
    QTest::newRow("consecutive does not trip on 2 of 3") << Trip{TripConsecutive{3}} << Results{{0s}, {1s}} << "";
    QTest::newRow("a success starts the count again") << Trip{TripConsecutive{3}} << Results{{0s}, {1s}, {2s, ok}, {3s}, {4s}} << "";
    QTest::newRow("a success starts the count again, then 3")
        << Trip{TripConsecutive{3}} << Results{{0s}, {1s}, {2s, ok}, {3s}, {4s}, {5s}} << "consecutive";
    QTest::newRow("ratio waits for its minimum") << Trip{TripRatio{0.5, 30s, 4}} << Results{{0s}, {1s}, {2s}} << "";
    QTest::newRow("ratio trips at exactly half of 4") << Trip{TripRatio{0.5, 30s, 4}} << Results{{0s, ok}, {1s, ok}, {2s}, {3s}} << "ratio";
    QTest::newRow("ratio does not trip below half") << Trip{TripRatio{0.5, 30s, 4}} << Results{{0s, ok}, {1s, ok}, {2s, ok}, {3s}} << "";
    QTest::newRow("a result leaves the window after its length")
        << Trip{TripRatio{0.5, 30s, 4}} << Results{{0s}, {1s, ok}, {2s, ok}, {30s}} << "";
    QTest::newRow("a result is in the window up to its end")
        << Trip{TripRatio{0.5, 30s, 4}} << Results{{0s}, {1s, ok}, {2s, ok}, {29'999'999us}} << "ratio";
    QTest::newRow("a success does not trip a ratio of 0") << Trip{TripRatio{0, 30s, 1}} << Results{{0s, ok}} << "";
    QTest::newRow("a window of 0 holds nothing") << Trip{TripRatio{0.5, 0s, 1}} << Results{{0s}, {0s}} << "";
    QTest::newRow("a window without end does not overflow") << Trip{TripRatio{0.5, kMaxDuration, 2}} << Results{{1s}, {24h}} << "ratio";
    Results sevenOfHundred;
    for (int i = 0; i < 93; ++i)
        sevenOfHundred.push_back({1s, ok});
    for (int i = 0; i < 7; ++i)
        sevenOfHundred.push_back({1s, bad});
    QTest::newRow("7 of 100 are 7 %") << Trip{TripRatio{0.07, 30s, 100}} << sevenOfHundred << "ratio";
}

void TestBreaker::tripsAtTheLastResultOrNever()
{
    QFETCH(Trip, trip);
    QFETCH(Results, results);
    QFETCH(QString, cause);
    Breaker breaker{spec(trip)};
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto transition = play(breaker, results[i]);
        const auto *opened = std::get_if<Breaker::Opened>(&transition);
        const bool last = i + 1 == results.size();
        QCOMPARE(opened != nullptr, last && !cause.isEmpty());
        if (opened)
            QCOMPARE(QString::fromUtf8(opened->cause.data(), static_cast<qsizetype>(opened->cause.size())), cause);
    }
    QCOMPARE(breaker.state() == State::Open, !cause.isEmpty());
}

void TestBreaker::staysOpen_data()
{
    QTest::addColumn<int>("kind"); // 0: 5 s, 1: hint, 2: rest of run
    QTest::addColumn<qint64>("hint"); // seconds, -1: none
    QTest::addColumn<qint64>("seconds"); // -1: for ever
    QTest::newRow("for its duration, whatever the hint") << 0 << qint64{47} << qint64{5};
    QTest::newRow("for the hint") << 1 << qint64{47} << qint64{47};
    QTest::newRow("for 30 s where there is no hint") << 1 << qint64{-1} << qint64{30};
    QTest::newRow("for the rest of the run") << 2 << qint64{47} << qint64{-1};
}

void TestBreaker::staysOpen()
{
    QFETCH(int, kind);
    QFETCH(qint64, hint);
    QFETCH(qint64, seconds);
    const OpenFor openFor = kind == 0 ? OpenFor{Duration{5s}} : kind == 1 ? OpenFor{OpenForHint{}} : OpenFor{OpenForRestOfRun{}};
    Breaker breaker{spec(TripFirstThrottle{}, openFor)};
    play(breaker, {0s, bad, true, hint < 0 ? std::nullopt : std::optional<Duration>{std::chrono::seconds{hint}}});
    QVERIFY(breaker.state() == State::Open);
    QCOMPARE(breaker.openUntil().has_value(), seconds >= 0);
    if (seconds < 0) {
        QVERIFY(reject(breaker, at(10000h)));
        return;
    }
    const Duration until = std::chrono::seconds{seconds};
    QVERIFY(reject(breaker, at(until - 1us)));
    QVERIFY(!reject(breaker, at(until)));
    QVERIFY(breaker.state() == State::HalfOpen);
}

void TestBreaker::halfOpenClosesAfterItsProbes()
{
    Breaker breaker = halfOpen({2, 10s});
    const auto first = breaker.admit(at(30s), {});
    const auto second = breaker.admit(at(30s), {});
    QVERIFY(first && second && first->lease != 0 && first->lease != second->lease);
    QVERIFY(std::holds_alternative<std::monostate>(breaker.record(at(31s), *first, ok, false, {})));
    QVERIFY(std::holds_alternative<Breaker::Closed>(breaker.record(at(31s), *second, ok, false, {})));
    QVERIFY(breaker.state() == State::Closed);
}

void TestBreaker::aFailedProbeOpensAgain()
{
    Breaker breaker = halfOpen({1, 10s});
    const auto transition = breaker.record(at(31s), *breaker.admit(at(30s), {}), bad, false, {});
    const auto *opened = std::get_if<Breaker::Opened>(&transition);
    QVERIFY(opened && opened->cause == "probe" && opened->until == at(61s));
    QVERIFY(reject(breaker, at(60s)));
}

void TestBreaker::onlySoManyProbesAtOnce()
{
    Breaker breaker = halfOpen({2, 10s});
    QVERIFY(breaker.admit(at(30s), {}));
    QVERIFY(breaker.admit(at(30s), {}));
    QVERIFY(reject(breaker, at(30s)));
    QVERIFY(!breaker.admit(at(30s), {}));
}

void TestBreaker::anIgnoredProbeLosesItsLease()
{
    Breaker breaker = halfOpen({1, 10s});
    const auto ignored = breaker.admit(at(30s), {});
    QVERIFY(reject(breaker, at(39'999'999us)));
    QVERIFY(!reject(breaker, at(40s)));
    // Its late vote counts no more, neither way.
    QVERIFY(std::holds_alternative<std::monostate>(breaker.record(at(41s), *ignored, bad, false, {})));
    QVERIFY(std::holds_alternative<std::monostate>(breaker.record(at(41s), *ignored, ok, false, {})));
    QVERIFY(breaker.state() == State::HalfOpen);
    QVERIFY(std::holds_alternative<Breaker::Closed>(breaker.record(at(42s), *breaker.admit(at(41s), *ignored), ok, false, {})));
}

void TestBreaker::aCancelledProbeCastsNoVote()
{
    Breaker breaker = halfOpen({1, 10s});
    const auto cancelled = breaker.admit(at(30s), {});
    breaker.release(*cancelled);
    QVERIFY(breaker.state() == State::HalfOpen);
    QVERIFY(!reject(breaker, at(30s)));
    QVERIFY(breaker.admit(at(30s), {}));
}

void TestBreaker::aProbeKeepsItsLeaseOverARetry()
{
    Breaker breaker = halfOpen({1, 10s});
    const auto first = breaker.admit(at(30s), {});
    const auto again = breaker.admit(at(35s), *first);
    QVERIFY(again && again->lease == first->lease);
    QVERIFY(!breaker.admit(at(35s), {}));
}

void TestBreaker::aResultOfAnOlderGenerationIsDropped()
{
    Breaker breaker{spec(TripConsecutive{1})};
    const auto slow = breaker.admit(at(0s), {});
    const auto quick = breaker.admit(at(0s), {});
    QVERIFY(std::holds_alternative<Breaker::Opened>(breaker.record(at(1s), *quick, bad, false, {})));
    QVERIFY(std::holds_alternative<std::monostate>(breaker.record(at(2s), *slow, bad, false, {}))); // does not prolong it
    QVERIFY(breaker.openUntil() == at(31s));
    breaker.refresh(at(31s));
    QVERIFY(std::holds_alternative<std::monostate>(breaker.record(at(32s), *slow, ok, false, {}))); // nor close it
    QVERIFY(breaker.state() == State::HalfOpen);
}

void TestBreaker::closingForgetsWhatWasCounted()
{
    Breaker breaker{spec(TripRatio{0.5, 1h, 4}, Duration{30s})};
    for (int i = 0; i < 4; ++i)
        play(breaker, {0s});
    QVERIFY(breaker.state() == State::Open);
    play(breaker, {30s, ok});
    QVERIFY(breaker.state() == State::Closed);
    for (int i = 0; i < 3; ++i)
        play(breaker, {31s});
    QVERIFY(breaker.state() == State::Closed); // 3 of the minimum of 4
}

void TestBreaker::aBreakerThatIsTakenAwayLetsPass()
{
    Breaker breaker{spec(TripConsecutive{1}, OpenForRestOfRun{})};
    play(breaker, {0s});
    QVERIFY(reject(breaker, at(1s)));
    breaker.retune(std::nullopt);
    QVERIFY(!reject(breaker, at(1s)));
    QVERIFY(breaker.admit(at(1s), {}));
}

void TestBreaker::retuneKeepsOpenAndWindow()
{
    Breaker breaker{spec(TripRatio{0.5, 30s, 10})};
    for (int i = 0; i < 3; ++i)
        play(breaker, {0s});
    breaker.retune(spec(TripRatio{0.5, 30s, 4}));
    QVERIFY(std::holds_alternative<Breaker::Opened>(play(breaker, {1s}))); // the three earlier ones still count
    breaker.retune(spec(TripRatio{0.5, 30s, 4}, Duration{5s}));
    QVERIFY(breaker.openUntil() == at(31s)); // what is open stays so
}

void TestBreaker::noBreakerAllowsEverything()
{
    Breaker breaker{std::nullopt};
    for (int i = 0; i < 100; ++i)
        QVERIFY(std::holds_alternative<std::monostate>(play(breaker, {0s, bad, true})));
    QVERIFY(!reject(breaker, at(0s)));
}

QTEST_APPLESS_MAIN(TestBreaker)
#include "tst_breaker.moc"
