// SPDX-License-Identifier: Apache-2.0
#include "incident_traffic.h"
#include "simulator/incident/limit_verdict.h"

#include <QElapsedTimer>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::test;
using incident::Arrival;
using incident::inferLimit;
using incident::limitWords;

namespace {

QString told(std::uint64_t seed, const LogPlan &plan, const incident::Inference &said)
{
    QString text = QStringLiteral("seed %1, truth: %2 per %3 s, kind %4, align %5, keys %6, refused count %7; said: ")
                       .arg(seed)
                       .arg(plan.limit.quota)
                       .arg(secondsOf(plan.limit.per.length))
                       .arg(static_cast<int>(plan.limit.window))
                       .arg(static_cast<int>(plan.limit.align))
                       .arg(plan.perKey)
                       .arg(plan.countsRefused);
    return text + QString::fromStdString(said.best ? limitWords(said.best->limit) : said.why);
}

/// So many minutes in which four times the quota was wanted.
std::vector<Arrival> minutes(int count, std::int64_t quota = 10)
{
    LogPlan plan;
    plan.limit = calendarLimit("l", static_cast<std::uint64_t>(quota), 1min);
    plan.load = 4;
    plan.periods = count;
    return logOf(plan, 5);
}

double ratePerSecond(const incident::InferredLimit &limit)
{
    return static_cast<double>(limit.quota) / secondsOf(limit.per);
}

} // namespace

