// SPDX-License-Identifier: Apache-2.0
#include "core/engine/backoff.h"

#include <QTest>

#include <cmath>

using namespace throttlescope;

namespace {

const double kJustUnderOne = std::nextafter(1.0, 0.0);

Backoff exponential(Duration base, double factor, Duration max, Jitter jitter)
{
    return {.kind = BackoffKind::Exponential, .base = base, .factor = factor, .max = max, .first = {}, .sequence = {}, .jitter = jitter};
}

std::vector<Duration> waits(const Backoff &backoff, int retries, double draw)
{
    BackoffMemory memory;
    std::vector<Duration> result;
    for (int n = 1; n <= retries; ++n)
        result.push_back(jitteredBackoff(backoff, n, draw, memory));
    return result;
}

using Waits = std::vector<Duration>;

} // namespace

Q_DECLARE_METATYPE(Backoff)
Q_DECLARE_METATYPE(Waits)

/// The waits of AWS, Envoy and Polly are in tst_preset_vectors.
class TestBackoff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void waitsFollowTheKind_data();
    void waitsFollowTheKind();
    void jitterSpreadsOneWait_data();
    void jitterSpreadsOneWait();
    void neverNegativeAndNeverOverTheCap_data();
    void neverNegativeAndNeverOverTheCap();
    void decorrelatedGrowsFromItsLastWait();
    void firstIsKeptByJittersWithoutABase();
    void rateIntervalsRoundUp();
};

void TestBackoff::waitsFollowTheKind_data()
{
    QTest::addColumn<Backoff>("backoff");
    QTest::addColumn<double>("draw");
    QTest::addColumn<Waits>("expected");

    QTest::newRow("constant stays") << Backoff{.kind = BackoffKind::Constant, .base = 2s, .max = 30s, .jitter = NoJitter{}} << 0.5
                                    << Waits{2s, 2s, 2s};
    QTest::newRow("a constant above the cap is the cap")
        << Backoff{.kind = BackoffKind::Constant, .base = 2min, .max = 30s, .jitter = NoJitter{}} << 0.5 << Waits{30s, 30s};
    QTest::newRow("a sequence repeats its last")
        << Backoff{.kind = BackoffKind::Sequence, .max = 30s, .sequence = {1s, 2s, 4s}, .jitter = NoJitter{}} << 0.5
        << Waits{1s, 2s, 4s, 4s, 4s};
    QTest::newRow("an empty sequence waits nothing")
        << Backoff{.kind = BackoffKind::Sequence, .jitter = NoJitter{}} << 0.5 << Waits{0s, 0s};
    QTest::newRow("linear grows by its base") << Backoff{.kind = BackoffKind::Linear, .base = 2s, .max = 7s, .jitter = NoJitter{}} << 0.5
                                              << Waits{2s, 4s, 6s, 7s};
    QTest::newRow("exponential starts at its base")
        << exponential(500ms, 2, 30s, NoJitter{}) << 0.5 << Waits{500ms, 1s, 2s, 4s, 8s, 16s, 30s, 30s};
    QTest::newRow("a factor of 1.5 keeps its fractions")
        << exponential(500ms, 1.5, 30s, NoJitter{}) << 0.5 << Waits{500ms, 750ms, 1125ms, 1687500us, 2531250us};
    Backoff withFirst = exponential(1s, 2, 30s, NoJitter{});
    withFirst.first = 0s;
    QTest::newRow("first replaces n = 1 and n goes on") << withFirst << 0.5 << Waits{0s, 2s, 4s};
}

void TestBackoff::waitsFollowTheKind()
{
    QFETCH(Backoff, backoff);
    QFETCH(double, draw);
    QFETCH(Waits, expected);
    QVERIFY(waits(backoff, static_cast<int>(expected.size()), draw) == expected);
}

