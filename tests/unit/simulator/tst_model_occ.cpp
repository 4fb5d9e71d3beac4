// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"
#include "simulator/run/expectations.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

constexpr double kMean = 0.5; ///< the draw of a normal variable's mean
constexpr double kAbove = 0.975; ///< of 1.96 deviations above

Scenario load(const std::string &text)
{
    auto loaded = loadScenarioText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().front().format().c_str());
    return loaded->scenario;
}

Server occ(const std::string &more = "")
{
    return load(
        "throttlescope: 1\nservers: {api: {model: occ" + more + "}}\nworkload: [{operation: call, server: api, arrivals: {batch: 1}}]\n")
        .servers.front();
}

journal::Metrics metricsOf(const Scenario &scenario)
{
    Expectations expectations{scenario};
    Simulation simulation{scenario, &expectations};
    simulation.run();
    return expectations.metrics().total();
}

/// When the server answered, and with which status.
class Answers final : public journal::EventSink {
public:
    void accept(const journal::Event &event) override
    {
        if (const auto *answered = std::get_if<journal::ServerAnswered>(&event.payload))
            seen += fmtOf(event.at.monotonic.time_since_epoch(), answered->status, answered->executed);
    }
    QString seen;

private:
    static QString fmtOf(Duration at, std::optional<int> status, bool executed)
    {
        const QString what = status ? QString::number(*status) : QStringLiteral("-");
        return QStringLiteral("%1ms %2%3 ").arg(at.count() / 1000).arg(what, executed ? QStringLiteral("!") : QString{});
    }
};

QString answersIn(const std::string &text)
{
    Answers answers;
    const Scenario scenario = load(text);
    Simulation simulation{scenario, &answers};
    simulation.run();
    return answers.seen.trimmed();
}

/// Two clients, hops of exactly 10 ms and no wait between attempts.
std::string twoWriters(const std::string &latency = "", const std::string &policy = "max_attempts: 5")
{
    return "throttlescope: 1\nservers: {row: {model: occ, network: {out: 10ms, back: 10ms}" + latency + "}}\npolicies: {p: {" + policy
        + ", rate_limit: {statuses: [409]}, backoff: {kind: constant, base: 0s, jitter: none}}}\nworkload: [{operation: put, server: row, "
          "method: PUT, class: write, policy: p, arrivals: {batch: 2}}]\n";
}

} // namespace

