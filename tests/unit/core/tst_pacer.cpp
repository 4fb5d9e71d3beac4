// SPDX-License-Identifier: Apache-2.0
#include "core/engine/pacer.h"

#include <QTest>

using namespace throttlescope;

namespace {

constexpr MonotonicTime at(Duration since)
{
    return MonotonicTime{since};
}

PacerSpec perSecond(double requests)
{
    PacerSpec spec;
    spec.requestsPerSecond = Rate{requests, 1s};
    return spec;
}

PacerSpec concurrent(int count)
{
    PacerSpec spec;
    spec.concurrency = count;
    return spec;
}

} // namespace

class TestPacer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void startsAreSpacedByTheSlower_data();
    void startsAreSpacedByTheSlower();
    void idleTimeGivesNoBurst();
    void firstComeFirstServed();
    void onlyTheHeadHasATime();
    void aCancelledHeadWakesTheNext();
    void aCancelledWaiterReservesNothing();
    void aHeadWokenAndThenCancelledDoesNotLoseTheWake();
    void aFreedPlaceWakesTheHead();
    void aPlaceFreedBeforeTheSlotLeavesATime();
    void aFullPacerWakesNobody();
    void cooldownOnlyExtends();
    void cooldownCountsFromTheLater();
    void aProbePaysFromTheLaterOfSlotAndNow();
    void limitsOfQueueAndUnits();
    void retuneKeepsDebtsAndRespacesTheQueue();
    void retuneToMoreConcurrencyWakesTheHead();
    void retuneToLessConcurrencyWaitsForAll();
    void aPacerTakenAwayWakesTheHead();
    void hugeSpacingSaturates();
    void noPacerIsAlwaysFree();
};

