// SPDX-License-Identifier: Apache-2.0
#include "../net/scripted_peer.h"
#include "app/dashboard/data/event_store.h"
#include "app/dashboard/session/fetch_traffic.h"
#include "app/dashboard/session/traffic_worker.h"
#include "session_support.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::testing;
using namespace std::chrono_literals;

namespace {

/// A worker that fetches from the test's own peer, and what it delivered.
struct Fetched {
    Fetched()
    {
        QObject::connect(&worker, &TrafficWorker::batch, &worker, [this](quint64, const ChunkPointer &chunk) { store.append(*chunk); });
        QObject::connect(&worker, &TrafficWorker::said, &worker, [this](quint64, const QString &line) { said.append(line); });
        QObject::connect(&worker, &TrafficWorker::retuned, &worker, [this](quint64, const Retuned &now) { retuned.push_back(now); });
        QObject::connect(&worker, &TrafficWorker::finished, &worker, [this](quint64, const RunEnd &now) { end = now; });
    }
    void start(const fetch::FetchOrder &order)
    {
        auto draft = fetchDraft(order);
        if (!draft)
            qFatal("%s", draft.error().front().format().c_str());
        worker.start(std::make_unique<FetchTraffic>(order, draft->scenario()->scenario.policies.begin()->second));
    }
    bool waitForEnd()
    {
        return QTest::qWaitFor([this] { return end.has_value(); }, 60'000);
    }
    std::size_t count(EventKind kind) const
    {
        std::size_t found = 0;
        for (Row row = 0; row < store.rowCount(); ++row)
            found += store.kind(row) == kind ? 1 : 0;
        return found;
    }

    EventStore store;
    QStringList said;
    std::vector<Retuned> retuned;
    std::optional<RunEnd> end;
    TrafficWorker worker; ///< the first to go
};

} // namespace

class TestFetchTraffic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWorklistIsFetched()
    {
        ScriptedPeer peer{[](const PeerRequest &) { return respond(200, {}, "body"); }};
        fetch::FetchOrder order = orderOf(peer, 5);
        order.checkpoint = file("checkpoint");
        Fetched fetched;
        fetched.start(order);
        QVERIFY(fetched.waitForEnd());
        QCOMPARE(fetched.end->failure, QString{});
        QCOMPARE(fetched.count(EventKind::AttemptFinished), std::size_t{5});
        EventBuffer buffer;
        QCOMPARE(std::get<journal::RunStarted>(fetched.store.event(0, buffer).payload).traffic, journal::Traffic::Real);
        QCOMPARE(fetched.said, QStringList{"5 of 5 settled with 5 requests"});
        Fetched again;
        order.unsettledOnly = true;
        again.start(order);
        QVERIFY(again.waitForEnd());
        QCOMPARE(again.said, QStringList{"0 of 0 settled with 0 requests"});
    }

    /// Two are told to come back in an hour, and wait for it; one more asks when the limit is lower.
    void itsPolicyIsRetunedWhileItRuns()
    {
        ScriptedPeer peer{[](const PeerRequest &) { return respond(429, "Retry-After: 3600\r\n"); }};
        fetch::FetchOrder order = orderOf(peer, 3);
        order.concurrency = 2;
        write("policy.yaml", "rate_limit: {max_wait: 2h}\nmax_attempts: 2\n");
        order.policy = file("policy.yaml");
        Fetched fetched;
        fetched.start(order);
        QVERIFY(QTest::qWaitFor([&] { return fetched.count(EventKind::RetryScheduled) == 2; }, 60'000));
        fetch::FetchOrder tighter = order;
        tighter.set = {"rate_limit.max_wait=30s"};
        fetched.worker.retune(fetchDraft(tighter)->scenario()->scenario.policies);
        QVERIFY(QTest::qWaitFor([&] { return !fetched.retuned.empty(); }, 60'000));
        QCOMPARE(fetched.retuned.front().policy, std::string{"policy"});
        QCOMPARE(fetched.retuned.front().waitsKept, std::uint64_t{2});
        fetched.worker.cancel();
        QVERIFY(fetched.waitForEnd());
        QVERIFY(fetched.end->report->interrupted);
        QCOMPARE(fetched.said.back(), QStringLiteral("stopped: 0 of 3 settled with 2 requests"));
    }

    /// Nothing secret reaches the window.
    void whatTheServerRepeatsIsRedacted()
    {
        ScriptedPeer peer{[](const PeerRequest &) { return respond(429, "Retry-After: soon-hunter2hunter2\r\n"); }};
        fetch::FetchOrder order = orderOf(peer, 1);
        write("headers", "X-Api-Key: hunter2hunter2\n");
        order.credentials.headerFile = file("headers");
        order.set = {"max_attempts=1"};
        Fetched fetched;
        fetched.start(order);
        QVERIFY(fetched.waitForEnd());
        EventBuffer buffer;
        std::vector<std::string> unreadable;
        for (Row row = 0; row < fetched.store.rowCount(); ++row) {
            const auto *finished = std::get_if<journal::AttemptFinished>(&fetched.store.event(row, buffer).payload);
            for (const signals::Unreadable &header :
                finished && finished->state ? finished->state->unreadable : std::vector<signals::Unreadable>{})
                unreadable.push_back(header.raw);
        }
        QCOMPARE(unreadable, std::vector<std::string>{"soon-***"});
    }

    void whatIsWrongIsSaidAndNothingIsSent_data()
    {
        QTest::addColumn<QString>("worklist");
        QTest::addColumn<QString>("journal");
        QTest::addColumn<QString>("words");
        QTest::newRow("no worklist") << "nowhere"
                                     << ""
                                     << "nowhere";
        QTest::newRow("the journal over the worklist") << "list"
                                                       << "list"
                                                       << "would overwrite the worklist";
    }

    void whatIsWrongIsSaidAndNothingIsSent()
    {
        QFETCH(QString, worklist);
        QFETCH(QString, journal);
        QFETCH(QString, words);
        ScriptedPeer peer{[](const PeerRequest &) { return respond(200); }};
        fetch::FetchOrder order = orderOf(peer, 1);
        order.worklist = file(worklist);
        order.journal = journal.isEmpty() ? std::string{} : file(journal);
        Fetched fetched;
        fetched.start(order);
        QVERIFY(fetched.waitForEnd());
        QVERIFY2(fetched.end->failure.contains(words), qPrintable(fetched.end->failure));
        QCOMPARE(fetched.store.rowCount(), Row{0});
        QVERIFY(peer.requests().isEmpty());
    }

    void aWrongPolicyIsSaidAsFetchSaysIt()
    {
        fetch::FetchOrder order;
        order.policy = "prvider";
        const auto draft = fetchDraft(order);
        QVERIFY(!draft);
        QVERIFY(draft.error().front().text.find("did you mean 'provider'") != std::string::npos);
    }

private:
    fetch::FetchOrder orderOf(const ScriptedPeer &peer, int items)
    {
        QByteArray list;
        for (int i = 1; i <= items; ++i)
            list += peer.url("/" + QByteArray::number(i)).toEncoded() + '\n';
        write("list", list);
        fetch::FetchOrder order;
        order.worklist = file("list");
        order.policy = "saia";
        order.seed = 7;
        return order;
    }
    std::string file(const QString &name) const { return m_folder.filePath(name).toStdString(); }
    void write(const QString &name, const QByteArray &text)
    {
        QFile out{m_folder.filePath(name)};
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(text);
        out.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestFetchTraffic)

#include "tst_fetch_traffic.moc"
