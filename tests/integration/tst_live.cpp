// SPDX-License-Identifier: Apache-2.0
#include "core/journal/tee.h"
#include "simulator/live/live_run.h"
#include "simulator/live/live_runner.h"
#include "simulator/run/decision_log.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"

#include <QTcpSocket>
#include <QTest>

using namespace throttlescope;
using live::LiveRun;

namespace {

/// What the counting tests look at.
class Seen final : public journal::EventSink {
public:
    void accept(const journal::Event &event) override
    {
        attempts += std::holds_alternative<journal::AttemptStarted>(event.payload) ? 1 : 0;
        answered += std::holds_alternative<journal::ServerAnswered>(event.payload) ? 1 : 0;
        executed
            += std::get_if<journal::ServerAnswered>(&event.payload) && std::get<journal::ServerAnswered>(event.payload).executed ? 1 : 0;
        if (const auto *resentNow = std::get_if<journal::TransportResent>(&event.payload))
            resent += static_cast<int>(resentNow->requests) - 1;
        log.accept(event);
    }
    int attempts = 0, answered = 0, executed = 0, resent = 0;
    DecisionLog log;
};

Scenario shipped(const char *name)
{
    auto loaded = loadScenario(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/%1.yaml").arg(name).toStdString());
    return loaded ? std::move(loaded->scenario) : Scenario{};
}

Scenario parsed(const std::string &yaml)
{
    auto loaded = loadScenarioText("throttlescope: 1\n" + yaml, "live.yaml");
    if (!loaded)
        qWarning("%s", loaded.error().front().format().c_str());
    return loaded ? std::move(loaded->scenario) : Scenario{};
}

/// Listens, and runs to the end; what was in the way, or nothing.
std::string played(LiveRun &run, journal::EventSink &sink)
{
    const auto error = run.listen();
    return error ? *error : run.run(sink, nullptr);
}

QString text(const DecisionDifference &difference)
{
    return QStringLiteral("op %1, step %2: virtual '%3', live '%4'")
        .arg(difference.op)
        .arg(difference.step)
        .arg(QString::fromStdString(difference.first), QString::fromStdString(difference.second));
}

/// One operation after the other over one kept-alive connection, whose second request is met by a reset.
std::string closedEarly(const char *row)
{
    return std::string{"seed: 3\nservers:\n  api:\n    script: [{when: {nth: 2}, answer: {fault: reset}}]\n"
                       "policies:\n  p: {max_attempts: 3, backoff: {kind: constant, base: 100ms, jitter: none}}\n"
                       "workload:\n  - {operation: call, server: api, policy: p, "}
    + row + ", arrivals: {workers: 1, count: 3}}\n";
}

/// Has no memory for that event.
class Full final : public journal::EventSink {
public:
    explicit Full(int event)
        : m_left(event)
    {
    }
    void accept(const journal::Event &) override
    {
        if (m_left-- == 0)
            throw std::bad_alloc{};
    }

private:
    int m_left;
};

} // namespace

/// The same scenarios through both real ends.
class TestLive : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Wherever in the run it happens, it ends with the exception that whoever runs it knows how to tell.
    void whatRunsOutOfMemoryEnds_data()
    {
        QTest::addColumn<int>("event");
        for (const int event : {0, 1, 5, 10})
            QTest::addRow("event %d", event) << event;
    }