class TestIncidentInference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownLimitsComeBack()
    {
        constexpr int scenarios = 200;
        int certain = 0, right = 0;
        for (std::uint64_t seed = 0; seed < scenarios; ++seed) {
            const LogPlan plan = planOf(seed);
            const auto said = inferLimit(logOf(plan, seed), plan.precision, Duration{});
            const Recovered recovered = judge(plan, said);
            certain += recovered == Recovered::Certain;
            right += recovered <= Recovered::Right;
            if (recovered == Recovered::Wrong)
                QFAIL(qPrintable("confident and wrong: " + told(seed, plan, said)));
            if (recovered == Recovered::CannotTell)
                qInfo("%s", qPrintable("cannot tell: " + told(seed, plan, said)));
        }
        qInfo("recovered %d of %d (%.1f %%), %d of them certain of every word", right, scenarios, 100.0 * right / scenarios, certain);
        QVERIFY(right * 100 >= scenarios * 95);
    }

    void aBucketsRateComesBackWithinTwoPercentOrIsNotSaid()
    {
        constexpr int scenarios = 40;
        int right = 0;
        for (std::uint64_t seed = 0; seed < scenarios; ++seed) {
            const LogPlan plan = bucketPlanOf(seed);
            const auto said = inferLimit(logOf(plan, seed), plan.precision, Duration{}, incident::WindowKind::TokenBucket);
            if (!said.best)
                continue;
            const double truth = static_cast<double>(plan.limit.quota) / secondsOf(plan.limit.per.length);
            const bool near = std::abs(ratePerSecond(said.best->limit) / truth - 1) <= 0.0201;
            if (!near || said.best->limit.kind != incident::WindowKind::TokenBucket)
                QFAIL(qPrintable("confident and wrong: " + told(seed, plan, said)));
            ++right;
        }
        qInfo("recovered the rate of %d buckets of %d (%.1f %%)", right, scenarios, 100.0 * right / scenarios);
        QVERIFY(right * 100 >= scenarios * 70);
    }

    void aBucketIsToldFromItsTimesAlone()
    {
        int right = 0, said = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const LogPlan plan = bucketPlanOf(seed);
            const auto inference = inferLimit(logOf(plan, seed), plan.precision, Duration{});
            if (!inference.best)
                continue;
            ++said;
            const double truth = static_cast<double>(plan.limit.quota) / secondsOf(plan.limit.per.length);
            right += std::abs(ratePerSecond(inference.best->limit) / truth - 1) <= 0.0201
                && (inference.best->limit.kind == incident::WindowKind::TokenBucket || plan.limit.burst == 1u);
            if (right != said)
                QFAIL(qPrintable("confident and wrong: " + told(seed, plan, inference)));
        }
        qInfo("told %d buckets of 40 from their times alone", said);
        QVERIFY(said >= 24);
    }

    void nginxUnderAFlood_data()
    {
        QTest::addColumn<int>("quota");
        QTest::addColumn<int>("burst");
        QTest::addColumn<qint64>("precision");
        QTest::newRow("10r/s burst=20, $msec") << 10 << 21 << qint64{1'000};
        QTest::newRow("10r/s burst=20, $time_local") << 10 << 21 << qint64{1'000'000};
        QTest::newRow("50r/s burst=5, $msec") << 50 << 6 << qint64{1'000};
        QTest::newRow("1r/s without burst, $msec") << 1 << 1 << qint64{1'000};
    }
    void nginxUnderAFlood()
    {
        QFETCH(int, quota);
        QFETCH(int, burst);
        QFETCH(qint64, precision);
        LogPlan plan;
        plan.limit = limit("l", static_cast<std::uint64_t>(quota), 1s, WindowKind::TokenBucket);
        plan.limit.burst = static_cast<std::uint64_t>(burst);
        plan.load = 8;
        plan.periods = 120;
        plan.precision = Duration{precision};
        const auto said = inferLimit(logOf(plan, 3), plan.precision, Duration{}, incident::WindowKind::TokenBucket);
        QVERIFY2(said.best, said.why.c_str());
        const double rate = ratePerSecond(said.best->limit);
        QVERIFY2(std::abs(rate / quota - 1) <= 0.02, limitWords(said.best->limit).c_str());
    }

    void whereNothingWasRefusedThereIsNothingToTell()
    {
        std::vector<Arrival> log;
        for (int i = 0; i < 1000; ++i)
            log.push_back({wall("2026-06-02T00:00:00Z") + i * 1s, false, 0});
        const auto said = inferLimit(log, 1s, Duration{});
        QVERIFY(!said.best);
        QCOMPARE(said.why, std::string{"nothing was refused: 0 of 1000"});
        QCOMPARE(inferLimit({}, 1s, Duration{}).why, std::string{"nothing was refused: 0 of 0"});
    }

    void aLimitThatCountsSomethingElseIsNotMistaken()
    {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            LogPlan plan = planOf(seed);
            plan.mostUnits = 5;
            const auto said = inferLimit(logOf(plan, seed), plan.precision, Duration{});
            if (said.best)
                QFAIL(qPrintable("confident and wrong: " + told(seed, plan, said)));
        }
    }

    void aLogOfOneMomentTellsNothing()
    {
        const std::vector<Arrival> log(50, Arrival{wall("2026-06-02T00:00:00Z"), true, 0});
        QVERIFY(!inferLimit(log, 1s, Duration{}).best);
        QVERIFY(!inferLimit(log, 0s, Duration{}).why.empty());
        std::vector<Arrival> apart{{wall("1970-01-01T00:00:00Z"), false, 0}, {wall("2106-02-07T06:28:15Z"), true, 0}};
        QVERIFY(!inferLimit(apart, 1s, Duration{}).best);
    }

    void aFewAbortedRequestsDoNotRaiseTheQuota()
    {
        // They stand in the log as if they had been let through.
        LogPlan plan;
        plan.limit = limit("l", 20, 1min, WindowKind::Sliding);
        plan.load = 3;
        plan.periods = 60;
        std::vector<Arrival> log = logOf(plan, 3);
        for (int aborted = 1; aborted <= 3; ++aborted) {
            const auto refused = std::find_if(log.rbegin(), log.rend(), [](const Arrival &each) { return each.refused; });
            refused->refused = false;
            const auto said = inferLimit(log, 1us, Duration{});
            QVERIFY2(said.best, said.why.c_str());
            QCOMPARE(limitWords(said.best->limit), std::string{"20/min, sliding"});
        }
    }

    void fewerThanThreeWindowsAreTooFew()
    {
        for (const int count : {1, 2}) {
            const auto said = inferLimit(minutes(count), 1us, Duration{});
            QVERIFY2(!said.best, limitWords(said.best->limit).c_str());
            QVERIFY(!said.why.empty());
        }
        QVERIFY(inferLimit(minutes(8), 1us, Duration{}).best);
    }

    void allRefusedIsNoLimit()
    {
        std::vector<Arrival> log;
        for (int i = 0; i < 5000; ++i)
            log.push_back({wall("2026-06-02T00:00:00Z") + i * 700ms, true, 0});
        const auto said = inferLimit(log, 1ms, Duration{});
        QVERIFY2(!said.best, limitWords(said.best->limit).c_str());
        QVERIFY(!said.why.empty());
    }

    void refusalsAtRandomAreNoLimit()
    {
        for (std::uint64_t seed = 0; seed < 24; ++seed) {
            Dice dice{seed};
            const Duration precision = dice.oneOf<Duration>({1us, 1ms, 1s});
            const double share = dice.between(0.02, 0.6), gap = dice.between(0.05, 20);
            std::vector<Arrival> log;
            double at = 0;
            for (int i = 0; i < 8000; ++i) {
                at += dice.exponential(gap);
                const std::int64_t time = durationFromSeconds(at).count();
                log.push_back(
                    {WallTime{Duration{time - time % precision.count()}}, dice.chance(share), static_cast<std::uint32_t>(dice.below(5))});
            }
            const auto said = inferLimit(log, precision, Duration{});
            QVERIFY2(!said.best,
                qPrintable(QStringLiteral("seed %1: %2")
                               .arg(seed)
                               .arg(QString::fromStdString(limitWords(said.best ? said.best->limit : incident::InferredLimit{})))));
        }
    }

    void theOrderOfEqualTimesHasNoSay()
    {
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            LogPlan plan = planOf(seed);
            plan.precision = 1s;
            std::vector<Arrival> log = logOf(plan, seed);
            const auto said = inferLimit(log, 1s, Duration{});
            Dice dice{seed + 99};
            for (std::size_t begin = 0, end = 0; begin < log.size(); begin = end) {
                while (end < log.size() && log[end].at == log[begin].at)
                    ++end;
                for (std::size_t i = end - 1; i > begin; --i)
                    std::swap(log[i], log[begin + static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(i - begin + 1)))]);
            }
            QVERIFY(inferLimit(log, 1s, Duration{}) == said);
        }
    }

    void aPeriodThatNobodyWouldGuessIsSeen()
    {
        LogPlan plan;
        plan.limit = firstRequestLimit("l", 40, 100s);
        plan.periods = 40;
        plan.load = 2.5;
        const auto said = inferLimit(logOf(plan, 11), 1ms, Duration{});
        QVERIFY2(said.best, said.why.c_str());
        QCOMPARE(limitWords(said.best->limit), std::string{"40/100 s, fixed, from the first request"});
    }

    void aDayBeginsAtLocalMidnight()
    {
        LogPlan plan;
        plan.limit = calendarLimit("l", 60, 24h, "Asia/Tokyo");
        plan.limit.per.civil = Period::Civil::Day;
        plan.periods = 14;
        plan.load = 2;
        const auto log = logOf(plan, 4);
        const auto said = inferLimit(log, 1s, 9h);
        QVERIFY2(said.best, said.why.c_str());
        QCOMPARE(limitWords(said.best->limit), std::string{"60/day, fixed, calendar"});
        const auto elsewhere = inferLimit(log, 1s, 0h);
        QVERIFY(!elsewhere.best || elsewhere.best->limit.alignment == incident::Alignment::FirstRequest);
    }

    void aMillionArrivalsTakeSeconds()
    {
        LogPlan plan;
        plan.limit = calendarLimit("l", 600, 1min);
        plan.clients = 20;
        plan.perKey = true;
        plan.load = 2;
        plan.periods = 45;
        const auto log = logOf(plan, 1);
        QElapsedTimer timer;
        timer.start();
        const auto said = inferLimit(log, 1ms, Duration{});
        qInfo("%zu arrivals in %lld ms: %s", log.size(), static_cast<long long>(timer.elapsed()),
            said.best ? limitWords(said.best->limit).c_str() : said.why.c_str());
        QVERIFY(said.best);
        QVERIFY(timer.elapsed() < 30'000);
    }
};

QTEST_GUILESS_MAIN(TestIncidentInference)
#include "tst_incident_inference.moc"