/// `model: occ`, and what becomes of requests that are given up.
class TestModelOcc : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWriteIsLostWhereAnotherCameFirst()
    {
        Bench bench{occ()};
        Answer first = bench.ask(0s), second = bench.ask(1ms);
        QVERIFY(first.versionRead && second.versionRead && first.admitted && !first.executed);
        bench.model.write(at(20ms), {}, first);
        QCOMPARE(first.response.status, 200);
        QVERIFY(first.executed && !first.versionRead);
        bench.model.write(at(21ms), {}, second);
        QCOMPARE(second.response.status, 409);
        QVERIFY(!second.executed);
        Answer third = bench.ask(22ms);
        bench.model.write(at(42ms), {}, third);
        QCOMPARE(third.response.status, 200);
    }

    void hopsThatAreNotWrittenAreThePublishedOnes()
    {
        Bench bench{occ()};
        for (const Stream stream : {Stream::NetworkOut, Stream::NetworkBack, Stream::ReadBack, Stream::WriteOut})
            bench.draw.values[stream] = kMean;
        QCOMPARE(bench.model.travelOut(7, 1), Duration{10ms});
        QCOMPARE(bench.ask(0s).serverTime, Duration{20ms}); // back with what was read, and out again
        QCOMPARE(bench.answer.travelBack, Duration{10ms});
        QVERIFY(occ(", network: {out: 3ms}").network == (Network{FixedLatency{3ms}, NormalLatency{10ms, 2ms}}));
        QVERIFY(occ(", network: null").network == occ().network);
        QVERIFY(load("throttlescope: 1\nservers: {api: {}}\nworkload: [{operation: call, server: api, arrivals: {batch: 1}}]\n")
                    .servers.front()
                    .network
            == Network{});
    }

    void everyHopIsDrawnForItself_data()
    {
        QTest::addColumn<Stream>("above");
        QTest::addColumn<Duration>("out");
        QTest::addColumn<Duration>("between");
        QTest::addColumn<Duration>("back");
        // 1.96 × 2 ms above the mean is 13.92 ms.
        QTest::newRow("out to read") << Stream::NetworkOut << Duration{13'920us} << Duration{20ms} << Duration{10ms};
        QTest::newRow("back with what was read") << Stream::ReadBack << Duration{10ms} << Duration{23'920us} << Duration{10ms};
        QTest::newRow("out to write") << Stream::WriteOut << Duration{10ms} << Duration{23'920us} << Duration{10ms};
        QTest::newRow("back for good") << Stream::NetworkBack << Duration{10ms} << Duration{20ms} << Duration{13'920us};
    }
    void everyHopIsDrawnForItself()
    {
        QFETCH(Stream, above);
        QFETCH(Duration, out);
        QFETCH(Duration, between);
        QFETCH(Duration, back);
        Bench bench{occ()};
        for (const Stream stream : {Stream::NetworkOut, Stream::NetworkBack, Stream::ReadBack, Stream::WriteOut})
            bench.draw.values[stream] = stream == above ? kAbove : kMean;
        QCOMPARE(bench.model.travelOut(7, 1), out);
        QCOMPARE(bench.ask(0s).serverTime, between);
        QCOMPARE(bench.answer.travelBack, back);
    }

    /// Both read at 10 ms and write at 30; the loser hears of it at 40, reads again at 50 and writes at 70.
    void twoWritersByHand()
    {
        QCOMPARE(answersIn(twoWriters()), QStringLiteral("30ms 200! 30ms 409 70ms 200!"));
        const auto metrics = metricsOf(load(twoWriters()));
        QCOMPARE(metrics.attempts, std::uint64_t{3});
        QCOMPARE(metrics.duplicateEffects, std::uint64_t{0});
        QCOMPARE(metrics.finish, at(80ms));
    }

    void whatIsGivenUpBeforeItHasWrittenWritesOnlyWhereItStays_data()
    {
        QTest::addColumn<std::string>("abandoned");
        QTest::addColumn<QString>("answers");
        // Both time out at 25 ms and are sent again. What stayed writes at 30; what reads at 35 finds that version and would
        // write at 55, but times out at 50, and so on.
        QTest::newRow("occupied: it comes to its end")
            << std::string{"occupied"} << QStringLiteral("30ms 200! 30ms 409 55ms 200! 55ms 409");
        QTest::newRow("freed: it is gone") << std::string{"freed"} << QStringLiteral("25ms - 25ms - 50ms - 50ms -");
    }
    void whatIsGivenUpBeforeItHasWrittenWritesOnlyWhereItStays()
    {
        QFETCH(std::string, abandoned);
        QFETCH(QString, answers);
        const std::string text
            = twoWriters(", latency: {abandoned: " + abandoned + "}", "attempt_timeout: 25ms, max_attempts: 2, replay: safe");
        QCOMPARE(answersIn(text), answers);
    }

    void faultsAndLimitsComeBeforeTheRow()
    {
        Bench bench{occ(", limits: [{name: m, quota: 1, per: 1m}]")};
        QVERIFY(bench.visit(0s).versionRead);
        QCOMPARE(bench.visit(1s).response.status, 429);
        QVERIFY(!bench.answer.versionRead);
        Bench scripted{occ(", script: [{answer: {status: 503}}]")};
        QCOMPARE(scripted.visit(0s).response.status, 503);
        QVERIFY(!scripted.answer.versionRead);
    }

    void aHopMayBeAnyKindOfLatency()
    {
        auto server = serverWith({});
        server.network = {ExponentialLatency{100ms}, UniformLatency{10ms, 30ms}};
        Bench bench{server};
        bench.draw.values[Stream::NetworkOut] = bench.draw.values[Stream::NetworkBack] = 0.5;
        QCOMPARE(bench.model.travelOut(7, 1), Duration{69'315us}); // ln 2 of the mean
        QCOMPARE(bench.ask(0s).travelBack, Duration{20ms});
    }

    void requestsAtTheServerStretchWhatWasDrawn()
    {
        auto server = serverWith({});
        server.latency = {NormalLatency{1s, 300ms}, LatencyShare{0.01}};
        Bench bench{server};
        bench.draw.values[Stream::Latency] = kMean;
        QCOMPARE(bench.ask(0s).serverTime, Duration{1s});
        QCOMPARE(bench.ask(0s).serverTime, Duration{1'010ms});
        bench.draw.values[Stream::Latency] = kAbove; // 1 s + 1.96 × 300 ms, and 2 % of it
        QCOMPARE(bench.ask(0s).serverTime, Duration{1'587'989us + 31'760us});
    }

    void aRequestThatIsGivenUpLeavesWhereTheServerLetsItGo_data()
    {
        QTest::addColumn<std::string>("server");
        QTest::addColumn<std::uint64_t>("refused");
        // One at a time, 10 s each; the caller gives up after 1 s, and the next one calls 1 s after that.
        QTest::newRow("occupied is the default") << std::string{"latency: {fixed: 10s}"} << std::uint64_t{1};
        QTest::newRow("occupied") << std::string{"latency: {fixed: 10s, abandoned: occupied}"} << std::uint64_t{1};
        QTest::newRow("freed") << std::string{"latency: {fixed: 10s, abandoned: freed}"} << std::uint64_t{0};
        QTest::newRow("freed, given up on its way")
            << std::string{"network: {out: 1500ms}, latency: {fixed: 10s, abandoned: freed}"} << std::uint64_t{0};
        QTest::newRow("occupied, given up on its way") << std::string{"network: {out: 1500ms}, latency: {fixed: 10s}"} << std::uint64_t{1};
    }
    void aRequestThatIsGivenUpLeavesWhereTheServerLetsItGo()
    {
        QFETCH(std::string, server);
        QFETCH(std::uint64_t, refused);
        const Scenario scenario = load("throttlescope: 1\nservers: {api: {" + server
            + ", limits: [{name: one, quota: 1, window: concurrency}]}}\n"
              "policies: {p: {attempt_timeout: 1s, max_attempts: 1}, q: {attempt_timeout: 1m, max_attempts: 1}}\n"
              "workload: [{operation: first, server: api, policy: p, arrivals: {batch: 1}},"
              " {operation: next, server: api, policy: q, start_at: 2s, arrivals: {batch: 1}}]\n");
        QCOMPARE(metricsOf(scenario).throttledResponses, refused);
    }
};

QTEST_APPLESS_MAIN(TestModelOcc)
#include "tst_model_occ.moc"