void TestBackoff::jitterSpreadsOneWait_data()
{
    QTest::addColumn<Backoff>("backoff");
    QTest::addColumn<int>("n");
    QTest::addColumn<double>("draw");
    QTest::addColumn<qint64>("expected"); // microseconds

    const auto row = [](const char *name, const Backoff &backoff, int n, double draw, Duration expected) {
        QTest::newRow(name) << backoff << n << draw << static_cast<qint64>(expected.count());
    };
    const auto constant = [](Jitter jitter) { return Backoff{.kind = BackoffKind::Constant, .base = 1s, .max = 30s, .jitter = jitter}; };
    const auto linear = [](Jitter jitter) { return Backoff{.kind = BackoffKind::Linear, .base = 1s, .max = 30s, .jitter = jitter}; };

    row("full, draw 0, waits nothing", constant(FullJitter{}), 1, 0, 0s);
    row("full, draw a half, waits the half", constant(FullJitter{}), 1, 0.5, 500ms);
    row("full, draw just under 1, waits it all", constant(FullJitter{}), 1, kJustUnderOne, 1s);
    row("equal, draw 0, keeps the half", constant(EqualJitter{}), 1, 0, 500ms);
    row("equal, draw a half, is at three quarters", constant(EqualJitter{}), 1, 0.5, 750ms);
    row("equal, draw just under 1, waits it all", constant(EqualJitter{}), 1, kJustUnderOne, 1s);
    row("additive, draw 0, is the delay", constant(AdditiveJitter{4s}), 1, 0, 1s);
    row("additive, draw a half", constant(AdditiveJitter{4s}), 1, 0.5, 3s);
    row("additive, draw just under 1", constant(AdditiveJitter{4s}), 1, kJustUnderOne, 5s);
    row("at the cap plus_minus ends at it, draw 0", exponential(1s, 2, 8s, PlusMinusJitter{0.25}), 9, 0, 6s);
    row("at the cap plus_minus is still spread, draw a half", exponential(1s, 2, 8s, PlusMinusJitter{0.25}), 9, 0.5, 7s);
    row("at the cap plus_minus holds the cap, draw just under 1", exponential(1s, 2, 8s, PlusMinusJitter{0.25}), 9, kJustUnderOne, 8s);
    row("at the cap additive is still spread, draw 0", exponential(1s, 2, 8s, AdditiveJitter{2s}), 9, 0, 6s);
    row("at the cap additive holds the cap, draw just under 1", exponential(1s, 2, 8s, AdditiveJitter{2s}), 9, kJustUnderOne, 8s);
    row("plus_minus larger than the delay starts at 0", constant(PlusMinusJitter{3}), 1, 0, 0s);
    row("plus_minus larger than the delay, draw a half", constant(PlusMinusJitter{3}), 1, 0.5, 2s);
    row("attempt 2,000 without jitter is the cap", exponential(500ms, 2, 30s, NoJitter{}), 2000, 0.5, 30s);
    row("attempt 2,000 with full jitter, draw a half", exponential(500ms, 2, 30s, FullJitter{}), 2000, 0.5, 15s);
    row("attempt 2,000 with equal jitter, draw 0", exponential(500ms, 2, 30s, EqualJitter{}), 2000, 0, 15s);
    row("attempt 2,000, linear", linear(NoJitter{}), 2000, 0.5, 30s);
    row("attempt 2,000, decorrelated_v2, is the cap", exponential(1s, 2, 30s, DecorrelatedV2Jitter{}), 2000, 0.5, 30s);
    row("the largest attempt number there is", exponential(500ms, 2, 30s, NoJitter{}), std::numeric_limits<int>::max(), 0.5, 30s);
    row("a base of 0 stays 0 however often", exponential(0s, 2, 30s, FullJitter{}), 2000, kJustUnderOne, 0s);
    row("a cap without end does not overflow", exponential(1s, 2, kMaxDuration, NoJitter{}), 2000, 0.5, kMaxDuration);
    row("additive without end does not overflow", exponential(1s, 2, kMaxDuration, AdditiveJitter{kMaxDuration}), 1, 0, 1s);
}

