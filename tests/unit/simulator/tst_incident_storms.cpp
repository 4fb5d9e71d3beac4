// SPDX-License-Identifier: Apache-2.0
#include "incident_traffic.h"
#include "simulator/incident/storms.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::test;
using incident::LoggedAnswer;
using incident::Storm;
using incident::StormWatch;

namespace {

const WallTime kBegin = wall("2026-06-02T02:00:00Z");

/// Ten answers a second for `span`, of which a share are faults within [from, to).
struct Night {
    Duration span = 1h;
    Duration from{}, to{};
    std::map<int, double> faults; ///< by status
    double usual = 0.002; ///< of 503, at any time
    std::uint32_t server = 0;
};

void tell(StormWatch &watch, const Night &night, std::uint64_t seed = 1)
{
    Dice dice{seed};
    for (Duration at{}; at < night.span; at += 100ms) {
        double drawn = dice.unit();
        LoggedAnswer answer{kBegin + at, dice.chance(night.usual) ? 503 : 200, false, night.server, 0};
        for (const auto &[status, share] : night.faults) {
            if (at >= night.from && at < night.to && drawn >= 0 && drawn < share)
                answer.status = status;
            drawn -= share;
        }
        watch.take(answer);
    }
}

bool isNear(Duration a, Duration b, Duration by)
{
    return std::chrono::abs(a - b) <= by;
}

} // namespace

class TestIncidentStorms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStormIsFoundWithItsShares_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("seconds");
        QTest::addColumn<double>("share503");
        QTest::addColumn<double>("shareAborted");
        QTest::newRow("ninety seconds of 70 % 503") << 300 << 90 << 0.7 << 0.05;
        QTest::newRow("a whole outage, on the edge of a span") << 600 << 60 << 0.9 << 0.1;
        QTest::newRow("a short one, across spans") << 1234 << 17 << 0.5 << 0.0;
        QTest::newRow("a long one of one in five") << 1001 << 900 << 0.2 << 0.1;
    }
    void aStormIsFoundWithItsShares()
    {
        QFETCH(int, from);
        QFETCH(int, seconds);
        QFETCH(double, share503);
        QFETCH(double, shareAborted);
        StormWatch watch;
        Night night;
        night.from = std::chrono::seconds{from};
        night.to = night.from + std::chrono::seconds{seconds};
        night.faults = {{503, share503}, {Storm::kAborted, shareAborted}};
        tell(watch, night);
        const auto storms = watch.storms();
        QCOMPARE(storms.size(), std::size_t{1});
        QVERIFY(isNear(storms[0].begin - kBegin, night.from, 3s));
        QVERIFY(isNear(storms[0].span, night.to - night.from, 6s));
        QVERIFY(std::abs(storms[0].faults.at(503) - share503) < 0.1);
        QVERIFY(shareAborted == 0 || std::abs(storms[0].faults.at(Storm::kAborted) - shareAborted) < 0.04);
    }

    void aQuietNightHasNone()
    {
        StormWatch watch;
        Night night;
        night.usual = 0.01;
        tell(watch, night);
        QVERIFY(watch.storms().empty());
        QVERIFY(!watch.flood());
    }

    void whatAlwaysFailsIsNoStorm()
    {
        StormWatch watch;
        Night night;
        night.usual = 0.4;
        tell(watch, night);
        QVERIFY(watch.storms().empty());
    }

    void oneFailureOfOneRequestIsNoStorm()
    {
        StormWatch watch;
        for (int i = 0; i < 100; ++i)
            watch.take({kBegin + i * 10min, i == 50 ? 500 : 200, false, 0, 0});
        QVERIFY(watch.storms().empty());
    }

    void refusalsAreNoFaults()
    {
        StormWatch watch;
        tell(watch, {});
        for (int i = 0; i < 5000; ++i)
            watch.take({kBegin + 10min + i * 20ms, 503, true, 0, 0});
        QVERIFY(watch.storms().empty());
        QCOMPARE(watch.flood()->refusals, std::uint64_t{5000});
    }

    void serversHaveTheirOwnStorms()
    {
        StormWatch watch;
        Night first, second;
        first.from = 10min;
        first.to = 12min;
        first.faults = {{502, 0.6}};
        second.server = 7;
        second.from = 30min;
        second.to = 31min;
        second.faults = {{504, 0.9}};
        tell(watch, second, 2);
        tell(watch, first, 3);
        const auto storms = watch.storms();
        QCOMPARE(storms.size(), std::size_t{2});
        QCOMPARE(storms[0].server, std::uint32_t{0});
        QVERIFY(storms[0].faults.contains(502));
        QCOMPARE(storms[1].server, std::uint32_t{7});
        QVERIFY(storms[1].faults.contains(504));
    }

    void aLongLogIsCountedMoreCoarsely()
    {
        StormWatch watch;
        for (int i = 0; i < 400'000; ++i)
            watch.take({kBegin + i * 1min, i >= 200'000 && i < 200'120 ? 503 : 200, false, 0, 0});
        const auto storms = watch.storms();
        QCOMPARE(storms.size(), std::size_t{1});
        QCOMPARE(storms[0].begin, kBegin + 200'000 * 1min);
        QVERIFY(isNear(storms[0].span, 2h, 2min));
    }

    void theOrderHasNoSay()
    {
        std::vector<LoggedAnswer> answers;
        Dice dice{4};
        for (int i = 0; i < 20'000; ++i)
            answers.push_back({kBegin + i * 100ms, i > 5000 && i < 6000 && dice.chance(0.7) ? 503 : 200, i % 7 == 0, 0,
                static_cast<std::uint32_t>(i % 3)});
        StormWatch forwards, backwards;
        for (const LoggedAnswer &answer : answers)
            forwards.take(answer);
        std::reverse(answers.begin(), answers.end());
        for (const LoggedAnswer &answer : answers)
            backwards.take(answer);
        QVERIFY(!forwards.storms().empty());
        QVERIFY(forwards.storms() == backwards.storms());
        QVERIFY(forwards.flood() == backwards.flood());
    }

    void aFloodHasAnOnsetAPeakAndItsClients()
    {
        StormWatch watch;
        for (int i = 0; i < 40; ++i) // everyday refusals, long before
            watch.take({kBegin + i * 90s, 429, true, 0, 1});
        const WallTime onset = kBegin + 2h + 7min + 41s;
        for (int minute = 0; minute < 20; ++minute) {
            const int refusals = minute == 4 ? 1900 : 300;
            for (int i = 0; i < refusals; ++i)
                watch.take({onset + minute * 1min + i * 10ms, 429, true, 0, i % 10 < 6 ? 7u : 20u + static_cast<std::uint32_t>(i % 10)});
        }
        const auto flood = watch.flood(2);
        QVERIFY(flood);
        QCOMPARE(flood->onset, onset);
        QCOMPARE(flood->peakMinute, kBegin + 2h + 11min);
        QCOMPARE(flood->topKeys.size(), std::size_t{2});
        QCOMPARE(flood->topKeys[0].key, std::uint32_t{7});
        QVERIFY(std::abs(flood->topKeys[0].share - 0.6) < 0.01);
    }
};

QTEST_APPLESS_MAIN(TestIncidentStorms)
#include "tst_incident_storms.moc"
