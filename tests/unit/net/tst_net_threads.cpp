// SPDX-License-Identifier: Apache-2.0
#include "net_support.h"

#include <QBuffer>
#include <QSet>

#include <atomic>
#include <thread>

using namespace throttlescope;
using namespace throttlescope::testing;

/// Eight threads call one client; it lives in this one. Run under ThreadSanitizer by `./dev sanitize tsan`.
class TestNetThreads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eightThreadsCallOneClient()
    {
        constexpr int kThreads = 8, kCalls = 40;
        QSet<QByteArray> refused;
        ScriptedPeer peer{[&refused](const PeerRequest &request) {
            const bool firstOfASeventh = request.nth % 7 == 0 && !refused.contains(request.body);
            refused << request.body;
            return firstOfASeventh ? respond(503) : respond(200, {}, request.body);
        }};
        Journalled it;
        const QUrl url = peer.url();
        std::atomic<int> succeeded{0}, finished{0};
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([&, thread] {
                for (int i = 0; i < kCalls; ++i) {
                    const QByteArray body = QByteArray::number(thread) + '.' + QByteArray::number(i);
                    net::Request request = post(url, body);
                    request.idempotent = true;
                    const net::Result result = it.client->send(std::move(request)).result(); // blocks this thread alone
                    succeeded += result.succeeded() && result.response->body == body.toStdString() ? 1 : 0;
                    if (i % 10 == 0)
                        it.client->replacePolicy(kept(quickPolicy()));
                }
                ++finished;
            });
        }
        const bool done = soon([&] { return finished == kThreads; });
        for (std::thread &thread : threads)
            thread.join();
        QVERIFY(done);
        QCOMPARE(succeeded.load(), kThreads * kCalls);
        QCOMPARE(it.log->count<journal::OperationFinished>(), std::size_t{kThreads * kCalls});
        QCOMPARE(it.client->open(), 0U);
    }

    void otherThreadsCancel()
    {
        constexpr int kThreads = 8, kCalls = 20;
        ScriptedPeer peer{{respond(429, "Retry-After: 50\r\n")}};
        Journalled it;
        const QUrl url = peer.url();
        std::atomic<int> finished{0};
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([&] {
                for (int i = 0; i < kCalls; ++i) {
                    QFuture<net::Result> future = it.client->send(get(url));
                    future.cancel();
                    future.waitForFinished();
                }
                ++finished;
            });
        }
        const bool done = soon([&] { return finished == kThreads; });
        for (std::thread &thread : threads)
            thread.join();
        QVERIFY(done);
        QCOMPARE(it.client->open(), 0U);
    }

    void aOneShotDeviceCrossesOver()
    {
        ScriptedPeer peer;
        Journalled it;
        const QUrl url = peer.url();
        std::atomic<bool> finished{false};
        bool succeeded = false;
        std::thread thread{[&] {
            auto buffer = std::make_shared<QBuffer>();
            buffer->setData("abc");
            buffer->open(QIODevice::ReadOnly);
            succeeded = it.client->send(post(url, std::move(buffer))).result().succeeded();
            finished = true;
        }};
        const bool done = soon([&] { return finished.load(); });
        thread.join();
        QVERIFY(done && succeeded);
        QCOMPARE(peer.requests()[0].body, QByteArray{"abc"});
    }
};

QTEST_GUILESS_MAIN(TestNetThreads)
#include "tst_net_threads.moc"