    void whatRunsOutOfMemoryEnds()
    {
        QFETCH(int, event);
        Full full{event};
        live::LiveOptions options;
        options.scale = 20;
        options.watcher = &full;
        const Scenario scenario = shipped("max-wait-boundary");
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, live::runLive(scenario, {}, options));
    }

    void decisionsAreThoseOfVirtualTime_data()
    {
        QTest::addColumn<int>("scale");
        // Left out is what timing decides: where a hint in whole seconds is another one when its request is a little later
        // (minute-window, hour-window, date-hint, retry-after-date, layered-windows), or where two things are due at one moment
        // (breaker-half-open, cancel-mid-wait); and what lasts too long (breaker-for-the-run, day-window).
        const auto row = [](const char *name, int scale) { QTest::newRow(name) << scale; };
        row("action-never-replayed", 20);
        row("extraction-failed", 20);
        row("five-hundred-storm", 5); // a second lies between its last attempts and the end of the storm
        row("max-wait-boundary", 20);
        row("month-exhausted", 20);
        row("no-hint-blind-fallback", 20);
        row("over-max-wait-to-fallback", 20);
        row("probe-never-blocks", 20);
        row("provider-shared-pacer", 10);
        row("retry-budget", 10);
        row("shared-pacer-cooldown", 20);
        row("streaming-opening-429", 10);
        row("total-timeout", 10);
        row("units-pacing", 20);
        row("unreadable-retry-after", 10);
        row("write-limited", 10);
        row("zero-hint", 10);
    }

    void decisionsAreThoseOfVirtualTime()
    {
        QFETCH(int, scale);
        const Scenario scenario = shipped(QTest::currentDataTag());
        QVERIFY(!scenario.workload.empty());
        DecisionLog expected;
        Simulation{scenario, &expected}.run();
        Seen live;
        LiveRun run{scenario, scale};
        QCOMPARE(played(run, live), std::string{});
        const auto difference = firstDifference(expected, live.log);
        QVERIFY2(!difference, difference ? qPrintable(text(*difference)) : "");
        QCOMPARE(static_cast<std::uint64_t>(live.attempts) + run.resends(), run.requestsReceived());
        QCOMPARE(static_cast<std::uint64_t>(live.answered), run.requestsReceived());
    }

    void everyRequestAtTheServerIsAnAttempt_data()
    {
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<int>("attempts");
        QTest::addColumn<int>("resent");
        // Qt repeats what has no body when a kept-alive connection closes early; it is seen, and named.
        QTest::newRow("GET") << QByteArray{"method: GET"} << 3 << 1;
        QTest::newRow("POST") << QByteArray{"method: POST, idempotent: true"} << 4 << 0;
        QTest::newRow("DELETE") << QByteArray{"method: DELETE, idempotent: true"} << 4 << 0;
        QTest::newRow("an action by POST") << QByteArray{"method: POST, class: action"} << 3 << 0;
        QTest::newRow("an action by GET") << QByteArray{"method: GET, class: action"} << 3 << 0;
    }

    void everyRequestAtTheServerIsAnAttempt()
    {
        QFETCH(QByteArray, row);
        const Scenario scenario = parsed(closedEarly(row.constData()));
        Seen counts;
        LiveRun run{scenario, 10};
        QCOMPARE(played(run, counts), std::string{});
        QTEST(counts.attempts, "attempts");
        QTEST(counts.resent, "resent");
        QCOMPARE(counts.answered, counts.attempts + counts.resent);
        QCOMPARE(run.requestsReceived(), run.attemptsSent() + run.resends());
    }

    void aRefusingServerClosesWhatIsKeptAlive()
    {
        const Scenario scenario = parsed("seed: 5\nservers:\n  api: {latency: {fixed: 50ms}}\n"
                                         "timeline: [{at: 2s, for: 3s, label: restart, server: api, faults: refuse}]\n"
                                         "policies:\n  p: {max_attempts: 20, backoff: {kind: constant, base: 500ms, jitter: none}}\n"
                                         "workload:\n  - {operation: put, server: api, method: POST, idempotent: true, policy: p, "
                                         "arrivals: {rate: 5/s, for: 6s}}\nexpect: {operations: {succeeded: 30}}\n");
        QVERIFY(!scenario.workload.empty());
        Seen counts;
        LiveRun run{scenario, 10};
        QCOMPARE(played(run, counts), std::string{});
        QCOMPARE(counts.executed, 30);
        QVERIFY(counts.attempts > 30); // those of the three seconds
        QCOMPARE(static_cast<std::uint64_t>(counts.answered), run.requestsReceived());
    }

    void whatIsExpectedOfTimeHasRoom()
    {
        const Scenario scenario = parsed("servers:\n  api: {latency: {fixed: 1s}}\nworkload:\n"
                                         "  - {operation: call, server: api, method: GET, arrivals: {batch: 1}}\n"
                                         "expect: {finish: 1s, attempts: 1}\n");
        live::LiveOptions options;
        options.scale = 10;
        options.tolerance = std::chrono::seconds{20};
        const RunReport report = live::runLive(scenario, {}, options);
        QVERIFY(report.passed());
        QVERIFY(report.metrics.finish.time_since_epoch() > std::chrono::seconds{1});
        QVERIFY2(verdictText(report.judged.front()).find("expected 1s (tolerance 3m20s), got ") == 0, // 20 s, ten times as fast
            verdictText(report.judged.front()).c_str());
        QCOMPARE(report.judged.back().tolerance, Duration::zero()); // a count has none
        options.tolerance = Duration::zero();
        const RunReport exact = live::runLive(scenario, {}, options);
        QVERIFY(!exact.passed());
        QVERIFY(verdictText(exact.judged.front()).find("expected 1s, got ") == 0);
        QCOMPARE(exact.judged.front().name, std::string{"finish"});
        QCOMPARE(exact.judged.front().op, journal::OperationId{1}); // the event that broke it is named
    }

    void anInterruptionEndsWhatIsOpen()
    {
        const Scenario scenario = parsed("servers:\n  api: {latency: {fixed: 1h}}\nworkload:\n"
                                         "  - {operation: call, server: api, method: GET, arrivals: {batch: 3}}\n");
        const std::atomic<bool> interrupted{true};
        const RunReport report = live::runLive(scenario, {{}, &interrupted}, {});
        QVERIFY(report.interrupted);
        QCOMPARE(report.metrics.operations[static_cast<std::size_t>(Result::Unfinished)], std::uint64_t{3});
    }

    void nothingStartsAfterTheStop_data()
    {
        QTest::addColumn<int>("scale");
        QTest::newRow("slowly") << 20;
        QTest::newRow("faster than the machine") << 10'000;
        QTest::newRow("at once") << 1'000'000;
    }
    void nothingStartsAfterTheStop()
    {
        QFETCH(int, scale);
        const Scenario scenario = parsed("stop_after: 1s\nservers:\n  api: {latency: {fixed: 1h}}\nworkload:\n"
                                         "  - {operation: call, server: api, method: GET, arrivals: {rate: 100/s, for: 10s}}\n");
        Seen seen;
        LiveRun run{scenario, scale};
        QCOMPARE(played(run, seen), std::string{});
        QVERIFY(run.stopped());
        QCOMPARE(run.operationsStarted(), std::uint64_t{100}); // as in virtual time: one each hundredth of a second before it
    }

    void aStrangerIsSentAway()
    {
        const Scenario scenario = parsed("servers:\n  api: {latency: {fixed: 300ms}}\nworkload:\n"
                                         "  - {operation: call, server: api, method: GET, arrivals: {batch: 1}}\n");
        Seen seen;
        LiveRun run{scenario, 1};
        QByteArray answers;
        QTcpSocket stranger;
        QVERIFY(!run.listen());
        stranger.connectToHost(QHostAddress::LocalHost, run.endpoints().front().port);
        stranger.write("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /_throttlescope/health HTTP/1.1\r\nHost: a\r\n\r\n");
        connect(&stranger, &QIODevice::readyRead, &stranger, [&] { answers += stranger.readAll(); });
        QCOMPARE(run.run(seen, nullptr), std::string{});
        QCOMPARE(answers.count("HTTP/1.1 421"), 2);
        QCOMPARE(run.requestsReceived(), std::uint64_t{1});
        QCOMPARE(seen.answered, 1);
    }

    void whatOneClientWaitsForTheOtherDoesNot()
    {
        // Two processes of one row: each has a pacer and connections of its own, in virtual time as here.
        const Scenario scenario = parsed("servers:\n  api: {}\npolicies:\n  p: {pacer: {requests_per_second: 1}}\nworkload:\n"
                                         "  - {operation: call, server: api, method: GET, policy: p, clients: 2, arrivals: {batch: 2}}\n");
        DecisionLog expected;
        Simulation{scenario, &expected}.run();
        Seen counts;
        LiveRun run{scenario, 20};
        QCOMPARE(played(run, counts), std::string{});
        QVERIFY(!firstDifference(expected, counts.log));
        QCOMPARE(counts.attempts, 4);
    }
};

QTEST_GUILESS_MAIN(TestLive)
#include "tst_live.moc"
