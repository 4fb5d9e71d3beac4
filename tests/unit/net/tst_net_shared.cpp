// SPDX-License-Identifier: Apache-2.0
#include "net_support.h"

using namespace throttlescope;
using namespace throttlescope::testing;

/// What calls share: connections, pacer, breaker, policy; and what stands in when all fails.
class TestNetShared : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatExceedsSixConnectionsIsPacing_data()
    {
        QTest::addColumn<bool>("ownScopes");
        QTest::newRow("one scope") << false;
        QTest::newRow("a scope each on the same host") << true;
    }
    void whatExceedsSixConnectionsIsPacing()
    {
        QFETCH(bool, ownScopes);
        ScriptedPeer peer{{held(respond(200))}};
        Journalled it;
        QList<QFuture<net::Result>> futures;
        for (int i = 0; i < 15; ++i) {
            net::Request request = get(peer.url());
            if (ownScopes)
                request.scope = "scope " + std::to_string(i);
            futures << it.client->send(std::move(request));
        }
        QVERIFY(soon([&] { return peer.heldRequests() == net::kConnectionsPerHost; }));
        QCOMPARE(it.client->attemptsSent(), 6U);
        QCOMPARE(it.log->count<journal::AttemptStarted>(), 6U);
        QCOMPARE(it.log->count<journal::PacerWait>(), 9U);
        QVERIFY(!it.log->all<journal::PacerWait>().at(0).as<journal::PacerWait>()->earliest);
        int released = 0;
        while (released < 15) {
            QVERIFY(soon([&] { return peer.heldRequests() > 0; }));
            peer.releaseOne();
            ++released;
        }
        for (const auto &future : futures)
            QVERIFY(await(future).succeeded());
        QCOMPARE(peer.mostOpen(), net::kConnectionsPerHost);
        QCOMPARE(peer.connections(), net::kConnectionsPerHost);
        // First come, first served; the queueing is pacing and no part of the attempt.
        const auto started = it.log->all<journal::AttemptStarted>();
        for (std::size_t i = 0; i < started.size(); ++i) {
            QCOMPARE(started[i].op, i + 1);
            QCOMPARE(started[i].as<journal::AttemptStarted>()->paced > Duration::zero(), i >= 6);
        }
    }

    void anotherHostDoesNotQueueBehindSix()
    {
        ScriptedPeer busy{{held(respond(200))}};
        ScriptedPeer idle;
        Journalled it;
        for (int i = 0; i < 10; ++i)
            it.client->send(get(busy.url()));
        QVERIFY(it.ask(get(idle.url())).succeeded());
    }

    void aProbeDoesNotQueueBehindSix()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return request.target == "/probe" ? respond(200) : held(respond(200)); }};
        Journalled it;
        for (int i = 0; i < 10; ++i)
            it.client->send(get(peer.url()));
        QVERIFY(soon([&] { return peer.heldRequests() == 6; }));
        net::Request probe = get(peer.url("/probe"));
        probe.operationClass = OperationClass::Probe;
        QVERIFY(it.ask(probe).succeeded());
    }

    void aConnectionThatWasGivenUpIsFreeAgain()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return request.nth <= 6 ? silence() : respond(200); }};
        Policy policy = quickPolicy();
        policy.attemptTimeout = 50ms;
        policy.maxAttempts = 1;
        Journalled it{policy};
        QList<QFuture<net::Result>> futures;
        for (int i = 0; i < 8; ++i)
            futures << it.client->send(get(peer.url()));
        for (int i = 0; i < 8; ++i)
            QCOMPARE(await(futures[i]).succeeded(), i >= 6);
    }

    void theQueueKeepsItsTotalTimeout()
    {
        ScriptedPeer peer{{held(respond(200))}};
        Journalled it;
        QList<QFuture<net::Result>> holders;
        for (int i = 0; i < 6; ++i) // without a total_timeout: they free nothing
            holders << it.client->send(get(peer.url()));
        Policy hurried = quickPolicy();
        hurried.name = "hurried";
        hurried.totalTimeout = 60ms;
        net::Request request = get(peer.url());
        request.retry = kept(std::move(hurried));
        const net::Result last = it.ask(std::move(request));
        QCOMPARE(last.end, Result::Rejected);
        QCOMPARE(last.error->reason, std::optional{RefusalReason::Deadline});
        QCOMPARE(last.attempts, 0);
        for (const auto &holder : holders)
            QVERIFY(!holder.isFinished());
        peer.releaseHeld();
    }

    void oneServerHasOneName_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("name");
        QTest::newRow("no port") << "http://h/a"
                                 << "h";
        QTest::newRow("the scheme's own port") << "http://h:80/"
                                               << "h";
        QTest::newRow("the other scheme's") << "https://h:80/"
                                            << "h:80";
        QTest::newRow("a port of its own") << "https://h:8443/"
                                           << "h:8443";
        QTest::newRow("an address of IPv6") << "http://[::1]:8080/"
                                            << "[::1]:8080";
        QTest::newRow("upper case") << "http://H:80/"
                                    << "h";
    }
    void oneServerHasOneName()
    {
        QFETCH(QString, url);
        QTEST(QString::fromStdString(net::serverName(QUrl{url})), "name");
    }

    void groupsBeyondTheManagersShareTheirConnections()
    {
        ScriptedPeer peer{{held(respond(200))}};
        Journalled it;
        const auto send = [&](int group) {
            net::Request request = get(peer.url());
            request.connectionGroup = std::to_string(group);
            it.client->send(std::move(request));
        };
        for (int i = 0; i < 6; ++i)
            send(0);
        for (int group = 1; group <= 32; ++group) // the last one has the first one's manager, where nothing is free
            send(group);
        QVERIFY(soon([&] { return peer.heldRequests() == 6 + 31; }));
        QCOMPARE(it.log->count<journal::AttemptStarted>(), 37U);
        QCOMPARE(it.client->open(), std::size_t{38});
    }

    void aSharedPacerSpacesCalls()
    {
        ScriptedPeer peer;
        Policy policy = quickPolicy();
        policy.pacer = PacerSpec{.requestsPerSecond = Rate{100, 1s}};
        Journalled it{policy};
        QList<QFuture<net::Result>> futures;
        for (int i = 0; i < 5; ++i)
            futures << it.client->send(get(peer.url()));
        for (const auto &future : futures)
            QVERIFY(await(future).succeeded());
        const auto started = it.log->all<journal::AttemptStarted>();
        for (std::size_t i = 1; i < started.size(); ++i)
            QVERIFY(started[i].at - started[i - 1].at >= 10ms);
    }

    void aBreakerAnswersWithoutAnAttempt()
    {
        ScriptedPeer peer{{respond(429, "Retry-After: 300\r\n")}};
        Policy policy = quickPolicy();
        policy.breaker = BreakerSpec{.trip = TripFirstThrottle{}, .openFor = OpenForRestOfRun{}};
        Journalled it{policy};
        QCOMPARE(it.ask(get(peer.url())).error->reason, std::optional{RefusalReason::WaitExceeded});
        const net::Result second = it.ask(get(peer.url()));
        QCOMPARE(second.end, Result::Rejected);
        QCOMPARE(second.error->reason, std::optional{RefusalReason::BreakerOpen});
        QCOMPARE(second.attempts, 0);
        QCOMPARE(peer.requests().size(), 1);
        QCOMPARE(it.log->count<journal::BreakerOpened>(), 1U);
    }

    void aFallbackStandsIn()
    {
        ScriptedPeer peer{{respond(429, "Retry-After: 300\r\n")}};
        ScriptedPeer other{{respond(200, {}, "instead")}};
        Journalled it;
        net::Request request = get(peer.url());
        auto backup = std::make_shared<net::Request>(get(other.url("/backup")));
        backup->operation = "backup";
        request.fallback = backup;
        const net::Result result = it.ask(request);
        QVERIFY(result.succeeded());
        QVERIFY(result.viaFallback);
        QCOMPARE(result.response->body, std::string{"instead"});
        QVERIFY(result.metadata.rateLimitWaitExceeded);
        QCOMPARE(other.requests().size(), 1);
        QCOMPARE(it.log->count<journal::FallbackFinished>(), 1U);
    }

    void aFallbackHasOneAttempt()
    {
        ScriptedPeer peer{{respond(503)}};
        Journalled it;
        net::Request request = get(peer.url());
        request.retry = net::RetryOff{};
        request.fallback = std::make_shared<net::Request>(get(peer.url("/backup")));
        const net::Result result = it.ask(request);
        QCOMPARE(result.end, Result::Failed);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::RetryOff});
        QCOMPARE(peer.requests().size(), 2);
    }

    void retryIsSaidByTheCall_data()
    {
        QTest::addColumn<int>("attempts");
        QTest::addColumn<net::Retry>("retry");
        Policy twice = quickPolicy();
        twice.name = "twice";
        twice.maxAttempts = 2;
        QTest::newRow("inherit") << 4 << net::Retry{};
        QTest::newRow("off") << 1 << net::Retry{net::RetryOff{}};
        QTest::newRow("a policy") << 2 << net::Retry{kept(twice)};
    }
    void retryIsSaidByTheCall()
    {
        QFETCH(int, attempts);
        QFETCH(net::Retry, retry);
        ScriptedPeer peer{{respond(503)}};
        Journalled it;
        net::Request request = get(peer.url());
        request.retry = retry;
        QCOMPARE(it.ask(request).attempts, attempts);
    }

    void aClientWithoutAPolicyTriesOnce()
    {
        ScriptedPeer peer{{respond(503)}};
        net::Client client{{}};
        const net::Result result = await(client.send(get(peer.url())));
        QCOMPARE(result.attempts, 1);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::AttemptsExhausted});
    }

    void twoPacersOnOneScopeAreAnError()
    {
        ScriptedPeer peer;
        Policy policy = quickPolicy();
        policy.pacer = PacerSpec{.concurrency = 2};
        Journalled it{policy};
        QVERIFY(it.ask(get(peer.url())).succeeded());
        policy.name = "other";
        policy.pacer->concurrency = 3;
        net::Request request = get(peer.url());
        request.retry = kept(policy);
        const net::Result result = it.ask(request);
        QCOMPARE(result.end, Result::Rejected);
        QVERIFY(result.error->message.find("other") != std::string::npos);
        request.scope = "elsewhere";
        QVERIFY(it.ask(request).succeeded());
    }

    void aReplacedPolicyHoldsFromTheNextDecision()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return request.target == "/held" ? held(respond(503)) : respond(503); }};
        Journalled it;
        const auto running = it.client->send(get(peer.url("/held")));
        QVERIFY(soon([&] { return peer.heldRequests() == 1; }));
        Policy policy = quickPolicy();
        policy.maxAttempts = 1;
        it.client->replacePolicy(kept(policy), "{\"max_attempts\":1}");
        peer.releaseHeld();
        QCOMPARE(await(running).attempts, 1);
        QCOMPARE(it.ask(get(peer.url())).attempts, 1);
        QCOMPARE(it.log->count<journal::PolicyChanged>(), 1U);
        net::Request off = get(peer.url());
        off.retry = net::RetryOff{};
        QCOMPARE(it.ask(off).error->reason, std::optional{RefusalReason::RetryOff});
    }

    void aReplacedPacerIsRetunedForThoseWhoQueue()
    {
        ScriptedPeer peer;
        Policy policy = quickPolicy();
        policy.pacer = PacerSpec{.concurrency = 1, .maxWaiting = 10};
        Journalled it{policy};
        peer.setScript([](const PeerRequest &) { return held(respond(200)); });
        for (int i = 0; i < 4; ++i)
            it.client->send(get(peer.url()));
        QVERIFY(soon([&] { return peer.heldRequests() == 1; }));
        policy.pacer->concurrency = 3;
        it.client->replacePolicy(kept(policy));
        QVERIFY(soon([&] { return peer.heldRequests() == 3; }));
    }

    void theCountersAreByPolicy()
    {
        ScriptedPeer peer{{respond(429, "Retry-After: 0\r\n"), respond(200)}};
        Journalled it;
        QVERIFY(it.ask(get(peer.url())).succeeded());
        QCOMPARE(it.client->counters().at("quick"), (PolicyCounters{2, 1, 1}));
    }
};

QTEST_GUILESS_MAIN(TestNetShared)
#include "tst_net_shared.moc"
