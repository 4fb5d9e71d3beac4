// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"
#include "simulator/model/latency.h"

#include <cmath>

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

constexpr double kJustUnderOne = 1 - 0x1p-53;

Latency of(decltype(Latency::kind) kind)
{
    return {kind, {}};
}

} // namespace

class TestModelLatency : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theNormalQuantileAgreesWithTheTables_data();
    void theNormalQuantileAgreesWithTheTables();
    void theNormalQuantileInvertsTheErrorFunction();
    void quantiles_data();
    void quantiles();
    void everyRequestAtTheServerAdds();
    void aRefusalTakesTheLatency();
    void aFixedLatencyDrawsNothing();
};

void TestModelLatency::theNormalQuantileAgreesWithTheTables_data()
{
    QTest::addColumn<double>("u");
    QTest::addColumn<double>("z");
    // A quarter and a thousandth are check values that Wichura gives with the algorithm.
    QTest::newRow("a half is nought") << 0.5 << 0.0;
    QTest::newRow("the 99th percentile") << 0.99 << 2.3263478740408408;
    QTest::newRow("the 97.5th percentile") << 0.975 << 1.9599639845400545;
    QTest::newRow("AS 241: a quarter") << 0.25 << -0.6744897501960817;
    QTest::newRow("AS 241: a thousandth") << 0.001 << -3.0902323061678132;
    QTest::newRow("what is smaller than any draw is half the smallest step, 2^-54") << 1e-20 << -8.2923610758135951;
}

void TestModelLatency::theNormalQuantileAgreesWithTheTables()
{
    QFETCH(double, u);
    QFETCH(double, z);
    QVERIFY2(std::abs(model::normalQuantile(u) - z) <= 4e-15 * std::max(1.0, std::abs(z)),
        QByteArray::number(model::normalQuantile(u), 'g', 17));
}

void TestModelLatency::theNormalQuantileInvertsTheErrorFunction()
{
    for (int i = 1; i < 20000; ++i) {
        const double u = i / 20000.0;
        const double back = std::erfc(-model::normalQuantile(u) / std::sqrt(2.0)) / 2;
        QVERIFY(std::abs(back - u) <= 1e-15 + 8e-16 * u);
    }
    for (double u = 0.25; u > 0x1p-53; u /= 1.5)
        QVERIFY(std::abs(std::erfc(-model::normalQuantile(u) / std::sqrt(2.0)) / 2 / u - 1) < 1e-13);
}

void TestModelLatency::quantiles_data()
{
    QTest::addColumn<Latency>("latency");
    QTest::addColumn<double>("u");
    QTest::addColumn<Duration>("expected");
    const auto row
        = [](const char *name, const Latency &latency, double u, Duration expected) { QTest::newRow(name) << latency << u << expected; };
    row("fixed is fixed", of(FixedLatency{120ms}), 0.9, 120ms);
    row("uniform: 0 is the least", of(UniformLatency{10ms, 30ms}), 0, 10ms);
    row("uniform: a half is the middle", of(UniformLatency{10ms, 30ms}), 0.5, 20ms);
    row("uniform: just under 1 is the most", of(UniformLatency{10ms, 30ms}), kJustUnderOne, 30ms);
    row("normal: a half is the mean", of(NormalLatency{100ms, 20ms}), 0.5, 100ms);
    row("normal: 97.5 % is 1.96 deviations above", of(NormalLatency{100ms, 20ms}), 0.975, 139'199us);
    row("normal: 0 is not below nought", of(NormalLatency{100ms, 20ms}), 0, 0us);
    row("normal: just under 1 is 8.2 deviations above", of(NormalLatency{100ms, 20ms}), kJustUnderOne, 264'191us);
    row("normal: no deviation", of(NormalLatency{100ms, 0ms}), 0.99, 100ms);
    row("lognormal: a half is the median", of(LognormalLatency{80ms, 400ms}), 0.5, 80ms);
    row("lognormal: 99 % is the p99", of(LognormalLatency{80ms, 400ms}), 0.99, 400ms);
    row("lognormal: 1 % is as far below as 99 % is above", of(LognormalLatency{80ms, 400ms}), 0.01, 16ms);
    row("lognormal: median and p99 alike", of(LognormalLatency{80ms, 80ms}), 0.7, 80ms);
    row("lognormal: a median of nought", of(LognormalLatency{0ms, 80ms}), 0.7, 0ms);
    row("exponential: 0 is nought", of(ExponentialLatency{100ms}), 0, 0ms);
    row("exponential: a half is ln 2 of the mean", of(ExponentialLatency{100ms}), 0.5, 69'315us);
    row("exponential: just under 1 is 53 ln 2 of the mean", of(ExponentialLatency{100ms}), kJustUnderOne, 3'673'680us);
}

void TestModelLatency::quantiles()
{
    QFETCH(Latency, latency);
    QFETCH(double, u);
    QFETCH(Duration, expected);
    auto server = serverWith({});
    server.latency = latency;
    Bench bench{server};
    bench.draw.values[Stream::Latency] = u;
    QCOMPARE(bench.visit(0s).serverTime.count(), expected.count());
}

void TestModelLatency::everyRequestAtTheServerAdds()
{
    auto server = serverWith({});
    server.latency = {FixedLatency{100ms}, 10ms};
    Bench bench{server};
    QCOMPARE(bench.ask(0s).serverTime, Duration{100ms});
    const auto first = bench.answer;
    QCOMPARE(bench.ask(0s).serverTime, Duration{110ms});
    QCOMPARE(bench.ask(0s).serverTime, Duration{120ms});
    bench.model.finished(at(100ms), {}, first);
    QCOMPARE(bench.ask(100ms).serverTime, Duration{120ms});
}

void TestModelLatency::aRefusalTakesTheLatency()
{
    auto server = serverWith({calendarLimit("minute", 1, 60s)});
    server.latency.kind = FixedLatency{120ms};
    Bench bench{server};
    bench.visit(0s);
    QVERIFY(!bench.visit(0s).admitted);
    QCOMPARE(bench.answer.serverTime, Duration{120ms});
}

void TestModelLatency::aFixedLatencyDrawsNothing()
{
    Bench bench{serverWith({})};
    bench.visit(0s);
    QVERIFY(bench.draw.asked.empty());
}

QTEST_APPLESS_MAIN(TestModelLatency)
#include "tst_model_latency.moc"
