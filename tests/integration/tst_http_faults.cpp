// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/http/peer.h"

#include <QSignalSpy>
#include <QTcpServer>
#include <netinet/tcp.h>
#include <sys/resource.h>

using namespace throttlescope::http::test;
using throttlescope::http::RunClock;
using throttlescope::http::ServeOptions;

namespace {

std::string always(const std::string &answer)
{
    return apiWith("    script: [{answer: " + answer + "}]");
}

ServeOptions manual()
{
    ServeOptions options;
    options.clock = RunClock::Kind::Manual;
    return options;
}

QByteArray advancing(const QByteArray &by)
{
    return "POST /_throttlescope/advance?by=" + by + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

/// Moves the clock by hand, over a connection of its own.
void advance(std::uint16_t port, const QByteArray &by)
{
    Peer control{port};
    control.send(advancing(by));
    QVERIFY(control.untilHas("HTTP/1.1 200"));
}

} // namespace

/// Each fault as the peer meets it.
class TestHttpFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aResetIsSeenAsAReset()
    {
        Served served{always("{fault: reset}")};
        Peer peer{served.port()};
        peer.send(get());
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.seen(), Peer::Seen::Reset);
        QVERIFY(peer.received().isEmpty());
    }

    void aResetOverTlsIsSeenAsAReset()
    {
        ServeOptions options;
        options.tls = true;
        Served served{always("{fault: reset}"), options};
        QSslSocket socket;
        socket.setPeerVerifyMode(QSslSocket::VerifyNone);
        socket.connectToHostEncrypted("127.0.0.1", served.port());
        QTRY_VERIFY(socket.isEncrypted());
        const int watched = ::dup(static_cast<int>(socket.socketDescriptor())); // Qt tells a reset and an end alike
        socket.write(get());
        QTRY_COMPARE(socket.state(), QAbstractSocket::UnconnectedState);
        QVERIFY(socket.bytesAvailable() == 0);
        tcp_info info{};
        socklen_t size = sizeof info;
        QCOMPARE(getsockopt(watched, IPPROTO_TCP, TCP_INFO, &info, &size), 0);
        ::close(watched);
        QCOMPARE(static_cast<int>(info.tcpi_state), static_cast<int>(TCP_CLOSE)); // an end would leave it at TCP_CLOSE_WAIT
    }

    void answersBeforeAResetAreDelivered()
    {
        Served served{apiWith("    script: [{when: {nth: 2}, answer: {fault: reset}}]")};
        Peer peer{served.port()};
        peer.send(get() + get()); // read at once: the answer has not gone out when the reset is decided
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.seen(), Peer::Seen::Reset);
        QCOMPARE(peer.statuses(), QByteArray{"200"});
    }

    void aTimeoutSaysNothingUntilTheClientGoes()
    {
        Served served{always("{fault: timeout}"), manual()};
        Peer peer{served.port()};
        peer.send(get());
        QVERIFY(peer.until([&] { return served.server.accounts().model(0).inFlight() == 1; }));
        advance(served.port(), "1h");
        peer.look();
        QCOMPARE(peer.seen(), Peer::Seen::Open);
        QVERIFY(peer.received().isEmpty());
        QCOMPARE(served.server.accounts().model(0).inFlight(), 1);
        peer.endOutput();
        QVERIFY(peer.untilEnded());
        QVERIFY(peer.received().isEmpty());
        QCOMPARE(served.server.accounts().model(0).inFlight(), 0);
    }

    void whoGoesWhileTheRequestIsOnItsWayHasGivenUp_data()
    {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<bool>("resets");
        QTest::addColumn<QByteArray>("statuses");
        QTest::newRow("ends its side before a timeout") << "{fault: timeout}" << false << QByteArray{};
        QTest::newRow("ends its side before an answer") << "{status: 200}" << false << QByteArray{"200"};
        QTest::newRow("ends its side before a reset") << "{fault: reset}" << false << QByteArray{};
        QTest::newRow("resets before a timeout") << "{fault: timeout}" << true << QByteArray{};
        QTest::newRow("resets before an answer") << "{status: 200}" << true << QByteArray{};
        QTest::newRow("resets before a reset") << "{fault: reset}" << true << QByteArray{};
    }
    /// As in virtual time: it arrives all the same, occupies the server to its end, and is one failed attempt.
    void whoGoesWhileTheRequestIsOnItsWayHasGivenUp()
    {
        QFETCH(QString, answer);
        QFETCH(bool, resets);
        QFETCH(QByteArray, statuses);
        Served served{apiWith("    network: {out: 10s, back: 1s}\n    script: [{answer: " + answer.toStdString() + "}]"), manual()};
        Peer peer{served.port()};
        peer.send(get("/x"));
        Peer other{served.port()};
        QVERIFY(other.until([&] { return served.server.connections() == 2; }));
        if (resets)
            peer.reset();
        else
            peer.endOutput();
        other.send(get("/_throttlescope/health")); // behind the end of the other one
        QVERIFY(other.untilHas("HTTP/1.1 200"));
        advance(served.port(), "10s");
        QCOMPARE(served.server.accounts().operationsStarted(), std::uint64_t{1});
        if (!resets) {
            advance(served.port(), "1s");
            QVERIFY(peer.untilEnded());
            QCOMPARE(peer.statuses(), statuses);
        }
        QCOMPARE(served.server.accounts().model(0).inFlight(), 0);
        const auto report = served.server.finish(false);
        QCOMPARE(report.metrics.attempts, std::uint64_t{1});
        QCOMPARE(report.metrics.operations[static_cast<std::size_t>(throttlescope::Result::Failed)], std::uint64_t{1});
        QCOMPARE(report.metrics.operations[static_cast<std::size_t>(throttlescope::Result::Succeeded)], std::uint64_t{0});
    }

    void whoGivesUpLeavesAtOnceWhereTheServerLetsGo_data()
    {
        QTest::addColumn<QString>("abandoned");
        QTest::addColumn<int>("inFlight");
        QTest::newRow("occupied") << "occupied" << 1;
        QTest::newRow("freed") << "freed" << 0;
    }
    void whoGivesUpLeavesAtOnceWhereTheServerLetsGo()
    {
        QFETCH(QString, abandoned);
        QFETCH(int, inFlight);
        Served served{apiWith("    latency: {fixed: 10s, abandoned: " + abandoned.toStdString() + "}"), manual()};
        Peer peer{served.port()};
        peer.send(get());
        QVERIFY(peer.until([&] { return served.server.accounts().model(0).inFlight() == 1; }));
        peer.reset();
        Peer other{served.port()};
        other.send(get("/_throttlescope/health")); // behind the end of the other one
        QVERIFY(other.untilHas("HTTP/1.1 200"));
        QCOMPARE(served.server.accounts().model(0).inFlight(), inFlight);
        advance(served.port(), "10s");
        QCOMPARE(served.server.accounts().model(0).inFlight(), 0);
    }

    void aDrawnHopIsTravelled()
    {
        Served served{apiWith("    network: {out: {uniform: {min: 1s, max: 2s}}, back: {uniform: {min: 1s, max: 2s}}}"), manual()};
        Peer peer{served.port()};
        peer.send(get());
        Peer other{served.port()};
        QVERIFY(other.until([&] { return served.server.connections() == 2; }));
        other.send(get("/_throttlescope/health"));
        QVERIFY(other.untilHas("HTTP/1.1 200"));
        advance(served.port(), "999ms");
        QCOMPARE(served.server.accounts().operationsStarted(), std::uint64_t{0});
        advance(served.port(), "1s");
        QCOMPARE(served.server.accounts().operationsStarted(), std::uint64_t{1});
        advance(served.port(), "2s");
        QVERIFY(peer.untilHas("HTTP/1.1 200"));
    }

    void aTruncatedBodyEndsInsideIt()
    {
        Served served{always("{status: 200, size: 1000B, break_at: 50%}")};
        Peer peer{served.port()};
        peer.send(get());
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.seen(), Peer::Seen::End);
        QVERIFY(peer.received().contains("Content-Length: 1000\r\n"));
        QVERIFY(!peer.received().contains("Connection: close"));
        QCOMPARE(peer.received().size() - peer.received().indexOf("\r\n\r\n") - 4, 500);
    }

    void aSlowAnswerTrickles()
    {
        Served served{apiWith("    script: []", "timeline: [{at: 0s, for: 1h, server: api, faults: {slow: 100%}}]\n"), manual()};
        Peer peer{served.port()};
        peer.send(get());
        QVERIFY(peer.until([&] { return served.server.accounts().model(0).inFlight() == 1; }));
        QVERIFY(peer.received().isEmpty());
        advance(served.port(), "1s");
        QVERIFY(peer.until([&] { return !peer.received().isEmpty(); }));
        const qsizetype early = peer.received().size();
        QVERIFY(!peer.received().contains("\r\n\r\n"));
        advance(served.port(), "5s");
        QVERIFY(peer.until([&] { return peer.received().size() > early; }));
        QVERIFY(!peer.received().contains("\r\n\r\n"));
        advance(served.port(), "4s");
        QVERIFY(peer.untilHas("\r\n\r\n"));
        QCOMPARE(served.server.accounts().model(0).inFlight(), 0);
    }

    void aRefusalClosesThePortForItsSpanAndOpensItAgain()
    {
        const std::string yaml = apiWith("    limits: []", "timeline: [{at: 15s, for: 5s, server: api, faults: refuse}]\n");
        ServeOptions options;
        options.scale = 10;
        Served served{yaml, options};
        Peer kept{served.port()};
        kept.send(get());
        QVERIFY(kept.untilHas("HTTP/1.1 200"));
        QVERIFY(kept.untilEnded()); // at 15 s, 1.5 s of ours
        QVERIFY(!Peer{served.port()}.connected());
        QVERIFY(kept.until([&] { return Peer{served.port()}.connected(); }));
        Peer again{served.port()};
        again.send(get());
        QVERIFY(again.untilHas("HTTP/1.1 200"));
    }

    void spansThatTouchAreOneRefusal_data()
    {
        QTest::addColumn<QByteArray>("timeline");
        QTest::newRow("in their order") << QByteArray{"{at: 10s, for: 5s, server: api, faults: refuse}, "
                                                      "{at: 15s, for: 5s, server: api, faults: refuse}"};
        QTest::newRow("the later one first") << QByteArray{"{at: 15s, for: 5s, server: api, faults: refuse}, "
                                                           "{at: 10s, for: 5s, server: api, faults: refuse}"};
    }
    void spansThatTouchAreOneRefusal()
    {
        QFETCH(QByteArray, timeline);
        Served served{apiWith("    limits: []\n  other: {}", "timeline: [" + timeline.toStdString() + "]\n"), manual()};
        const std::uint16_t control = served.server.endpoints()[1].port;
        const auto open = [&] { return Peer{served.port()}.connected(); };
        QVERIFY(open());
        advance(control, "10s");
        QVERIFY(!open());
        advance(control, "5s");
        QVERIFY(!open());
        advance(control, "4s");
        QVERIFY(!open());
        advance(control, "1s");
        QVERIFY(open());
    }

    /// Whoever serves sets SO_REUSEADDR. It helps against connections that linger, not against a port that is held.
    void whileItRefusesNobodyElseGetsThePort()
    {
        Served served{apiWith("    limits: []\n  other: {}", "timeline: [{at: 1s, for: 1s, server: api, faults: refuse}]\n"), manual()};
        const std::uint16_t control = served.server.endpoints()[1].port;
        Peer busy{served.port()}; // its connection outlives the listening socket
        busy.send(get());
        QVERIFY(busy.untilHas("HTTP/1.1 200"));
        advance(control, "1s");
        QVERIFY(!Peer{served.port()}.connected());
        QTcpServer thief;
        QVERIFY(!thief.listen(QHostAddress::LocalHost, served.port()));
        advance(control, "1s");
        Peer again{served.port()};
        again.send(get());
        QVERIFY(again.untilHas("HTTP/1.1 200"));
    }

    void aPortThatCannotBeOpenedAgainIsNamed()
    {
#ifdef THROTTLESCOPE_SANITIZED
        QSKIP("a sanitizer needs descriptors of its own");
#endif
        Served served{apiWith("    limits: []\n  other: {}", "timeline: [{at: 1s, for: 1s, server: api, faults: refuse}]\n"), manual()};
        QSignalSpy lost{&served.server, &throttlescope::http::ScenarioServer::portLost};
        Peer control{served.server.endpoints()[1].port};
        control.send(advancing("1s"));
        QVERIFY(control.untilHas("HTTP/1.1 200"));
        QCOMPARE(lost.count(), 0);
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_NOFILE, &before), 0);
        const int next = ::dup(STDIN_FILENO);
        ::close(next);
        const rlimit none{static_cast<rlim_t>(next), before.rlim_max}; // no further descriptor is to be had
        QCOMPARE(setrlimit(RLIMIT_NOFILE, &none), 0);
        control.forget();
        control.send(advancing("1s"));
        const bool answered = control.untilHas("HTTP/1.1 200");
        setrlimit(RLIMIT_NOFILE, &before);
        QVERIFY(answered);
        QCOMPARE(lost.count(), 1);
        QVERIFY(!Peer{served.port()}.connected());
        const std::string error = served.server.finish(false).error;
        QVERIFY2(error.find("api cannot be served, port " + std::to_string(served.port()) + " of 127.0.0.1: ") == 0, error.c_str());
        QVERIFY2(error.find("open files") != std::string::npos, error.c_str());
    }

    void aBusyConnectionIsAnsweredBeforeARefusalClosesIt()
    {
        const std::string yaml = apiWith("    latency: {fixed: 15s}", "timeline: [{at: 10s, for: 1h, server: api, faults: refuse}]\n");
        ServeOptions options;
        options.scale = 10;
        Served served{yaml, options};
        Peer peer{served.port()};
        peer.send(get());
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.statuses(), QByteArray{"200"});
        QVERIFY(peer.received().contains("Connection: close"));
    }

    void aStatusFaultIsAnOrdinaryAnswer()
    {
        Served served{apiWith("    script: []", "timeline: [{at: 0s, for: 1h, server: api, faults: {503: 100%}}]\n")};
        Peer peer{served.port()};
        peer.send(get() + get());
        QVERIFY(peer.until([&] { return peer.statuses() == "503 503"; }));
    }

    void latencyIsScaled()
    {
        ServeOptions options;
        options.scale = 1000;
        Served served{apiWith("    latency: {fixed: 20s}\n    network: {out: 5s, back: 5s}"), options};
        Peer peer{served.port()};
        QElapsedTimer timer;
        timer.start();
        peer.send(get());
        QVERIFY(peer.untilHas("HTTP/1.1 200"));
        QVERIFY2(timer.elapsed() >= 29, qPrintable(QString::number(timer.elapsed()))); // 30 s of the scenario's
        QVERIFY(timer.elapsed() < 5000);
    }

    void aManualClockStandsUntilItIsMoved()
    {
        Served served{apiWith("    limits: [{name: m, quota: 1, per: 1m, window: fixed, align: first_request}]"), manual()};
        Peer peer{served.port()};
        peer.send(get() + get());
        QVERIFY(peer.until([&] { return peer.statuses() == "200 429"; }));
        QVERIFY(peer.received().contains("Date: Thu, 01 Jan 2026 00:00:00 GMT")); // the scenario's start
        advance(served.port(), "59.9s");
        peer.send(get());
        QVERIFY(peer.until([&] { return peer.statuses() == "200 429 429"; }));
        advance(served.port(), "100ms");
        peer.send(get());
        QVERIFY(peer.until([&] { return peer.statuses() == "200 429 429 200"; }));
    }
};

QTEST_GUILESS_MAIN(TestHttpFaults)
#include "tst_http_faults.moc"
