// SPDX-License-Identifier: Apache-2.0
#include "net_support.h"

#include <QBuffer>

using namespace throttlescope;
using namespace throttlescope::testing;

namespace {

net::DeviceFactory buffers(const QByteArray &bytes, std::shared_ptr<int> made = std::make_shared<int>(0))
{
    return [bytes, made] {
        ++*made;
        auto buffer = std::make_unique<QBuffer>();
        buffer->setData(bytes);
        return buffer;
    };
}

std::shared_ptr<QIODevice> oneShot(const QByteArray &bytes)
{
    auto buffer = std::make_shared<QBuffer>();
    buffer->setData(bytes);
    buffer->open(QIODevice::ReadOnly);
    return buffer;
}

} // namespace

/// Bodies up and down: what is sent again, what never is, and what is handed on.
class TestNetBodies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRetryIsIdenticalToTheByte_data()
    {
        QTest::addColumn<QByteArray>("method");
        QTest::addColumn<bool>("device");
        QTest::addColumn<qsizetype>("size");
        QTest::newRow("GET without a body") << QByteArray{"GET"} << false << qsizetype{-1};
        QTest::newRow("HEAD") << QByteArray{"HEAD"} << false << qsizetype{-1};
        QTest::newRow("DELETE without a body") << QByteArray{"DELETE"} << false << qsizetype{-1};
        QTest::newRow("POST without a body") << QByteArray{"POST"} << false << qsizetype{-1};
        QTest::newRow("POST of nothing") << QByteArray{"POST"} << false << qsizetype{0};
        QTest::newRow("POST of bytes") << QByteArray{"POST"} << false << qsizetype{10};
        QTest::newRow("PATCH of many bytes") << QByteArray{"PATCH"} << false << qsizetype{300'000};
        QTest::newRow("GET with a body") << QByteArray{"GET"} << false << qsizetype{10};
        QTest::newRow("PUT from a factory") << QByteArray{"PUT"} << true << qsizetype{300'000};
    }
    void aRetryIsIdenticalToTheByte()
    {
        QFETCH(QByteArray, method);
        QFETCH(bool, device);
        QFETCH(qsizetype, size);
        ScriptedPeer peer{{respond(503), respond(503), respond(200)}};
        if (method == "HEAD")
            peer.setScript([](const PeerRequest &request) {
                return PeerReply{request.nth < 3 ? "HTTP/1.1 503 No\r\n\r\n" : "HTTP/1.1 200 Yes\r\n\r\n"};
            });
        Journalled it;
        net::Request request = get(peer.url("/a%20b?c=d%2Fe"));
        request.method = method.toStdString();
        request.idempotent = true;
        request.headers = {{"X-A", "b"}};
        const QByteArray bytes(std::max<qsizetype>(size, 0), 'z');
        if (size >= 0)
            request.body = device ? net::Body{buffers(bytes)} : net::Body{bytes};
        const net::Result result = it.ask(request);
        QVERIFY2(result.succeeded(), result.error ? result.error->message.c_str() : "");
        QCOMPARE(peer.requests().size(), 3);
        QCOMPARE(peer.requests()[0].method, method);
        QCOMPARE(peer.requests()[0].target, QByteArray{"/a%20b?c=d%2Fe"});
        QCOMPARE(peer.requests()[0].body, bytes);
        QCOMPARE(peer.requests()[1].wire, peer.requests()[0].wire);
        QCOMPARE(peer.requests()[2].wire, peer.requests()[0].wire);
    }

    void aFactoryIsAskedOncePerAttempt()
    {
        ScriptedPeer peer{{respond(503), respond(200)}};
        Journalled it;
        const auto made = std::make_shared<int>(0);
        net::Request request = post(peer.url(), buffers("abc", made));
        request.idempotent = true;
        QVERIFY(it.ask(request).succeeded());
        QCOMPARE(*made, 2);
    }

    void aFactoryWithoutADeviceIsATransportFailure()
    {
        ScriptedPeer peer;
        Journalled it;
        net::Request request = post(peer.url(), net::DeviceFactory{[] { return std::unique_ptr<QIODevice>{}; }});
        request.idempotent = true;
        const net::Result result = it.ask(request);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::AttemptsExhausted});
        QCOMPARE(result.error->transport, std::optional{TransportFailureKind::Other});
        QCOMPARE(peer.requests().size(), 0);
    }

    void aDeviceThatCanBeSentOnceIsSentOnce()
    {
        ScriptedPeer peer{{respond(503)}};
        Journalled it;
        net::Request request = post(peer.url(), oneShot("abc"));
        request.idempotent = true;
        const net::Result result = it.ask(request);
        QCOMPARE(result.end, Result::Failed);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::BodyNotReplayable});
        QCOMPARE(result.response->status, 503);
        QCOMPARE(peer.requests().size(), 1);
        QCOMPARE(peer.requests()[0].body, QByteArray{"abc"});
    }

    void aDeviceInTheMiddleIsSentFromThere()
    {
        ScriptedPeer peer;
        Journalled it;
        const auto device = oneShot("abcdef");
        device->read(2);
        QVERIFY(it.ask(post(peer.url(), device)).succeeded());
        QCOMPARE(peer.requests()[0].body, QByteArray{"cdef"});
    }

    /// Without SendOnce Qt 6.4 sends such a request four times.
    void aPostWhoseConnectionClosesUnansweredIsNotRepeatedByQt_data()
    {
        QTest::addColumn<bool>("rst");
        QTest::addColumn<bool>("keptAlive");
        QTest::addColumn<QByteArray>("body");
        for (const QByteArray body : {"charge the card", ""}) {
            const char *what = body.isEmpty() ? ", empty body" : "";
            QTest::addRow("closed, fresh connection%s", what) << false << false << body;
            QTest::addRow("closed, kept-alive connection%s", what) << false << true << body;
            QTest::addRow("reset, fresh connection%s", what) << true << false << body;
            QTest::addRow("reset, kept-alive connection%s", what) << true << true << body;
        }
    }
    void aPostWhoseConnectionClosesUnansweredIsNotRepeatedByQt()
    {
        QFETCH(bool, rst);
        QFETCH(bool, keptAlive);
        QFETCH(QByteArray, body);
        const PeerReply rude = rst ? reset() : closed();
        ScriptedPeer peer{keptAlive ? QList<PeerReply>{respond(200), rude} : QList<PeerReply>{rude}};
        Journalled it;
        if (keptAlive)
            QVERIFY(it.ask(get(peer.url())).succeeded());
        const qsizetype before = peer.requests().size();
        net::Request request = post(peer.url(), body);
        request.operationClass = OperationClass::Action;
        const net::Result result = it.ask(request);
        QCOMPARE(result.end, Result::Failed);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::NotReplayable});
        QCOMPARE(result.error->transport, std::optional{TransportFailureKind::ConnectionReset});
        QCOMPARE(result.attempts, 1);
        QCOMPARE(peer.requests().size() - before, 1);
        QCOMPARE(it.client->resends(), 0U);
    }

    void aPostThatMayBeRepeatedIsRepeatedByTheEngine()
    {
        ScriptedPeer peer{{closed(), respond(200)}};
        Journalled it;
        net::Request request = post(peer.url(), QByteArray{"abc"});
        request.idempotent = true;
        const net::Result result = it.ask(request);
        QVERIFY(result.succeeded());
        QCOMPARE(result.attempts, 2);
        QCOMPARE(peer.requests().size(), 2);
        QCOMPARE(peer.requests()[1].wire, peer.requests()[0].wire);
    }

    void whatQtRepeatsIsNamed()
    {
        ScriptedPeer peer{{closed(), closed(), respond(200)}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QVERIFY(result.succeeded());
        QCOMPARE(peer.requests().size(), 3);
        QVERIFY(result.attempts < 3); // how often depends on what Qt notices first
        const auto surplus = static_cast<std::uint64_t>(peer.requests().size() - result.attempts);
        QCOMPARE(it.client->resends(), surplus);
        QCOMPARE(it.log->count<journal::TransportResent>(1), surplus);
    }

    void theAttemptHeaderTellsARepetitionFromARetry()
    {
        ScriptedPeer peer{{closed(), respond(503), respond(200)}};
        net::ClientOptions options;
        options.attemptHeader = true;
        Journalled it{quickPolicy(), std::move(options)};
        QVERIFY(it.ask(get(peer.url())).succeeded());
        QList<QByteArray> seen;
        for (const PeerRequest &request : peer.requests())
            seen << request.header("X-Throttlescope-Attempt");
        QCOMPARE(seen, (QList<QByteArray>{"1.1", "1.1", "1.2"}));
    }

    void aStreamIsHandedOnAsItComes()
    {
        ScriptedPeer peer{{respond(503, {}, "not this"), held({"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfir"})}};
        Journalled it;
        QByteArray seen;
        net::Request request = get(peer.url());
        request.onBody = [&seen](const QByteArray &bytes) { seen += bytes; };
        const auto future = it.client->send(request);
        QVERIFY(soon([&] { return peer.heldRequests() == 1; }));
        peer.releaseHeld();
        QVERIFY(soon([&] { return seen == "fir"; }));
        QVERIFY(!future.isFinished());
        peer.sayMore("st all");
        const net::Result result = await(future);
        QVERIFY(result.succeeded());
        QCOMPARE(seen, QByteArray{"first all"});
        QCOMPARE(result.response->bytesHandedOn, 9U);
        QVERIFY(result.response->body.empty());
        QCOMPARE(result.attempts, 2); // the opening 503 was tried again
    }

    void aStreamThatBreaksIsNotTriedAgain()
    {
        ScriptedPeer peer{{reset("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), respond(200)}};
        Journalled it;
        QByteArray seen;
        net::Request request = get(peer.url());
        request.onBody = [&seen](const QByteArray &bytes) { seen += bytes; };
        const net::Result result = it.ask(request);
        QCOMPARE(seen, QByteArray{"half"});
        QCOMPARE(result.error->reason, std::optional{RefusalReason::StreamingStarted});
        QCOMPARE(peer.requests().size(), 1);
    }

    void aHandlerMayUseTheClient()
    {
        ScriptedPeer peer{{respond(200, {}, "a"), respond(200, {}, "b")}};
        Journalled it;
        QFuture<net::Result> other;
        net::Request request = get(peer.url());
        request.onBody = [&](const QByteArray &) { other = it.client->send(get(peer.url())); };
        QVERIFY(it.ask(request).succeeded());
        QCOMPARE(await(other).response->body, std::string{"b"});
    }
};

QTEST_GUILESS_MAIN(TestNetBodies)
#include "tst_net_bodies.moc"
