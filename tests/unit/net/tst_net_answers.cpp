// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <fcntl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "core/journal/event_writer.h"
#include "net_support.h"

using namespace throttlescope;
using namespace throttlescope::testing;

/// What comes back for one call: answers, refusals, lost connections, and the one error that tells them apart.
class TestNetAnswers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anAnswerIsTheResultUntouched()
    {
        ScriptedPeer peer{{respond(200, "X-A: b\r\nRateLimit-Limit: 10\r\nRateLimit-Remaining: 3\r\n", "hello")}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QVERIFY(result.succeeded());
        QVERIFY(!result.error);
        QCOMPARE(result.id, 1U);
        QCOMPARE(result.attempts, 1);
        QCOMPARE(result.response->status, 200);
        QCOMPARE(result.response->body, std::string{"hello"});
        QCOMPARE(*findHeader(result.response->headers, "x-a"), std::string{"b"});
        QVERIFY(!result.state.windows.empty());
        QCOMPARE(result.state.windows.front().remaining, std::optional<std::uint64_t>{3});
        QCOMPARE(it.log->names(1), std::string{"operation.started attempt.started attempt.finished operation.finished"});
    }

    void a429WithAHintIsWaitedFor()
    {
        ScriptedPeer peer{{respond(429, "Retry-After: 1\r\n"), respond(200)}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QVERIFY(result.succeeded());
        QCOMPARE(result.attempts, 2);
        QVERIFY(result.metadata.rateLimitEncountered);
        const auto scheduled = it.log->all<journal::RetryScheduled>();
        QCOMPARE(scheduled.size(), 1U);
        QCOMPARE(scheduled[0].decision.delay, std::optional<Duration>{1s});
        const auto started = it.log->all<journal::AttemptStarted>();
        QCOMPARE(started.size(), 2U);
        QVERIFY(started[1].at - scheduled[0].at >= 1s); // never early
        QVERIFY(result.metadata.rateLimitWait >= 1s);
    }

    void aRefusalLeavesTheAnswerWithItsHeader()
    {
        ScriptedPeer peer{{respond(429, "Retry-After: 120\r\n", "slow down, token=secret")}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QCOMPARE(result.end, Result::Failed);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::WaitExceeded});
        QVERIFY(result.metadata.rateLimitWaitExceeded);
        QCOMPARE(result.lastFailure.delay, std::optional<Duration>{120s});
        QCOMPARE(result.response->status, 429);
        QCOMPARE(result.response->body, std::string{"slow down, token=secret"});
        QVERIFY(result.error->message.find("429") != std::string::npos);
        QVERIFY(result.error->message.find("120") != std::string::npos);
        QVERIFY(result.error->message.find("secret") == std::string::npos);
    }

    void everyReasonComesInTheSameError_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("headers");
        QTest::addColumn<int>("reason");
        QTest::newRow("400 is permanent") << 400 << QByteArray{} << static_cast<int>(RefusalReason::NotSelected);
        QTest::newRow("404 is permanent") << 404 << QByteArray{} << static_cast<int>(RefusalReason::NotSelected);
        QTest::newRow("401 is not answered") << 401 << QByteArray{"WWW-Authenticate: Basic realm=\"x\"\r\n"}
                                             << static_cast<int>(RefusalReason::NotSelected);
        QTest::newRow("503 again and again") << 503 << QByteArray{} << static_cast<int>(RefusalReason::AttemptsExhausted);
        QTest::newRow("429 with an hour") << 429 << QByteArray{"Retry-After: 3600\r\n"} << static_cast<int>(RefusalReason::WaitExceeded);
    }
    void everyReasonComesInTheSameError()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, headers);
        QFETCH(int, reason);
        ScriptedPeer peer{{respond(status, headers, "said")}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QCOMPARE(static_cast<int>(*result.error->reason), reason);
        QCOMPARE(result.response->status, status);
        QVERIFY(result.response->bodyComplete);
        QCOMPARE(result.response->body, std::string{"said"});
        QCOMPARE(peer.requests().size(), qsizetype{result.attempts});
    }

    void aRedirectIsAnAnswer()
    {
        ScriptedPeer peer{{respond(302, "Location: /elsewhere\r\nSet-Cookie: a=b\r\n"), respond(200)}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QCOMPARE(result.response->status, 302);
        QCOMPARE(peer.requests().size(), 1);
        QVERIFY(it.ask(get(peer.url())).succeeded());
        QVERIFY(peer.requests()[1].header("Cookie").isEmpty());
    }

    void aCookieOfTheCallersOwnIsSent()
    {
        ScriptedPeer peer;
        Journalled it;
        net::Request request = get(peer.url());
        request.headers = {{"Cookie", "a=b"}, {"X-Twice", "1"}, {"x-twice", "2"}, {"User-Agent", "me"}};
        QVERIFY(it.ask(request).succeeded());
        QCOMPARE(peer.requests()[0].header("Cookie"), QByteArray{"a=b"});
        QCOMPARE(peer.requests()[0].header("X-Twice"), QByteArray{"1, 2"});
        QCOMPARE(peer.requests()[0].header("User-Agent"), QByteArray{"me"});
    }

    void aResetInTheMiddleOfTheBodyIsInterrupted()
    {
        ScriptedPeer peer{{reset("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), respond(200, {}, "whole")}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QVERIFY(result.succeeded());
        QCOMPARE(result.response->body, std::string{"whole"});
        QCOMPARE(it.log->all<journal::RetryScheduled>().at(0).decision.family, Family::Interrupted);
    }

    void aBodyThatStopsShortIsInterrupted_data()
    {
        QTest::addColumn<QByteArray>("wire");
        QTest::newRow("of 200") << QByteArray{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"};
        QTest::newRow("of 200, before its first byte") << QByteArray{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"};
        QTest::newRow("packed, though nobody asked for it")
            << QByteArray{"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n"}
                + QByteArray::fromHex("1f8b08000000000000034bcc4b4c4a4e494d4b07");
        QTest::newRow("of more than a number holds") << QByteArray{"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc"};
    }
    void aBodyThatStopsShortIsInterrupted()
    {
        QFETCH(QByteArray, wire);
        ScriptedPeer peer{{closed(wire), respond(200, {}, "whole")}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QVERIFY(result.succeeded());
        QCOMPARE(result.response->body, std::string{"whole"});
        QCOMPARE(it.log->all<journal::RetryScheduled>().at(0).decision.family, Family::Interrupted);
        QCOMPARE(peer.requests()[0].header("Accept-Encoding"), QByteArray{"identity"}); // Qt would unpack, and drop the length
    }

    void aBodyOverTheBoundIsBrokenOff_data()
    {
        QTest::addColumn<QByteArray>("length");
        QTest::newRow("it never ends") << QByteArray{"1000000000"};
        QTest::newRow("it is there at once") << QByteArray{"5000"};
        QTest::newRow("by a byte") << QByteArray{"1001"};
    }
    void aBodyOverTheBoundIsBrokenOff()
    {
        QFETCH(QByteArray, length);
        ScriptedPeer peer{[length](const PeerRequest &) {
            return PeerReply{
                "HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n" + QByteArray(std::min(5'000, length.toInt()), 'x')};
        }};
        net::ClientOptions options;
        options.largestBody = 1'000;
        Policy once = quickPolicy();
        once.maxAttempts = 1;
        Journalled it{once, std::move(options)};
        const net::Result result = it.ask(get(peer.url()));
        QCOMPARE(result.end, Result::Failed);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::AttemptsExhausted});
        QCOMPARE(result.response->body.size(), std::size_t{1'000});
        QVERIFY(!result.response->bodyComplete);
        QCOMPARE(it.log->all<journal::RetryRefused>().at(0).decision.family, Family::Interrupted);
    }

    void hostsHaveThreadsOfTheirOwn()
    {
        // A peer that never ends its header keeps the thread busy that reads it: nobody else may wait for that thread.
        std::atomic<bool> over{false};
        QTcpServer endless;
        QVERIFY(endless.listen(QHostAddress::LocalHost));
        const auto descriptor = std::make_shared<std::atomic<int>>(-1);
        std::thread feeder{[&over, descriptor] {
            const QByteArray line = "X-Again: " + QByteArray(4'000, 'x') + "\r\n";
            while (!over) {
                if (const int socket = descriptor->load(); socket >= 0 && ::send(socket, line.constData(), line.size(), MSG_NOSIGNAL) < 0)
                    return;
            }
        }};
        connect(&endless, &QTcpServer::newConnection, this, [&endless, descriptor] {
            QTcpSocket *socket = endless.nextPendingConnection();
            socket->write("HTTP/1.1 200 OK\r\n");
            socket->flush();
            descriptor->store(::dup(static_cast<int>(socket->socketDescriptor())));
            ::fcntl(descriptor->load(), F_SETFL, 0); // it may block: the feeder has a thread of its own
        });
        ScriptedPeer good;
        Journalled it;
        const auto stuck = it.client->send(get(QUrl{QStringLiteral("http://127.0.0.1:%1/").arg(endless.serverPort())}));
        QVERIFY(soon([&descriptor] { return descriptor->load() >= 0; }));
        for (int i = 0; i < 3; ++i)
            QVERIFY(it.ask(get(good.url())).succeeded());
        QVERIFY(!stuck.isFinished());
        over = true;
        ::shutdown(descriptor->load(), SHUT_RDWR);
        feeder.join();
        ::close(descriptor->load());
    }

    void whatQtCannotSendAsItIsMeantIsRefused_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<bool>("action");
        QTest::addColumn<bool>("body");
        QTest::addColumn<QString>("said");
        QTest::newRow("an action by HEAD") << "HEAD" << true << false << "HEAD has no effect";
        QTest::newRow("HEAD with a body") << "head" << false << true << "HEAD has a body";
        QTest::newRow("a tunnel") << "connect" << false << false << "no method of a request";
    }
    void whatQtCannotSendAsItIsMeantIsRefused()
    {
        QFETCH(QString, method);
        QFETCH(bool, action);
        QFETCH(bool, body);
        QFETCH(QString, said);
        ScriptedPeer peer;
        Journalled it;
        net::Request request = get(peer.url());
        request.method = method.toStdString();
        if (action)
            request.operationClass = OperationClass::Action;
        if (body)
            request.body = QByteArray{"x"};
        net::Request served = get(peer.url());
        served.fallback = std::make_shared<const net::Request>(request);
        for (const net::Request &each : {request, served}) { // a fallback is looked at as well
            const net::Result result = it.ask(each);
            QCOMPARE(result.end, Result::Rejected);
            QVERIFY2(QString::fromStdString(result.error->message).contains(said), result.error->message.c_str());
        }
        QVERIFY(peer.requests().isEmpty());
    }

    void nobodyListensIsATransportFailure()
    {
        QUrl url;
        {
            const ScriptedPeer peer;
            url = peer.url();
        }
        Journalled it;
        const net::Result result = it.ask(get(url));
        QCOMPARE(result.end, Result::Failed);
        QCOMPARE(result.attempts, 4);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::AttemptsExhausted});
        QCOMPARE(result.error->transport, std::optional{TransportFailureKind::ConnectionRefused});
        QVERIFY(!result.response);
    }

    void garbageIsATransportFailure()
    {
        ScriptedPeer peer{{closed("this is not HTTP at all\r\n\r\n")}};
        Journalled it;
        const net::Result result = it.ask(get(peer.url()));
        QCOMPARE(result.end, Result::Failed);
        QVERIFY(result.error->transport);
        QVERIFY(!result.response);
        QCOMPARE(it.log->all<journal::RetryScheduled>().at(0).decision.family, Family::Transport);
        QCOMPARE(it.client->resends(), static_cast<std::uint64_t>(peer.requests().size() - result.attempts)); // Qt asks again by itself
    }

    void anUnusableRequestIsRejectedBeforeTheJournal_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("header");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("said");
        QTest::newRow("no URL") << ""
                                << ""
                                << ""
                                << "URL";
        QTest::newRow("another scheme") << "file:///etc/passwd"
                                        << ""
                                        << ""
                                        << "http or https";
        QTest::newRow("credentials in the URL") << "http://me:hush@localhost/"
                                                << ""
                                                << ""
                                                << "user information";
        QTest::newRow("a line end in a header") << "http://localhost/"
                                                << "X-A"
                                                << "b\r\nX-B: c"
                                                << "line end";
        QTest::newRow("a header of no name") << "http://localhost/"
                                             << "X A"
                                             << "b"
                                             << "token";
        QTest::newRow("a length of its own") << "http://localhost/"
                                             << "content-length"
                                             << "3"
                                             << "client's own";
    }
    void anUnusableRequestIsRejectedBeforeTheJournal()
    {
        QFETCH(QString, url);
        QFETCH(QString, header);
        QFETCH(QString, value);
        QFETCH(QString, said);
        Journalled it;
        net::Request request = get(QUrl{url});
        if (!header.isEmpty())
            request.headers = {{header.toStdString(), value.toStdString()}};
        const net::Result result = it.ask(request);
        QCOMPARE(result.end, Result::Rejected);
        QCOMPARE(result.id, 0U);
        QVERIFY(!result.error->reason);
        QVERIFY2(result.error->message.find(said.toStdString()) != std::string::npos, result.error->message.c_str());
        QVERIFY(result.error->message.find("hush") == std::string::npos);
        QCOMPARE(it.log->count<journal::OperationStarted>(), 0U);
    }

    void raisingAnActionIsAnError()
    {
        Journalled it;
        net::Request request = post(QUrl{"http://localhost/"}, QByteArray{"x"});
        request.operationClass = OperationClass::Action;
        request.replay = ReplayRule::Safe;
        const net::Result result = it.ask(request);
        QCOMPARE(result.end, Result::Rejected);
        QVERIFY(result.error->message.find("action") != std::string::npos);
    }

    void nothingSecretReachesTheJournal()
    {
        ScriptedPeer peer{{respond(429, "Retry-After: 0\r\nSet-Cookie: session=hush\r\n", "hush"), respond(200, {}, "hush")}};
        const auto lines = std::make_shared<Lines>();
        net::ClientOptions options;
        options.policy = kept(quickPolicy());
        options.journal = lines;
        net::Client client{std::move(options)};
        net::Request request = post(peer.url("/x?key=hush"), QByteArray{"hush"});
        request.headers.push_back({"Authorization", "Bearer hush"});
        request.idempotent = true;
        QVERIFY(await(client.send(request)).succeeded());
        QVERIFY(lines->text.find("attempt.finished") != std::string::npos);
        QVERIFY2(lines->text.find("hush") == std::string::npos, lines->text.c_str());
    }

private:
    struct Lines final : journal::EventSink {
        void accept(const journal::Event &event) override { journal::appendJson(text, event); }
        std::string text;
    };
};

QTEST_GUILESS_MAIN(TestNetAnswers)
#include "tst_net_answers.moc"
