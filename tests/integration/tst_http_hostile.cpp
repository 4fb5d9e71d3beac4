// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/http/peer.h"

#include <sys/resource.h>

using namespace throttlescope::http::test;
using throttlescope::http::ServeOptions;

namespace {

const std::string kPlain = apiWith("    limits: []");

} // namespace

/// Peers that mean no good. After each the server goes on.
class TestHttpHostile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsNoRequestIsRefusedAndTheConnectionEnds_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        QTest::newRow("garbage") << QByteArray{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 nonsense\r\n\r\n"} << 400;
        QTest::newRow("a line of nothing known") << QByteArray{"hello\r\n\r\n"} << 400;
        QTest::newRow("a version of another age") << QByteArray{"GET / HTTP/2.0\r\nHost: a\r\n\r\n"} << 505;
        QTest::newRow("a tunnel") << QByteArray{"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"} << 501;
        QTest::newRow("no host") << QByteArray{"GET / HTTP/1.1\r\n\r\n"} << 400;
        QTest::newRow("two hosts") << QByteArray{"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"} << 400;
        QTest::newRow("a blank before the colon") << QByteArray{"GET / HTTP/1.1\r\nHost : a\r\n\r\n"} << 400;
        QTest::newRow("a control character in a field") << QByteArray{"GET / HTTP/1.1\r\nHost: a\r\nX: a\x01z\r\n\r\n"} << 400;
        QTest::newRow("a chunk size that is no number")
            << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"} << 400;
        QTest::newRow("a chunk longer than its size")
            << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n"} << 400;
        QTest::newRow("a chunk size of 2^70")
            << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n400000000000000000\r\nx"} << 400;
        QTest::newRow("a chunk over the bound")
            << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\nx"} << 413;
        QTest::newRow("length and chunks")
            << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"} << 400;
        QTest::newRow("two lengths") << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"} << 400;
        QTest::newRow("a negative length") << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n"} << 400;
        QTest::newRow("a length over the bound") << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 16777217\r\n\r\n"} << 413;
        QTest::newRow("an unknown coding") << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"} << 501;
        QTest::newRow("an unknown expectation")
            << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: wonders\r\n\r\n"} << 417;
        QTest::newRow("a megabyte in one field")
            << QByteArray{"GET / HTTP/1.1\r\nHost: a\r\nX: " + QByteArray(1 << 20, 'x') + "\r\n\r\n"} << 431;
        QTest::newRow("a megabyte of target") << QByteArray{"GET /" + QByteArray(1 << 20, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n"} << 431;
        QTest::newRow("a megabyte of chunk extension")
            << QByteArray{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;" + QByteArray(1 << 20, 'x')} << 400;
    }
    void whatIsNoRequestIsRefusedAndTheConnectionEnds()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        Served served{kPlain};
        Peer peer{served.port()};
        peer.send(bytes);
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.statuses(), QByteArray::number(status));
        QCOMPARE(peer.seen(), Peer::Seen::End); // the answer was not lost to a reset
        Peer next{served.port()};
        next.send(get());
        QVERIFY(next.untilHas("HTTP/1.1 200"));
    }

    void halfARequestIsForgottenWithItsConnection()
    {
        Served served{kPlain};
        {
            Peer peer{served.port()};
            peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf");
            peer.endOutput();
            QVERIFY(peer.untilEnded());
            QCOMPARE(peer.received(), QByteArray{});
        }
        QCOMPARE(served.server.connections(), std::size_t{0});
        QCOMPARE(served.server.accounts().operationsStarted(), std::uint64_t{0});
    }

    void aPeerThatResetsInsideItsBodyIsForgotten()
    {
        Served served{kPlain};
        Peer peer{served.port()};
        peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nhalf");
        Peer other{served.port()};
        QVERIFY(other.until([&] { return served.server.connections() == 2; }));
        peer.reset();
        QVERIFY(other.until([&] { return served.server.connections() == 1; }));
        other.send(get());
        QVERIFY(other.untilHas("HTTP/1.1 200"));
    }

    void aPeerThatResetsInsideItsAnswerIsForgotten()
    {
        Served served{apiWith("    script: [{answer: {status: 200, size: 500MiB}}]")};
        Peer peer{served.port()};
        peer.send(get());
        QVERIFY(peer.untilHas("xxxx"));
        peer.reset();
        Peer other{served.port()};
        QVERIFY(other.until([&] { return served.server.connections() == 1; }));
    }

