// SPDX-License-Identifier: Apache-2.0
#include "net_support.h"
#include <QAbstractEventDispatcher>

#include <QNetworkReply>
#include <QTimer>

using namespace throttlescope;
using namespace throttlescope::testing;

/// How operations end other than by an answer: cancelled, timed out, stopped.
class TestNetEnds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cancellingTheFutureInAWaitEndsIt()
    {
        ScriptedPeer peer{{respond(429, "Retry-After: 50\r\n")}};
        Journalled it;
        QFuture<net::Result> future = it.client->send(get(peer.url()));
        QVERIFY(soon([&] { return it.log->count<journal::RetryScheduled>() == 1; }));
        future.cancel();
        QVERIFY(soon([&] { return future.isFinished(); }));
        QCOMPARE(future.resultCount(), 0);
        QCOMPARE(it.client->open(), 0U);
        QCOMPARE(it.log->all<journal::OperationFinished>().at(0).as<journal::OperationFinished>()->result, Result::Cancelled);
        QCOMPARE(peer.requests().size(), 1);
    }

    void cancellingTheFutureInAnAttemptGivesItUp()
    {
        ScriptedPeer peer{{silence()}};
        Journalled it;
        QFuture<net::Result> future = it.client->send(get(peer.url()));
        QVERIFY(soon([&] { return peer.requests().size() == 1; }));
        future.cancel();
        QVERIFY(soon([&] { return future.isFinished(); }));
        QCOMPARE(it.log->names(1), std::string{"operation.started attempt.started attempt.finished operation.finished"});
        QCOMPARE(it.log->all<journal::AttemptFinished>().at(0).as<journal::AttemptFinished>()->end, journal::AttemptEnd::Cancelled);
    }

    void aFutureCancelledBeforeItsTurnStartsNothing()
    {
        ScriptedPeer peer;
        Journalled it;
        QFuture<net::Result> second;
        net::Request request = get(peer.url());
        peer.setScript([](const PeerRequest &) { return respond(200, {}, "x"); });
        request.onBody = [&](const QByteArray &) {
            second = it.client->send(get(peer.url()));
            second.cancel();
        };
        QVERIFY(it.ask(request).succeeded());
        QVERIFY(soon([&] { return second.isFinished(); }));
        QCOMPARE(it.log->count<journal::OperationStarted>(), 1U);
    }

    void anAttemptThatTakesTooLongIsTriedAgain()
    {
        ScriptedPeer peer{{silence(), respond(200)}};
        Policy policy = quickPolicy();
        policy.attemptTimeout = 200ms; // long enough for the second answer on a busy machine
        Journalled it{policy};
        const net::Result result = it.ask(get(peer.url()));
        QVERIFY(result.succeeded());
        QCOMPARE(result.attempts, 2);
        const auto finished = it.log->all<journal::AttemptFinished>();
        QCOMPARE(finished[0].as<journal::AttemptFinished>()->failure, std::optional{TransportFailureKind::AttemptTimeout});
        QVERIFY(finished[0].as<journal::AttemptFinished>()->took >= 200ms);
    }

    void aBodyThatTricklesIsCutByTheAttemptTimeout()
    {
        ScriptedPeer peer{{PeerReply{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndrip"}}};
        Policy policy = quickPolicy();
        policy.attemptTimeout = 30ms;
        policy.maxAttempts = 2;
        Journalled it{policy};
        const net::Result result = it.ask(get(peer.url()));
        QCOMPARE(result.error->reason, std::optional{RefusalReason::AttemptsExhausted});
        QCOMPARE(result.error->transport, std::optional{TransportFailureKind::AttemptTimeout});
        QVERIFY(!result.response);
    }

    void totalTimeoutEndsARunningAttempt()
    {
        ScriptedPeer peer{{silence()}};
        Policy policy = quickPolicy();
        policy.totalTimeout = 40ms;
        Journalled it{policy};
        const net::Result result = it.ask(get(peer.url()));
        QCOMPARE(result.end, Result::Failed);
        QCOMPARE(result.error->reason, std::optional{RefusalReason::Deadline});
        QCOMPARE(it.log->all<journal::AttemptFinished>().at(0).as<journal::AttemptFinished>()->end, journal::AttemptEnd::Deadline);
    }

    void totalTimeoutRefusesAWaitThatDoesNotFit()
    {
        ScriptedPeer peer{{respond(429, "Retry-After: 50\r\n")}};
        Policy policy = quickPolicy();
        policy.totalTimeout = 10s;
        Journalled it{policy};
        const net::Result result = it.ask(get(peer.url()));
        QCOMPARE(result.error->reason, std::optional{RefusalReason::Deadline});
        QCOMPARE(result.response->status, 429);
    }

    void destroyingTheClientFinishesEveryFuture()
    {
        ScriptedPeer peer{
            [](const PeerRequest &request) { return request.target == "/wait" ? respond(429, "Retry-After: 50\r\n") : silence(); }};
        Journalled it;
        QList<QFuture<net::Result>> futures;
        futures << it.client->send(get(peer.url("/wait")));
        QVERIFY(soon([&] { return it.log->count<journal::RetryScheduled>() == 1; }));
        for (int i = 0; i < 20; ++i) // six in flight, the others in the queue
            futures << it.client->send(get(peer.url("/hang")));
        QVERIFY(soon([&] { return peer.requests().size() == 7; }));
        it.client.reset();
        for (const auto &future : futures) {
            QVERIFY(future.isFinished());
            QCOMPARE(future.result().end, Result::Unfinished);
            QVERIFY(future.result().error);
            QVERIFY(!future.result().error->transport); // the end cut it off: that is no timeout
        }
        QCOMPARE(it.log->count<journal::OperationFinished>(), 21U);
        const auto over = it.log->all<journal::RunFinished>();
        QCOMPARE(over.size(), 1U);
        QVERIFY(over[0].as<journal::RunFinished>()->stopped);
        QCOMPARE(over[0].as<journal::RunFinished>()->operations, 21U);
        QCOMPARE(over[0].payload.index(), it.log->seenEvents.back().payload.index());
    }

    void whatAContinuationSendsDuringTheEndFinishesToo()
    {
        ScriptedPeer peer{{silence()}};
        Journalled it;
        QFuture<net::Result> late;
        net::Client *client = it.client.get();
        const auto chained = client->send(get(peer.url())).then([&](const net::Result &) { late = client->send(get(peer.url())); });
        QVERIFY(soon([&] { return peer.requests().size() == 1; }));
        it.client.reset();
        QVERIFY(chained.isFinished());
        QVERIFY(late.isFinished());
        QCOMPARE(late.result().end, Result::Unfinished);
    }

    void aQuietRunIsNotCalledStopped()
    {
        ScriptedPeer peer;
        Journalled it;
        QVERIFY(it.ask(get(peer.url())).succeeded());
        it.client.reset();
        QVERIFY(!it.log->all<journal::RunFinished>().at(0).as<journal::RunFinished>()->stopped);
    }

    void tenThousandWaitsShareOneTimer()
    {
        ScriptedPeer peer;
        Policy policy = quickPolicy();
        policy.pacer = PacerSpec{.requestsPerSecond = Rate{1, 1h}};
        Journalled it{policy};
        for (int i = 0; i < 10'000; ++i)
            it.client->send(get(peer.url()));
        QCOMPARE(it.client->open(), 10'000U);
        QVERIFY(soon([&] { return peer.requests().size() == 1; }));
        // The only QTimer of the client (a reply has Qt's own), and beside it what looks at the one body under way. An operation
        // is nobody's child: it must have none.
        QObject *driver = it.client->children().constFirst();
        QCOMPARE(driver->findChildren<QTimer *>(Qt::FindDirectChildrenOnly).size(), 1);
        QCOMPARE(QAbstractEventDispatcher::instance()->registeredTimers(driver).size(), 1);
    }
};

QTEST_GUILESS_MAIN(TestNetEnds)
#include "tst_net_ends.moc"
