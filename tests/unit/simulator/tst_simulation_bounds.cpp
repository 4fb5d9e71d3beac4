// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/runner.h"
#include "simulator/scenario/loader.h"

#include <QTest>

using namespace throttlescope;

namespace {

RunReport run(const std::string &text, const RunOptions &options = {})
{
    auto loaded = loadScenarioText("throttlescope: 1\n" + text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().front().format().c_str());
    return runScenario(loaded->scenario, options);
}

/// What a limit of 2 tells of the first arrival in the window of a key.
journal::Event arrival(const std::string &key, Duration at)
{
    const MonotonicTime time{at};
    return {0, {time, {}}, 0, {}, "api", 0, journal::ServerWindow{"each", key, 1, 2, time, {}}};
}

std::uint64_t refused(const RunReport &report, RefusalReason reason)
{
    return report.metrics.refused[static_cast<std::size_t>(reason)];
}

} // namespace

/// What happens at one and the same moment, and what must come to an end.
class TestSimulationBounds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anAnswerComesBeforeAnArrivalOfTheSameMoment_data()
    {
        QTest::addColumn<QString>("arrivals");
        const char *row = "  - {operation: %1, server: api, method: GET, %2}\n";
        QTest::newRow("two rows") << QString{row}.arg("a", "arrivals: {batch: 1}")
                + QString{row}.arg("c", "start_at: 5s, arrivals: {batch: 1}");
        QTest::newRow("two rows, the later one first")
            << QString{row}.arg("c", "start_at: 5s, arrivals: {batch: 1}") + QString{row}.arg("a", "arrivals: {batch: 1}");
        QTest::newRow("a rate") << QString{row}.arg("a", "arrivals: {rate: 12/min, count: 2}");
    }
    void anAnswerComesBeforeAnArrivalOfTheSameMoment()
    {
        // One may be at the server at a time; the first leaves at 5 s, when the second comes.
        QFETCH(QString, arrivals);
        const RunReport report = run("servers: {api: {latency: {fixed: 5s}, limits: [{name: p, quota: 1, window: concurrency}]}}\n"
                                     "workload:\n"
            + arrivals.toStdString());
        QCOMPARE(report.metrics.operations[0], 2U);
        QCOMPARE(report.metrics.throttledResponses, 0U);
    }

    void theBreakerHasSeenAnAnswerOfTheSameMoment()
    {
        const RunReport report = run("servers: {api: {latency: {fixed: 5s}, script: [{answer: {status: 503}}]}}\n"
                                     "policies: {p: {max_attempts: 1, breaker: {trip: {consecutive: 1}}}}\n"
                                     "workload:\n  - {operation: a, server: api, method: GET, policy: p, arrivals: {batch: 1}}\n"
                                     "  - {operation: b, server: api, method: GET, policy: p, start_at: 5s, arrivals: {batch: 1}}\n");
        QCOMPARE(report.metrics.attempts, 1U);
        QCOMPARE(refused(report, RefusalReason::BreakerOpen), 1U);
    }

    void anAnswerOfTheMomentOfCancellationCounts()
    {
        const RunReport report = run("servers: {api: {latency: {fixed: 5s}}}\n"
                                     "workload: [{operation: a, server: api, method: GET, cancel_after: 5s, arrivals: {batch: 1}}]\n");
        QCOMPARE(report.metrics.operations[0], 1U);
    }

    void retriesWithoutAWaitAndWithoutAnEndStopTheRun_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::newRow("a backoff of nothing") << "{status: 503}";
        QTest::newRow("a hint of nothing") << "{status: 429, headers: {Retry-After: \"0\"}}";
    }
    void retriesWithoutAWaitAndWithoutAnEndStopTheRun()
    {
        QFETCH(QString, answer);
        const RunReport report = run("stop_after: 1s\nservers: {api: {script: [{answer: " + answer.toStdString()
            + "}]}}\n"
              "policies: {p: {max_attempts: unlimited, backoff: {kind: constant, base: 0s, jitter: none}}}\n"
              "workload: [{operation: r, server: api, method: GET, policy: p, arrivals: {batch: 1}}]\n");
        QVERIFY2(
            report.error.find("operation 1 (r) was sent 10000 times without a wait at t=0.0") != std::string::npos, report.error.c_str());
        QVERIFY(!report.passed());
    }

    void moreOpenOperationsThanAMachineHoldsStopTheRun()
    {
        RunOptions options;
        options.mostOpen = 100;
        const RunReport report = run("servers: {api: {latency: {fixed: 1h}}}\n"
                                     "workload: [{operation: r, server: api, method: GET, clients: 3, arrivals: {batch: 40}}]\n",
            options);
        QVERIFY2(report.error.find("more than 100 operations are open at once at t=0.0") != std::string::npos, report.error.c_str());
    }

    void whatAFallbackServedWasRefusedAllTheSame()
    {
        // The first fails and trips the breaker; two are turned away and served by the fallback.
        const RunReport report
            = run("servers: {api: {script: [{answer: {status: 503}}]}, spare: {}}\n"
                  "policies: {p: {max_attempts: 1, breaker: {trip: {consecutive: 1}}}}\n"
                  "workload:\n"
                  "  - {operation: a, server: api, method: GET, policy: p, fallback: f, arrivals: {rate: 1/s, count: 3}}\n"
                  "  - {operation: f, server: spare, method: GET, on_demand: true}\n");
        QCOMPARE(report.metrics.operations[0], 3U);
        QCOMPARE(refused(report, RefusalReason::BreakerOpen), 2U);
        QCOMPARE(refused(report, RefusalReason::AttemptsExhausted), 1U);
    }

    /// Ten new keys a second, for half an hour, then five arrivals with one key at a quota of 2.
    void keysOfWindowsLongOpenAreForgottenAndHerdsStillSeen()
    {
        journal::RunMetrics metrics;
        std::size_t most = 0;
        for (int i = 0; i < 18'000; ++i) {
            metrics.accept(arrival('#' + std::to_string(i), std::chrono::milliseconds{100} * i));
            most = std::max(most, metrics.keysWatched());
        }
        QVERIFY2(most <= 1'000, qPrintable(QString::number(most)));
        QCOMPARE(metrics.total().herd, 0.5);
        for (int i = 0; i < 5; ++i)
            metrics.accept(arrival("one", std::chrono::hours{1}));
        QCOMPARE(metrics.total().herd, 2.5);
    }

    void moreKeysAtOnceThanCanBeWatchedAreNot()
    {
        journal::RunMetrics metrics;
        for (std::size_t i = 0; i < journal::RunMetrics::kMostKeys + 500; ++i)
            metrics.accept(arrival('#' + std::to_string(i), {}));
        QCOMPARE(metrics.keysWatched(), journal::RunMetrics::kMostKeys);
        metrics.accept(arrival("#7", {}));
        QCOMPARE(metrics.total().herd, 1.0);
    }

    void aLabelUsedTwiceIsTheUnionOfItsSpans()
    {
        // One a second from 0 to 19 s; 5 s ≤ t < 10 s and 8 s ≤ t < 15 s together hold ten of them.
        auto loaded = loadScenarioText("throttlescope: 1\nservers: {api: {}}\n"
                                       "timeline: [{at: 5s, for: 5s, label: a}, {at: 8s, for: 7s, label: a}]\n"
                                       "workload: [{operation: r, server: api, method: GET, arrivals: {rate: 1/s, for: 20s}}]\n"
                                       "expect: {during: {a: {attempts: 10}}}\n",
            "test.yaml");
        QVERIFY(loaded.has_value());
        QVERIFY(runScenario(loaded->scenario, {}).passed());
    }

    void aRecoveryThatCannotBeKnownSaysWhy_data()
    {
        QTest::addColumn<QString>("timeline");
        QTest::addColumn<QString>("why");
        QTest::newRow("nothing before") << "{at: 0s, for: 5s, label: a}"
                                        << "nothing succeeded before the label";
        QTest::newRow("nothing after") << "{at: 12s, for: 5s, label: a}"
                                       << "the traffic ends less than 10 s after the label";
    }
    void aRecoveryThatCannotBeKnownSaysWhy()
    {
        QFETCH(QString, timeline);
        QFETCH(QString, why);
        const RunReport report = run("servers: {api: {}}\ntimeline: [" + timeline.toStdString()
            + "]\n"
              "workload: [{operation: r, server: api, method: GET, arrivals: {rate: 1/s, for: 20s}}]\n"
              "expect: {recovers_within: {a: 60s}}\n");
        QVERIFY(!report.passed());
        QVERIFY2(report.judged.front().got.find(why.toStdString()) == 0, report.judged.front().got.c_str());
    }
};

QTEST_APPLESS_MAIN(TestSimulationBounds)
#include "tst_simulation_bounds.moc"