void TestBackoff::jitterSpreadsOneWait()
{
    QFETCH(Backoff, backoff);
    QFETCH(int, n);
    QFETCH(double, draw);
    QFETCH(qint64, expected);
    BackoffMemory memory;
    QCOMPARE(static_cast<qint64>(jitteredBackoff(backoff, n, draw, memory).count()), expected);
}

void TestBackoff::neverNegativeAndNeverOverTheCap_data()
{
    QTest::addColumn<int>("jitter");
    QTest::newRow("none") << 0;
    QTest::newRow("full") << 1;
    QTest::newRow("equal") << 2;
    QTest::newRow("decorrelated") << 3;
    QTest::newRow("decorrelated_v2") << 4;
    QTest::newRow("plus_minus") << 5;
    QTest::newRow("additive") << 6;
}

void TestBackoff::neverNegativeAndNeverOverTheCap()
{
    QFETCH(int, jitter);
    const std::vector<Jitter> jitters{
        NoJitter{}, FullJitter{}, EqualJitter{}, DecorrelatedJitter{}, DecorrelatedV2Jitter{}, PlusMinusJitter{4}, AdditiveJitter{1h}};
    for (const Duration base : {Duration{0s}, Duration{1us}, Duration{1s}, Duration{1h}, kMaxDuration}) {
        for (const Duration max : {Duration{0s}, Duration{1us}, Duration{20s}, kMaxDuration}) {
            for (const double draw : {0.0, 0.5, kJustUnderOne}) {
                const Backoff backoff = exponential(base, 3, max, jitters[static_cast<std::size_t>(jitter)]);
                BackoffMemory memory;
                for (const int n : {1, 2, 3, 10, 63, 64, 1023, 1024, 1025, 2000}) {
                    const Duration wait = jitteredBackoff(backoff, n, draw, memory);
                    QVERIFY2(wait >= Duration::zero() && wait <= max,
                        qPrintable(QString("base %1 max %2 draw %3 n %4: %5")
                                       .arg(base.count())
                                       .arg(max.count())
                                       .arg(draw)
                                       .arg(n)
                                       .arg(wait.count())));
                }
            }
        }
    }
}

void TestBackoff::decorrelatedGrowsFromItsLastWait()
{
    // min(cap, U(base, 3 × previous)), previous starts at base.
    const Backoff backoff = exponential(1s, 2, 20s, DecorrelatedJitter{});
    QVERIFY(waits(backoff, 4, 0) == (Waits{1s, 1s, 1s, 1s}));
    // ½: (1 + 3)/2 = 2, (1 + 6)/2 = 3.5, (1 + 10.5)/2 = 5.75
    QVERIFY(waits(backoff, 3, 0.5) == (Waits{2s, 3500ms, 5750ms}));
    // just under 1: 3, 9, then 27, cut after the draw
    QVERIFY(waits(backoff, 4, kJustUnderOne) == (Waits{3s, 9s, 20s, 20s}));
}

void TestBackoff::firstIsKeptByJittersWithoutABase()
{
    for (const Jitter &jitter : {Jitter{DecorrelatedJitter{}}, Jitter{DecorrelatedV2Jitter{}}}) {
        Backoff backoff = exponential(1s, 2, 20s, jitter);
        backoff.first = 250ms;
        QVERIFY(waits(backoff, 1, 0.5).front() == 250ms);
    }
}

void TestBackoff::rateIntervalsRoundUp()
{
    QVERIFY((Rate{20, 1min}.interval()) == 3s);
    QVERIFY((Rate{2, 1s}.interval()) == 500ms);
    QVERIFY((Rate{3, 1s}.interval()) == 333334us);
    QVERIFY((Rate{1000, 1s}.interval(800)) == 800ms);
    QVERIFY((Rate{1000, 1s}.interval(0)) == 0s);
    QVERIFY((Rate{1e-300, 24h}.interval(1e300)) == kMaxDuration);
}

QTEST_APPLESS_MAIN(TestBackoff)
#include "tst_backoff.moc"
