// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/http/peer.h"

#include "simulator/http/time_scale.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

using namespace throttlescope;
using namespace throttlescope::http::test;
using http::RunClock;
using http::ServeOptions;

namespace {

const std::string kLimit = "    limits: [{name: m, quota: 1, per: 10s, window: fixed, align: first_request}]\n";

QByteArray post(const QByteArray &path, const QByteArray &body = {}, const QByteArray &fields = {})
{
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n" + fields + "\r\n" + body;
}

/// One after the other on a manual clock: each is answered before the next is sent, and the clock moves between them.
class Conversation {
public:
    explicit Conversation(const std::string &yaml)
        : m_served(yaml, options())
        , m_peer(m_served.port())
    {
    }

    QByteArray ask(const QByteArray &request)
    {
        m_peer.forget();
        m_peer.send(request);
        m_peer.untilHas("\r\n\r\n");
        return m_peer.statuses();
    }
    void wait(const QByteArray &by)
    {
        QCOMPARE(ask("POST /_throttlescope/advance?by=" + by + " HTTP/1.1\r\nHost: a\r\n\r\n"), QByteArray{"200"});
    }
    RunReport finish() { return m_served.server.finish(false); }
    const QByteArray &received() const { return m_peer.received(); }

private:
    static ServeOptions options()
    {
        ServeOptions options;
        options.clock = RunClock::Kind::Manual;
        return options;
    }

    Served m_served;
    Peer m_peer;
};

double metric(const RunReport &report, std::string_view path)
{
    return journal::metricValue(report.metrics, path)->value;
}

} // namespace

