// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/http/peer.h"

using namespace throttlescope::http::test;
using throttlescope::http::ServeOptions;

/// HTTP/1.1 as a peer sees it, on real sockets.
class TestHttpServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLimitAnswers429WithRetryAfter()
    {
        Served served{apiWith("    limits: [{name: m, quota: 1, per: 1m, window: fixed, align: first_request}]")};
        Peer peer{served.port()};
        peer.send(get());
        QVERIFY(peer.untilHas("HTTP/1.1 200 OK\r\n"));
        peer.send(get()); // the connection was kept
        QVERIFY(peer.untilHas("HTTP/1.1 429 Too Many Requests\r\n"));
        QVERIFY(peer.untilHas("Retry-After: 60\r\n"));
        QVERIFY(peer.received().contains("\r\nDate: "));
        QCOMPARE(peer.seen(), Peer::Seen::Open);
    }

    void ipv6LoopbackIsServedOnTheSamePort()
    {
        Served served{apiWith("    limits: []")};
        Peer peer{served.port(), true};
        if (!peer.connected())
            QSKIP("this machine has no ::1");
        peer.send(get());
        QVERIFY(peer.untilHas("HTTP/1.1 200"));
    }

    void pipelinedRequestsAreAnsweredInTheirOrder()
    {
        Served served{apiWith("    script:\n      - {when: {path: /slow}, answer: {status: 201, body: first}}\n"
                              "      - {when: {path: /b}, answer: {status: 202, body: second}}\n    latency: {fixed: 20ms}")};
        Peer peer{served.port()};
        peer.send(get("/slow") + get("/b") + get("/_throttlescope/health") + get("/c"));
        QVERIFY(peer.until([&] { return peer.statuses() == "201 202 200 200"; }));
        QVERIFY(peer.received().indexOf("first") < peer.received().indexOf("second"));
    }

    void moreThanThePipelineHoldsIsReadWhenItHasRoom()
    {
        Served served{apiWith("    latency: {fixed: 1ms}")};
        Peer peer{served.port()};
        QByteArray many;
        for (int i = 0; i < 1000; ++i)
            many += get("/" + QByteArray::number(i));
        peer.send(many);
        QVERIFY(peer.until([&] { return peer.received().count("HTTP/1.1 200") == 1000; }));
    }

    void aChunkedBodyIsReadAndTheNextRequestFound()
    {
        Served served{apiWith("    limits: []")};
        Peer peer{served.port()};
        peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhel");
        peer.send("lo\r\n0\r\nX-Trailer: 1\r\n\r\n" + get());
        QVERIFY(peer.until([&] { return peer.statuses() == "200 200"; }));
    }

    void aPeerThatExpects100IsToldToGoOn()
    {
        Served served{apiWith("    limits: []")};
        Peer peer{served.port()};
        peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
        QVERIFY(peer.untilHas("HTTP/1.1 100 Continue\r\n\r\n"));
        peer.send("hello");
        QVERIFY(peer.untilHas("HTTP/1.1 200"));
    }

    void the100OfAPipelinedRequestComesAfterTheAnswersBeforeIt()
    {
        Served served{apiWith("    latency: {fixed: 20ms}")};
        Peer peer{served.port()};
        peer.send(get() + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
        QVERIFY(peer.untilHas("100 Continue"));
        QCOMPARE(peer.statuses(), QByteArray{"200 100"});
        peer.send("hello");
        QVERIFY(peer.until([&] { return peer.statuses() == "200 100 200"; }));
    }

    void headTellsTheLengthAndSendsNoBody()
    {
        Served served{apiWith("    script: [{answer: {status: 200, body: hello}}]")};
        Peer peer{served.port()};
        peer.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get());
        QVERIFY(peer.untilHas("hello"));
        QCOMPARE(peer.received().count("Content-Length: 5\r\n"), 2);
        QCOMPARE(peer.received().count("hello"), 1);
    }

    void anOldClientIsAnsweredAndClosed()
    {
        Served served{apiWith("    limits: []")};
        Peer peer{served.port()};
        peer.send("GET / HTTP/1.0\r\n\r\n");
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.seen(), Peer::Seen::End);
        QVERIFY(peer.received().contains("Connection: close\r\n"));
    }

    void anOldClientThatAsksForItIsKept()
    {
        Served served{apiWith("    limits: []")};
        Peer peer{served.port()};
        peer.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        QVERIFY(peer.untilHas("Connection: keep-alive\r\n"));
        peer.send("GET / HTTP/1.0\r\n\r\n");
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.statuses(), QByteArray{"200 200"});
    }

    void afterCloseNothingMoreIsAnswered()
    {
        Served served{apiWith("    limits: []")};
        Peer peer{served.port()};
        peer.send(get("/", "Connection: close\r\n") + get());
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.statuses(), QByteArray{"200"});
    }

    void aClientThatEndsItsSideStillGetsItsAnswer()
    {
        Served served{apiWith("    latency: {fixed: 30ms}")};
        Peer peer{served.port()};
        peer.send(get());
        peer.endOutput();
        QVERIFY(peer.untilEnded());
        QCOMPARE(peer.statuses(), QByteArray{"200"});
    }

    void aBodyOfManyMegabytesPasses()
    {
        Served served{apiWith("    script: [{answer: {status: 200, size: 20MB}}]")};
        Peer peer{served.port()};
        peer.send(get("/", "Connection: close\r\n"));
        QVERIFY(peer.untilEnded());
        QVERIFY(peer.received().contains("Content-Length: 20000000\r\n"));
        QCOMPARE(peer.received().size() - peer.received().indexOf("\r\n\r\n") - 4, 20'000'000);
    }

    void ofServersEachHasItsPort()
    {
        Served served{"throttlescope: 1\nservers:\n  a: {script: [{answer: {status: 201}}]}\n  b: {script: [{answer: {status: 202}}]}\n"
                      "workload: [{operation: x, server: a, arrivals: {batch: 1}}]\n"};
        Peer a{served.server.endpoints()[0].port}, b{served.server.endpoints()[1].port};
        a.send(get());
        b.send(get());
        QVERIFY(a.untilHas("HTTP/1.1 201"));
        QVERIFY(b.untilHas("HTTP/1.1 202"));
    }

    void aPortInUseIsNamed()
    {
        Served first{apiWith("    limits: []")};
        ServeOptions options;
        options.port = first.port();
        throttlescope::http::ScenarioServer second{scenarioOf(apiWith("    limits: []")), options};
        const auto error = second.listen();
        QVERIFY(error);
        QVERIFY(error->find(std::to_string(first.port())) != std::string::npos);
    }

    void tlsServesAClientThatTrustsTheCertificate()
    {
        ServeOptions options;
        options.tls = true;
        Served served{apiWith("    limits: [{name: m, quota: 1, per: 1m}]"), options};
        QSslSocket socket;
        QSslConfiguration configuration;
        configuration.setCaCertificates({QSslCertificate{QByteArray::fromStdString(served.server.certificate())}});
        socket.setSslConfiguration(configuration);
        socket.connectToHostEncrypted("127.0.0.1", served.port());
        QTRY_VERIFY(socket.isEncrypted());
        socket.write(get() + get("/", "Connection: close\r\n"));
        QTRY_COMPARE(socket.state(), QAbstractSocket::UnconnectedState);
        const QByteArray received = socket.readAll();
        QVERIFY(received.contains("HTTP/1.1 200"));
        QVERIFY(received.contains("HTTP/1.1 429"));
    }
};

QTEST_GUILESS_MAIN(TestHttpServer)
#include "tst_http_server.moc"