    void aSlowHeaderIsNotWaitedForWithoutEnd()
    {
        ServeOptions options;
        options.limits.header = std::chrono::milliseconds{80};
        Served served{kPlain, options};
        Peer peer{served.port()};
        peer.send("GET / HTTP/1.1\r\n");
        QElapsedTimer sinceLast;
        sinceLast.start();
        const bool ended = peer.until([&] {
            if (sinceLast.hasExpired(10)) { // a field now and then does not help
                peer.send("X: y\r\n");
                sinceLast.start();
            }
            return peer.seen() != Peer::Seen::Open || !peer.received().isEmpty();
        });
        QVERIFY(ended);
        QVERIFY(peer.statuses().isEmpty() || peer.statuses() == "408");
        Peer other{served.port()};
        QVERIFY(other.until([&] { return served.server.connections() == 1; }, 15'000));
    }

    void aBodyThatStopsComingIsGivenUp()
    {
        ServeOptions options;
        options.limits.body = std::chrono::milliseconds{50};
        Served served{kPlain, options};
        Peer peer{served.port()};
        peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf");
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.statuses(), QByteArray{"408"});
    }

    void anIdleConnectionIsClosed()
    {
        ServeOptions options;
        options.limits.idle = std::chrono::milliseconds{50};
        Served served{kPlain, options};
        Peer silent{served.port()};
        QVERIFY(silent.untilEnded());
        QCOMPARE(silent.seen(), Peer::Seen::End);
    }

    void aPeerThatDoesNotReadItsAnswersHoldsLittle()
    {
        ServeOptions options;
        options.limits.body = std::chrono::milliseconds{400};
        Served served{apiWith("    script: [{answer: {status: 200, size: 500MiB}}]"), options};
        Peer peer{served.port()}, other{served.port()};
        QVERIFY(other.until([&] { return served.server.connections() == 2; }));
        peer.send(get()); // and never read from
        std::size_t most = 0;
        QVERIFY(other.until([&] {
            most = std::max(most, served.server.queued());
            return served.server.connections() == 1;
        }));
        QVERIFY(most > 0); // the kernel did not take it all
        QVERIFY2(most <= 256 * 1024, qPrintable(QString::number(most)));
        QCOMPARE(served.server.queued(), std::size_t{0});
    }

    /// A quarter of a megabyte each would be 7.5 of them.
    void manyPeersThatDoNotReadHoldLittleTogether()
    {
        constexpr std::size_t peers = 30;
        ServeOptions options;
        options.limits.body = std::chrono::milliseconds{400};
        options.limits.queued = 1 << 20;
        Served served{apiWith("    script: [{answer: {status: 200, size: 500MiB}}]"), options};
        std::vector<std::unique_ptr<Peer>> silent;
        for (std::size_t i = 0; i < peers; ++i)
            silent.push_back(std::make_unique<Peer>(served.port()));
        Peer other{served.port()};
        QVERIFY(other.until([&] { return served.server.connections() == peers + 1; }));
        for (const auto &peer : silent)
            peer->send(get());
        std::size_t most = 0;
        QVERIFY(other.until([&] {
            most = std::max(most, served.server.queued());
            return served.server.connections() == 1;
        }));
#ifndef THROTTLESCOPE_SANITIZED // where 400 ms may be too little to get there
        QVERIFY(most > 1 << 20);
#endif
        QVERIFY2(most <= (1 << 20) + 256 * 1024 + peers * 16 * 1024, qPrintable(QString::number(most)));
        QCOMPARE(served.server.queued(), std::size_t{0});
    }

    /// Each left a request that the server works on for an hour: so many, and the oldest goes.
    void whatIsLeftAtTheServerIsBounded()
    {
        ServeOptions options;
        options.clock = throttlescope::http::RunClock::Kind::Manual;
        options.limits.abandoned = 3;
        Served served{apiWith("    latency: {fixed: 1h}"), options};
        Peer other{served.port()};
        QVERIFY(other.until([&] { return served.server.connections() == 1; }));
        for (std::uint64_t i = 1; i <= 10; ++i) {
            Peer peer{served.port()};
            peer.send(get("/" + QByteArray::number(i)));
            QVERIFY(other.until([&] { return served.server.accounts().operationsStarted() == i; }));
            peer.reset();
            QVERIFY(other.until([&] { return served.server.connections() == 1; }));
        }
        QCOMPARE(served.server.accounts().model(0).inFlight(), 3);
        const auto report = served.server.finish(false);
        QCOMPARE(report.metrics.attempts, std::uint64_t{10});
    }

    void aPeerThatNeverStopsSendingIsCutOffAfterItsRefusal()
    {
        ServeOptions options;
        options.limits.linger = std::chrono::milliseconds{50};
        Served served{kPlain, options};
        Peer peer{served.port()};
        peer.send("garbage\r\n\r\n");
        QVERIFY(peer.until([&] {
            peer.send("more and more\r\n");
            return served.server.connections() == 0;
        }));
    }

    void fiveThousandIdleSocketsDoNotHinderOneThatWorks()
    {
        rlimit limit{};
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur < 10'100)
            QSKIP("this machine allows too few descriptors for both ends");
        Served served{kPlain};
        std::vector<std::unique_ptr<Peer>> idle;
        for (int i = 0; i < 5000; ++i) {
            idle.push_back(std::make_unique<Peer>(served.port()));
            QCoreApplication::processEvents();
        }
        Peer peer{served.port()};
        QVERIFY(peer.until([&] { return served.server.connections() == 5001; }));
        for (int i = 0; i < 100; ++i) {
            peer.forget();
            peer.send(get());
            QVERIFY(peer.untilHas("HTTP/1.1 200"));
        }
        idle.clear();
        QVERIFY(peer.until([&] { return served.server.connections() == 1; }));
    }

    void connectionsOverTheBoundAreClosedAtOnce()
    {
        ServeOptions options;
        options.limits.connections = 2;
        Served served{kPlain, options};
        Peer a{served.port()}, b{served.port()};
        QVERIFY(b.until([&] { return served.server.connections() == 2; }));
        Peer c{served.port()};
        QVERIFY(c.untilEnded());
        a.send(get());
        QVERIFY(a.untilHas("HTTP/1.1 200"));
    }

    void aScriptCannotFrameItsAnswerOtherwise()
    {
        Served served{
            apiWith("    script: [{answer: {status: 200, body: abc, headers: {Content-Length: \"9\", Transfer-Encoding: chunked}}}]")};
        Peer peer{served.port()};
        peer.send(get() + get());
        QVERIFY(peer.until([&] { return peer.statuses() == "200 200"; }));
        QCOMPARE(peer.received().count("Content-Length: 3\r\n"), 2);
        QVERIFY(!peer.received().contains("Transfer-Encoding"));
    }
};

QTEST_GUILESS_MAIN(TestHttpHostile)
#include "tst_http_hostile.moc"