/// What the server makes of clients that say nothing of operations.
class TestHttpAccounts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRefusedRequestSentAgainIsTheSameOperation()
    {
        Conversation talk{apiWith(kLimit)};
        QCOMPARE(talk.ask(get("/a")), QByteArray{"200"});
        QCOMPARE(talk.ask(get("/b")), QByteArray{"429"});
        talk.wait("10s");
        QCOMPARE(talk.ask(get("/b")), QByteArray{"200"});
        const RunReport report = talk.finish();
        QCOMPARE(report.operations, std::uint64_t{2});
        QCOMPARE(metric(report, "operations.succeeded"), 2.0);
        QCOMPARE(metric(report, "attempts"), 3.0);
        QCOMPARE(metric(report, "attempts_per_operation.max"), 2.0);
        QCOMPARE(metric(report, "early_returns"), 0.0);
        QCOMPARE(metric(report, "waits.max"), 10e6);
    }

    void comingBackEarlyIsSeenAndByHowMuch()
    {
        Conversation talk{apiWith(kLimit)};
        talk.ask(get("/a"));
        talk.ask(get("/b"));
        talk.wait("4s");
        QCOMPARE(talk.ask(get("/b")), QByteArray{"429"});
        const RunReport report = talk.finish();
        QCOMPARE(metric(report, "early_returns"), 1.0);
        QCOMPARE(metric(report, "early_by.max"), 6e6);
        QCOMPARE(metric(report, "operations.failed"), 1.0);
    }

    void anotherQueryIsAnotherOperation()
    {
        Conversation talk{apiWith("    script: [{answer: {status: 503}}]")};
        talk.ask(get("/s?q=1"));
        talk.ask(get("/s?q=2"));
        QCOMPARE(talk.finish().operations, std::uint64_t{2});
    }

    void theBodyTellsThemApartWhereItIsAskedTo_data()
    {
        QTest::addColumn<QString>("correlate");
        QTest::addColumn<int>("operations");
        QTest::newRow("method and path") << "method+path" << 1;
        QTest::newRow("method, path and body") << "method+path+body" << 2;
        QTest::newRow("a header that is not there falls back to method and path") << "header:X-Id" << 1;
    }
    void theBodyTellsThemApartWhereItIsAskedTo()
    {
        QFETCH(QString, correlate);
        QFETCH(int, operations);
        Conversation talk{apiWith("    script: [{answer: {status: 503}}]\n    correlate: " + correlate.toStdString())};
        talk.ask(post("/x", "one"));
        talk.ask(post("/x", "two"));
        talk.ask(post("/x", "two"));
        QCOMPARE(static_cast<int>(talk.finish().operations), operations);
    }

    void aReplayedActionIsSeenByItsHeader()
    {
        const std::string yaml = "throttlescope: 1\nservers:\n  api: {correlate: 'header:Idempotency-Key'}\nworkload:\n"
                                 "  - {operation: pay, server: api, method: POST, class: action, path: /pay, arrivals: {batch: 1}}\n"
                                 "expect: {duplicate_effects: 0, by_operation: {pay: {attempts: 2}}}\n";
        Conversation talk{yaml};
        talk.ask(post("/pay/1", "x", "Idempotency-Key: k1\r\n"));
        talk.ask(post("/pay/1", "x", "Idempotency-Key: k1\r\n"));
        const RunReport report = talk.finish();
        QCOMPARE(metric(report, "duplicate_effects"), 1.0);
        QCOMPARE(report.operations, std::uint64_t{1});
        QCOMPARE(report.judged.size(), std::size_t{2});
        QVERIFY(!report.judged[0].passed);
        QCOMPARE(report.judged[0].op, journal::OperationId{1});
        QVERIFY2(report.judged[0].atWhat.find("POST /pay/1, attempt 2") != std::string::npos, report.judged[0].atWhat.c_str());
        QVERIFY(report.judged[1].passed);
    }

    void anActionReplayedAfterALostAnswerIsSeen()
    {
        Served served{apiWith("    script: [{times: 1, answer: {status: 200, size: 100, break_at: 50%}}]")};
        Peer first{served.port()};
        first.send(post("/pay"));
        QVERIFY(first.untilEnded());
        Peer second{served.port()};
        second.send(post("/pay"));
        QVERIFY(second.untilHas("HTTP/1.1 200"));
        const RunReport report = served.server.finish(false);
        QCOMPARE(report.operations, std::uint64_t{1});
        QCOMPARE(metric(report, "duplicate_effects"), 1.0);
        QCOMPARE(metric(report, "attempts_per_operation.max"), 2.0);
    }

    void aClientThatHungUpAndAsksAgainIsOnItsSecondAttempt()
    {
        ServeOptions options;
        options.clock = RunClock::Kind::Manual;
        Served served{apiWith("    latency: {fixed: 1h}"), options};
        auto impatient = std::make_unique<Peer>(served.port());
        impatient->send(get("/x"));
        Peer again{served.port()};
        QVERIFY(again.until([&] { return served.server.accounts().model(0).inFlight() == 1; }));
        impatient.reset();
        again.send(get("/_throttlescope/health")); // behind the end of the other one
        QVERIFY(again.untilHas("HTTP/1.1 200"));
        again.send(get("/x"));
        QVERIFY(again.until([&] { return served.server.accounts().model(0).inFlight() == 2; })); // given up, and still at the server
        const RunReport report = served.server.finish(false);
        QCOMPARE(report.operations, std::uint64_t{1});
        QCOMPARE(metric(report, "attempts"), 2.0);
        QCOMPARE(metric(report, "operations.unfinished"), 1.0);
    }

    void concurrentCallsAreOperationsOfTheirOwnAndCounted()
    {
        ServeOptions options;
        options.clock = RunClock::Kind::Manual;
        Served served{apiWith("    latency: {fixed: 1s}"), options};
        std::vector<std::unique_ptr<Peer>> peers;
        for (int i = 0; i < 3; ++i)
            (peers.emplace_back(std::make_unique<Peer>(served.port())))->send(get("/same"));
        QVERIFY(peers[0]->until([&] { return served.server.accounts().model(0).inFlight() == 3; }));
        const RunReport report = served.server.finish(false);
        QCOMPARE(report.operations, std::uint64_t{3});
        QCOMPARE(metric(report, "concurrency"), 3.0);
    }

    void aHerdAtAWindowsResetIsSeen()
    {
        Conversation talk{apiWith("    limits: [{name: m, quota: 2, per: 1m, window: fixed, align: calendar}]")};
        talk.ask(get("/1"));
        talk.wait("59s");
        talk.wait("1s");
        for (const char *path : {"/1", "/2", "/3", "/4", "/5", "/6"})
            talk.ask(get(path));
        QCOMPARE(metric(talk.finish(), "herd"), 3.0);
    }

    void scriptsMatchMethodPathHeaderAndCount()
    {
        Conversation talk{apiWith("    script:\n      - {when: {method: PUT}, answer: {status: 201}}\n"
                                  "      - {when: {path: /p}, answer: {status: 202}}\n"
                                  "      - {when: {header: {X-A: b}}, answer: {status: 203}}\n"
                                  "      - {when: {nth: 6}, answer: {status: 204}}\n"
                                  "      - {when: {path: /q, attempt: 2}, answer: {status: 206}}\n"
                                  "      - {when: {path: /q}, times: 1, answer: {status: 500}}")};
        QCOMPARE(talk.ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"), QByteArray{"201"});
        QCOMPARE(talk.ask(get("/p?with=query")), QByteArray{"202"});
        QCOMPARE(talk.ask(get("/", "X-A: b\r\n")), QByteArray{"203"});
        QCOMPARE(talk.ask(get("/q")), QByteArray{"500"});
        QCOMPARE(talk.ask(get("/q")), QByteArray{"206"});
        QCOMPARE(talk.ask(get("/")), QByteArray{"204"});
    }

    void stateTellsTheWindowsAndResetBeginsAgain()
    {
        Conversation talk{apiWith(kLimit)};
        talk.ask(get("/a"));
        talk.wait("3s");
        talk.ask("GET /_throttlescope/state HTTP/1.1\r\nHost: a\r\n\r\n");
        const auto state = QJsonDocument::fromJson(talk.received().mid(talk.received().indexOf("\r\n\r\n") + 4)).object();
        QCOMPARE(state["t"].toDouble(), 3.0);
        const QJsonObject limit = state["servers"].toArray()[0].toObject()["limits"].toArray()[0].toObject();
        QCOMPARE(limit["used"].toInt(), 1);
        QCOMPARE(limit["resets"].toDouble(), 10.0);
        QCOMPARE(talk.ask("POST /_throttlescope/reset HTTP/1.1\r\nHost: a\r\n\r\n"), QByteArray{"200"});
        QCOMPARE(talk.ask(get("/a")), QByteArray{"200"}); // the quota of 1 is whole again
        QCOMPARE(talk.finish().operations, std::uint64_t{1});
    }

    void controlIsRefusedWhereItMakesNoSense_data()
    {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<QByteArray>("status");
        const QByteArray host = " HTTP/1.1\r\nHost: a\r\n\r\n";
        QTest::newRow("health") << QByteArray{"GET /_throttlescope/health" + host} << QByteArray{"200"};
        QTest::newRow("unknown") << QByteArray{"GET /_throttlescope/help" + host} << QByteArray{"404"};
        QTest::newRow("reset by GET") << QByteArray{"GET /_throttlescope/reset" + host} << QByteArray{"405"};
        QTest::newRow("no journal") << QByteArray{"GET /_throttlescope/journal" + host} << QByteArray{"404"};
        QTest::newRow("advance without by") << QByteArray{"POST /_throttlescope/advance" + host} << QByteArray{"400"};
        QTest::newRow("advance beyond all calendars")
            << QByteArray{"POST /_throttlescope/advance?by=100000000d" + host} << QByteArray{"400"};
        QTest::newRow("advance backwards") << QByteArray{"POST /_throttlescope/advance?by=-3s" + host} << QByteArray{"400"};
    }
    void controlIsRefusedWhereItMakesNoSense()
    {
        QFETCH(QByteArray, request);
        QFETCH(QByteArray, status);
        Conversation talk{apiWith(kLimit)};
        QCOMPARE(talk.ask(request), status);
        QCOMPARE(talk.finish().operations, std::uint64_t{0});
    }

    void advanceNeedsAManualClock()
    {
        Served served{apiWith(kLimit)};
        Peer peer{served.port()};
        peer.send("POST /_throttlescope/advance?by=1s HTTP/1.1\r\nHost: a\r\n\r\n");
        QVERIFY(peer.untilHas("HTTP/1.1 409"));
    }

    void theJournalIsServedAndHoldsNoSecrets()
    {
        const QTemporaryDir folder;
        ServeOptions options;
        options.journal = folder.filePath("j.jsonl").toStdString();
        Served served{apiWith(kLimit), options};
        Peer peer{served.port()};
        peer.send(get("/a?token=secret1", "Authorization: secret2\r\n") + post("/b", "secret3"));
        QVERIFY(peer.until([&] { return peer.statuses() == "200 429"; }));
        peer.send(get("/_throttlescope/journal"));
        QVERIFY(peer.untilHas("attempt.finished"));
        QVERIFY(peer.received().contains("server.answered"));
        QVERIFY(!peer.received().contains("secret"));
    }

    /// Three megabytes of it, twice, and more requests behind: read from the file while they go out, not held before.
    void aLongJournalIsHandedOutWholeAndNotHeld()
    {
        const QTemporaryDir folder;
        ServeOptions options;
        options.journal = folder.filePath("j.jsonl").toStdString();
        Served served{apiWith(kLimit), options};
        Peer peer{served.port()};
        QFile file{folder.filePath("j.jsonl")};
        while (file.size() < 3 << 20) {
            peer.forget();
            for (int i = 0; i < 500; ++i)
                peer.send(get("/" + QByteArray::number(i)));
            QVERIFY(peer.until([&] { return peer.received().count("HTTP/1.1 ") == 500; }));
            peer.send(get("/_throttlescope/journal").replace("GET", "HEAD")); // has it written out
            QVERIFY(peer.until([&] { return peer.received().count("HTTP/1.1 ") == 501; }));
        }
        peer.forget();
        const qint64 size = file.size();
        peer.send(get("/_throttlescope/journal") + get("/_throttlescope/journal") + get("/_throttlescope/health"));
        std::size_t most = 0;
        QVERIFY(peer.until([&] {
            most = std::max(most, served.server.queued());
            return peer.received().endsWith("{\"status\":\"ok\"}\n");
        }));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray journal = file.read(size);
        QCOMPARE(peer.received().count("Content-Length: " + QByteArray::number(size) + "\r\n"), 2);
        QCOMPARE(peer.received().count(journal), 2);
        QVERIFY2(most <= 256 * 1024, qPrintable(QString::number(most)));
    }

    void whatIsCutOffByTheEndIsUnfinishedAndPaired()
    {
        const QTemporaryDir folder;
        ServeOptions options;
        options.journal = folder.filePath("j.jsonl").toStdString();
        Served served{apiWith("    latency: {fixed: 1h}\n"), options};
        Peer peer{served.port()};
        peer.send(get("/a"));
        QVERIFY(peer.until([&] { return served.server.accounts().model(0).inFlight() == 1; }));
        const RunReport report = served.server.finish(true);
        QCOMPARE(metric(report, "operations.unfinished"), 1.0);
        QFile journal{folder.filePath("j.jsonl")};
        QVERIFY(journal.open(QIODevice::ReadOnly));
        const QByteArray text = journal.readAll();
        QCOMPARE(text.count("attempt.started"), 1);
        QCOMPARE(text.count("attempt.finished"), 1);
    }

    void aScaleThatWholeSecondsCannotExpressIsRefusedWithTheNearest_data()
    {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<int>("scale");
        QTest::addColumn<QString>("nearest");
        QTest::newRow("a minute in 20 parts") << "limits: [{name: m, quota: 1, per: 1m}]" << 20 << "";
        QTest::newRow("a minute in 7 parts") << "limits: [{name: m, quota: 1, per: 1m}]" << 7 << "6";
        QTest::newRow("a minute in 100 parts") << "limits: [{name: m, quota: 1, per: 1m}]" << 100 << "60";
        QTest::newRow("a written hint") << "script: [{answer: {status: 429, headers: {Retry-After: \"30\"}}}]" << 4 << "3";
        QTest::newRow("a written hint that divides") << "script: [{answer: {status: 429, headers: {Retry-After: \"30\"}}}]" << 15 << "";
        QTest::newRow("a literal") << "on_limit: {retry_after: {literal: \"5\"}}" << 2 << "1";
        QTest::newRow("windows of a second and less have no such header")
            << "limits: [{name: m, quota: 1, per: 500ms, window: sliding}]" << 7 << "";
    }
    void aScaleThatWholeSecondsCannotExpressIsRefusedWithTheNearest()
    {
        QFETCH(QString, lines);
        QFETCH(int, scale);
        QFETCH(QString, nearest);
        const auto scaled = http::scaledForClients(scenarioOf(apiWith("    " + lines.toStdString())), scale);
        QCOMPARE(scaled.has_value(), nearest.isEmpty());
        if (!scaled)
            QVERIFY2(scaled.error().find("nearest that works is " + nearest.toStdString()) != std::string::npos, scaled.error().c_str());
    }

    void whatAClientIsToldIsScaledAndReadBack()
    {
        const auto scaled = http::scaledForClients(
            scenarioOf(apiWith("    script: [{answer: {status: 429, headers: {Retry-After: \"30\"}}}]", "expect: {early_returns: 0}\n")),
            15);
        ServeOptions options;
        options.scale = 15;
        http::ScenarioServer server{*scaled, options};
        QVERIFY(!server.listen());
        Peer peer{server.endpoints().front().port};
        peer.send(get());
        QVERIFY(peer.untilHas("Retry-After: 2\r\n"));
        peer.forget();
        peer.send(get());
        QVERIFY(peer.untilHas("Retry-After: 2\r\n"));
        const RunReport report = server.finish(false);
        QCOMPARE(metric(report, "early_returns"), 1.0);
        QVERIFY(metric(report, "early_by.max") > 15e6); // of the scenario's seconds
        QVERIFY(metric(report, "early_by.max") <= 30e6);
    }

    void whatOnlyAClientKnowsIsLeftOut()
    {
        const auto loaded = loadScenario(std::filesystem::path{THROTTLESCOPE_SOURCE_DIR} / "scenarios" / "retry-after-date.yaml");
        QVERIFY(loaded);
        const auto side = http::serverSide(loaded->scenario);
        QCOMPARE(side.leftOut, (std::vector<std::string>{"finish", "decisions of fetch 2"}));
        QVERIFY(side.scenario.decisions.empty());
        QCOMPARE(side.scenario.expectations.size(), loaded->scenario.expectations.size() - 1);
    }
};

QTEST_GUILESS_MAIN(TestHttpAccounts)
#include "tst_http_accounts.moc"