void TestPacer::startsAreSpacedByTheSlower_data()
{
    QTest::addColumn<double>("requests"); // per second; 0: none
    QTest::addColumn<double>("units"); // per second; 0: none
    QTest::addColumn<quint64>("asked");
    QTest::addColumn<qint64>("spacing"); // microseconds
    QTest::newRow("requests only") << 2.0 << 0.0 << quint64{800} << qint64{500'000};
    QTest::newRow("units only") << 0.0 << 1000.0 << quint64{800} << qint64{800'000};
    QTest::newRow("units are slower") << 2.0 << 1000.0 << quint64{800} << qint64{800'000};
    QTest::newRow("requests are slower") << 2.0 << 1000.0 << quint64{100} << qint64{500'000};
    QTest::newRow("three a second round up") << 3.0 << 0.0 << quint64{1} << qint64{333'334};
    QTest::newRow("neither") << 0.0 << 0.0 << quint64{800} << qint64{0};
}

void TestPacer::startsAreSpacedByTheSlower()
{
    QFETCH(double, requests);
    QFETCH(double, units);
    QFETCH(quint64, asked);
    QFETCH(qint64, spacing);
    PacerSpec spec;
    if (requests > 0)
        spec.requestsPerSecond = Rate{requests, 1s};
    if (units > 0)
        spec.unitsPerSecond = Rate{units, 1s};
    WakeList wake;
    Pacer pacer{spec, wake};
    QVERIFY(pacer.freeAt(at(7s))); // the first starts at once
    pacer.started(at(7s), asked);
    const MonotonicTime next = at(7s + Duration{spacing});
    QVERIFY(pacer.freeAt(next));
    if (spacing > 0)
        QVERIFY(!pacer.freeAt(next - 1us));
    QVERIFY(pacer.earliestSlot(at(7s)) == next);
}

void TestPacer::idleTimeGivesNoBurst()
{
    WakeList wake;
    Pacer pacer{perSecond(2), wake};
    pacer.started(at(0s), 1);
    pacer.started(at(1h), 1);
    QVERIFY(!pacer.freeAt(at(1h)));
    QVERIFY(pacer.earliestSlot(at(1h)) == at(1h + 500ms));
}

void TestPacer::firstComeFirstServed()
{
    WakeList wake;
    Pacer pacer{perSecond(1), wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    const auto second = pacer.enter(12, 1);
    QVERIFY(pacer.earliestSlot(at(0s)) == at(3s)); // behind two
    QVERIFY(pacer.readyAt(first, at(1s)));
    QVERIFY(!pacer.readyAt(second, at(1h)));
    QVERIFY(!pacer.freeAt(at(1h))); // nobody overtakes the queue
    pacer.started(at(1s), 1);
    pacer.leave(first);
    QCOMPARE(wake, WakeList{12});
    QVERIFY(!pacer.readyAt(second, at(1'999'999us)));
    QVERIFY(pacer.readyAt(second, at(2s)));
}

void TestPacer::onlyTheHeadHasATime()
{
    WakeList wake;
    Pacer pacer{perSecond(1), wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    const auto second = pacer.enter(12, 1);
    QVERIFY(pacer.askAgainAt(first) == at(1s));
    QVERIFY(pacer.askAgainAt(second) == kNever);
}

void TestPacer::aCancelledHeadWakesTheNext()
{
    WakeList wake;
    Pacer pacer{perSecond(1), wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    const auto second = pacer.enter(12, 1);
    const auto third = pacer.enter(13, 1);
    pacer.leave(second); // in the middle: nobody has to know
    QVERIFY(wake.empty());
    pacer.leave(first);
    QCOMPARE(wake, WakeList{13});
    QVERIFY(pacer.askAgainAt(third) == at(1s));
    QCOMPARE(pacer.waiting(), std::uint64_t{1});
}

void TestPacer::aCancelledWaiterReservesNothing()
{
    WakeList wake;
    Pacer pacer{perSecond(1), wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    const auto second = pacer.enter(12, 1);
    QVERIFY(pacer.earliestSlot(at(0s)) == at(3s));
    pacer.leave(second);
    QVERIFY(pacer.earliestSlot(at(0s)) == at(2s));
    pacer.leave(first);
    QVERIFY(pacer.earliestSlot(at(0s)) == at(1s));
}

void TestPacer::aHeadWokenAndThenCancelledDoesNotLoseTheWake()
{
    WakeList wake;
    Pacer pacer{concurrent(1), wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    pacer.enter(12, 1);
    pacer.finished();
    QCOMPARE(wake, WakeList{11});
    pacer.leave(first); // before it could act on it
    QCOMPARE(wake, (WakeList{11, 12}));
}

void TestPacer::aFreedPlaceWakesTheHead()
{
    WakeList wake;
    Pacer pacer{concurrent(2), wake};
    pacer.started(at(0s), 1);
    pacer.started(at(0s), 1);
    QVERIFY(!pacer.freeAt(at(1s)));
    const auto first = pacer.enter(11, 1);
    QVERIFY(pacer.askAgainAt(first) == kNever);
    QVERIFY(!pacer.readyAt(first, at(1s)));
    pacer.finished();
    QCOMPARE(wake, WakeList{11});
    QVERIFY(pacer.readyAt(first, at(1s)));
    wake.clear();
    pacer.finished(); // it was not full: the head knows already
    QVERIFY(wake.empty());
}

void TestPacer::aPlaceFreedBeforeTheSlotLeavesATime()
{
    WakeList wake;
    PacerSpec spec = perSecond(1);
    spec.concurrency = 1;
    Pacer pacer{spec, wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    QVERIFY(pacer.askAgainAt(first) == kNever);
    pacer.finished();
    QCOMPARE(wake, WakeList{11});
    QVERIFY(!pacer.readyAt(first, at(200ms)));
    QVERIFY(pacer.askAgainAt(first) == at(1s));
}

void TestPacer::aFullPacerWakesNobody()
{
    WakeList wake;
    Pacer pacer{concurrent(1), wake};
    pacer.started(at(0s), 1);
    pacer.started(at(0s), 1); // a probe, whatever the pacer says; it counts
    pacer.enter(11, 1);
    pacer.finished();
    QVERIFY(wake.empty());
    pacer.finished();
    QCOMPARE(wake, WakeList{11});
}

void TestPacer::cooldownOnlyExtends()
{
    WakeList wake;
    Pacer pacer{perSecond(1), wake};
    pacer.extendCooldown(at(47s));
    pacer.extendCooldown(at(5s));
    QVERIFY(!pacer.freeAt(at(46'999'999us)));
    QVERIFY(pacer.freeAt(at(47s)));
    QVERIFY(pacer.coolingAt(at(46s)));
    QVERIFY(!pacer.coolingAt(at(47s)));
    const auto first = pacer.enter(11, 1);
    QVERIFY(pacer.askAgainAt(first) == at(47s));
    pacer.extendCooldown(at(50s)); // it sees it when it asks again
    QVERIFY(!pacer.readyAt(first, at(47s)));
    QVERIFY(pacer.askAgainAt(first) == at(50s));
}

void TestPacer::cooldownCountsFromTheLater()
{
    WakeList wake;
    Pacer pacer{perSecond(0.1), wake}; // 10 s
    pacer.started(at(0s), 1);
    pacer.extendCooldown(at(3s));
    QVERIFY(pacer.earliestSlot(at(0s)) == at(10s)); // not added to the slot
    QVERIFY(!pacer.coolingAt(at(1s))); // and not what holds it back
}

void TestPacer::aProbePaysFromTheLaterOfSlotAndNow()
{
    WakeList wake;
    Pacer pacer{perSecond(1), wake};
    pacer.started(at(0s), 1); // slot 1 s
    pacer.started(at(200ms), 1); // probe: max(1 s, 0.2 s) + 1 s
    QVERIFY(pacer.earliestSlot(at(200ms)) == at(2s));
    pacer.started(at(10s), 1); // probe: max(2 s, 10 s) + 1 s
    QVERIFY(pacer.earliestSlot(at(10s)) == at(11s));
    QCOMPARE(pacer.inFlight(), 3);
}

void TestPacer::limitsOfQueueAndUnits()
{
    WakeList wake;
    PacerSpec spec = perSecond(1);
    spec.maxWaiting = 1;
    spec.maxUnits = 8000;
    Pacer pacer{spec, wake};
    QVERIFY(!pacer.tooLarge(8000));
    QVERIFY(pacer.tooLarge(8001));
    QVERIFY(!pacer.queueFull());
    const auto first = pacer.enter(11, 1);
    QVERIFY(pacer.queueFull());
    pacer.leave(first);
    QVERIFY(!pacer.queueFull());
    spec.maxWaiting = 0;
    pacer.retune(spec);
    QVERIFY(pacer.queueFull());
}

void TestPacer::retuneKeepsDebtsAndRespacesTheQueue()
{
    WakeList wake;
    Pacer pacer{perSecond(1), wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    pacer.enter(12, 1);
    pacer.retune(perSecond(4));
    QCOMPARE(wake, WakeList{11});
    QVERIFY(pacer.askAgainAt(first) == at(1s)); // the debt stays
    QVERIFY(pacer.earliestSlot(at(0s)) == at(1s + 500ms)); // then two of 250 ms
    pacer.leave(first);
    QVERIFY(pacer.earliestSlot(at(0s)) == at(1s + 250ms));
}

void TestPacer::retuneToMoreConcurrencyWakesTheHead()
{
    WakeList wake;
    Pacer pacer{concurrent(1), wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    pacer.retune(concurrent(2));
    QCOMPARE(wake, WakeList{11});
    QVERIFY(pacer.readyAt(first, at(0s)));
}

void TestPacer::retuneToLessConcurrencyWaitsForAll()
{
    WakeList wake;
    Pacer pacer{concurrent(3), wake};
    for (int i = 0; i < 3; ++i)
        pacer.started(at(0s), 1);
    pacer.enter(11, 1);
    pacer.retune(concurrent(1));
    pacer.finished();
    pacer.finished();
    QVERIFY(wake.empty());
    pacer.finished();
    QCOMPARE(wake, WakeList{11});
}

void TestPacer::aPacerTakenAwayWakesTheHead()
{
    WakeList wake;
    Pacer pacer{concurrent(1), wake};
    pacer.started(at(0s), 1);
    const auto first = pacer.enter(11, 1);
    pacer.retune(std::nullopt);
    QCOMPARE(wake, WakeList{11});
    QVERIFY(pacer.readyAt(first, at(0s)));
}

void TestPacer::hugeSpacingSaturates()
{
    WakeList wake;
    PacerSpec spec;
    spec.unitsPerSecond = Rate{1e-6, 24h};
    Pacer pacer{spec, wake};
    const auto largest = std::numeric_limits<std::uint64_t>::max();
    pacer.started(at(1s), largest);
    QVERIFY(!pacer.freeAt(at(24h)));
    const auto first = pacer.enter(11, largest);
    const auto second = pacer.enter(12, largest);
    QVERIFY(pacer.earliestSlot(at(1s)) == kNever);
    pacer.leave(second);
    pacer.leave(first);
    pacer.retune(perSecond(1));
    WakeList other;
    Pacer fresh{spec, other};
    const auto a = fresh.enter(1, largest);
    const auto b = fresh.enter(2, largest);
    fresh.enter(3, 0);
    fresh.leave(a);
    QVERIFY(fresh.earliestSlot(at(1s)) == kNever); // b still waits
    fresh.leave(b);
    QVERIFY(fresh.earliestSlot(at(1s)) == at(1s)); // and nothing of it is left
}

void TestPacer::noPacerIsAlwaysFree()
{
    WakeList wake;
    Pacer pacer{std::nullopt, wake};
    for (int i = 0; i < 10; ++i) {
        QVERIFY(pacer.freeAt(at(0s)));
        pacer.started(at(0s), 1'000'000);
    }
    QVERIFY(!pacer.queueFull());
    QVERIFY(!pacer.tooLarge(std::numeric_limits<std::uint64_t>::max()));
    QVERIFY(!pacer.cooldownExtends());
}

QTEST_APPLESS_MAIN(TestPacer)
#include "tst_pacer.moc"
