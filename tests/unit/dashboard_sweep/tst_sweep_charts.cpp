// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/sweep/sweep_charts.h"
#include "app/dashboard/sweep/sweep_moves.h"
#include "tests/unit/dashboard_sweep/sweep_support.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

using Texts = std::vector<std::string>;

Texts textsOf(const std::vector<Tick> &ticks)
{
    Texts texts;
    for (const Tick &tick : ticks)
        texts.push_back(tick.text);
    return texts;
}

SweepAxis axisOf(const char *vary)
{
    return resultOf(headerOf({vary}), {}).axes.front();
}

/// Two knobs, point by point: the last axis moves first.
SweepResult grid()
{
    return resultOf(headerOf({"p.a=1s..3s:3", "p.b=x,y"}), {{4, 0, 10, 1}, {6, 0, 11, 2}, {8, 0, 12, 3}, {10, 0, 13, 4}, {12, 0, 14, 5}});
}

} // namespace

class TestSweepCharts final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ticksAreRoundAndInOneUnit_data()
    {
        QTest::addColumn<QByteArray>("vary");
        QTest::addColumn<Texts>("texts");
        QTest::newRow("seconds stay seconds") << QByteArray{"p.a=5s..120s:24"} << Texts{"20s", "40s", "60s", "80s", "100s", "120s"};
        QTest::newRow("minutes") << QByteArray{"p.a=1m..12m:100"} << Texts{"2m", "4m", "6m", "8m", "10m", "12m"};
        QTest::newRow("a logarithmic scale has decades")
            << QByteArray{"p.a=1s..100s:20:log"} << Texts{"1s", "2s", "5s", "10s", "20s", "50s", "100s"};
        QTest::newRow("a few values are ticks themselves, to three digits")
            << QByteArray{"p.a=5s..30s:3:log"} << Texts{"5s", "12.2s", "30s"}; // √(5 · 30) = 12.247
        QTest::newRow("words stand for themselves") << QByteArray{"p.a=exact,at_least,ignore"} << Texts{"exact", "at_least", "ignore"};
        QTest::newRow("numbers") << QByteArray{"p.a=0..80:17"} << Texts{"0", "10", "20", "30", "40", "50", "60", "70", "80"};
    }
    void ticksAreRoundAndInOneUnit()
    {
        QFETCH(QByteArray, vary);
        QFETCH(Texts, texts);
        QCOMPARE(textsOf(axisTicks(axisOf(vary.constData()))), texts);
    }

    void valuesBeginAtZero()
    {
        QCOMPARE(valueRange(212, "attempts").most, 250.0);
        QCOMPARE(textsOf(valueTicks(valueRange(212, "attempts"), "attempts")), (Texts{"0", "50", "100", "150", "200", "250"}));
        QCOMPARE(textsOf(valueTicks(valueRange(351.1, "finish"), "finish")), (Texts{"0s", "2m", "4m", "6m"}));
        QCOMPARE(textsOf(valueTicks(valueRange(0, "wait_exceeded"), "wait_exceeded")), (Texts{"0", "1"})); // of nothing
        QCOMPARE(textsOf(valueTicks(valueRange(1, "herd"), "herd")), (Texts{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
    }

    void scalesAreLinearOrLogarithmicAsTheyWereSwept()
    {
        QCOMPARE(axisRange(axisOf("p.a=1s..100s:20")).shareOf(50.5), 0.5);
        QCOMPARE(axisRange(axisOf("p.a=1s..100s:20:log")).shareOf(10), 0.5);
        QCOMPARE(axisRange(axisOf("p.a=exact,at_least,ignore")).shareOf(1), 0.5); // the second of three
    }

    /// Nearest rank of five: 50 % is the third, 5 % the first, 95 % the fifth.
    void aCurveHasTheBandOfItsSeeds()
    {
        const SweepResult result = resultOf(
            headerOf({"p.a=10s..20s:2"}, 5), {{9, 1, 20, 5}, {7, 1, 20, 3}, {8, 1, 20, 4}, {5, 1, 20, 1}, {6, 1, 20, 2}, {3, 0, 1, 1}});
        const SweepCurve succeeded = sweepCurve(result, 0);
        QVERIFY(succeeded.isSpread);
        QCOMPARE(succeeded.points.size(), 2U);
        QCOMPARE(succeeded.points[0].at, 10.0);
        QCOMPARE(succeeded.points[0].spread.median, 7.0);
        QCOMPARE(succeeded.points[0].spread.low, 5.0);
        QCOMPARE(succeeded.points[0].spread.high, 9.0);
        QCOMPARE(succeeded.points[0].spread.worst, 5.0);
        QCOMPARE(sweepCurve(result, 3).points[0].spread.worst, 5.0); // the latest finish
        QVERIFY(!sweepCurve(result, 1).isSpread);
    }

    void listedValuesAreDrawnInOrder()
    {
        const SweepResult result = resultOf(headerOf({"p.a=30s,1m,500ms"}), {{1, 0, 0, 0}, {2, 0, 0, 0}, {3, 0, 0, 0}});
        const SweepCurve curve = sweepCurve(result, 0);
        QCOMPARE(curve.points[0].at, 0.5);
        QCOMPARE(curve.points[0].point, 2U);
        QCOMPARE(curve.points[2].at, 60.0);
    }

    void aMapHasACellAPointAndAPlaceForWhatIsToCome()
    {
        const HeatMap map = heatMap(grid(), 0, 0, 1, {});
        QCOMPARE(map.columns, 3U);
        QCOMPARE(map.rows, 2U);
        QCOMPARE(map.least, 4.0);
        QCOMPARE(map.most, 12.0);
        QCOMPARE(map.at(0, 0).value, 4.0);
        QCOMPARE(map.at(0, 1).value, 6.0);
        QCOMPARE(map.at(1, 0).shade, 0.5); // 8 of 4 to 12
        QCOMPARE(map.at(2, 0).shade, 1.0);
        QVERIFY(map.at(1, 0).failed && !map.at(1, 1).failed);
        QVERIFY(!map.at(2, 1).point);
    }

    void aMapOfThreeKnobsIsCutThroughTheChosenPoint()
    {
        std::vector<std::vector<double>> values;
        for (int run = 0; run < 8; ++run)
            values.push_back({static_cast<double>(run), 0, 0, 0});
        const SweepResult result = resultOf(headerOf({"p.a=1s,2s", "p.b=1s,2s", "p.c=1s,2s"}), values);
        QCOMPARE(heatMap(result, 0, 0, 1, {}).at(1, 1).value, 6.0); // a 2s, b 2s, c 1s is run 6
        QCOMPARE(heatMap(result, 0, 0, 1, 7).at(1, 1).value, 7.0);
        QCOMPARE(heatMap(result, 0, 0, 2, 2).at(0, 1).value, 3.0); // b 2s
    }

    void whatIsBestIsDrawnLast()
    {
        // 0 is beaten by 1 in all three; 1 finishes first, 2 has most successes.
        const SweepResult result = resultOf(headerOf({"p.a=1s,2s,3s"}), {{5, 0, 30, 9}, {6, 0, 10, 4}, {9, 0, 20, 8}});
        const ParetoChart chart = paretoChart(result);
        QCOMPARE(chart.dots.size(), 3U);
        QCOMPARE(chart.dots[0].point, 0U);
        QVERIFY(!chart.dots[0].inSet && chart.dots[1].inSet && chart.dots[2].inSet);
        QCOMPARE(chart.dots[0].size, 1.0); // 30 of 10 to 30 attempts
        QCOMPARE(chart.dots[1].size, 0.0);
        QCOMPARE(chart.dots[2].size, 0.5);
    }

    void withoutItsMetricsThereIsNoParetoChart()
    {
        SweepHeader header = headerOf({"p.a=1s,2s"});
        header.metrics = {"finish"};
        QVERIFY(paretoChart(resultOf(header, {{1}, {2}})).dots.empty());
    }

    void arrowsGoFromPointToPoint()
    {
        const SweepResult line = resultOf(headerOf({"p.a=3s,1s,2s"}), {{1, 0, 0, 3}, {2, 0, 0, 2}, {3, 0, 0, 1}});
        QCOMPARE(alongAxis(line, {}, 1), PointChoice{1}); // 1s
        QCOMPARE(alongAxis(line, 1, 1), PointChoice{2});
        QCOMPARE(alongAxis(line, 0, 1), PointChoice{0}); // the end
        QCOMPARE(byFinish(line, 2, 1), PointChoice{1});
        QCOMPARE(inMap(grid(), {}, 0, 1, 1, 0), PointChoice{0});
        QCOMPARE(inMap(grid(), 0, 0, 1, 1, 0), PointChoice{2});
        QCOMPARE(inMap(grid(), 2, 0, 1, 0, 1), PointChoice{3});
        QCOMPARE(inMap(grid(), 3, 0, 1, 1, 0), PointChoice{3}); // that one has not run yet
        QCOMPARE(alongAxis(resultOf(headerOf({"p.a=1s,2s"}), {}), {}, 1), PointChoice{});
    }
};

QTEST_APPLESS_MAIN(TestSweepCharts)
#include "tst_sweep_charts.moc"
