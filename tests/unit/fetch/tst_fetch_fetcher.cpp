// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/digest.h"
#include "core/engine/words.h"
#include "fetch_run.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTimer>

using namespace throttlescope;
using namespace throttlescope::fetch;
using namespace throttlescope::testing;

namespace {

PeerReply byPath(const PeerRequest &request, const QByteArray &path, const PeerReply &special)
{
    return request.target == path ? special : respond(200, {}, "body");
}

} // namespace

class TestFetchFetcher : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::unique_ptr<Checkpoint> checkpoint(const QString &name = "checkpoint") const
    {
        auto opened = Checkpoint::open(m_folder.filePath(name).toStdString(), "print");
        return opened ? std::move(*opened) : nullptr;
    }

private Q_SLOTS:
    void init() { QFile::remove(m_folder.filePath("checkpoint")); }

    void everyItemIsAskedOnceAndSettled()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return respond(request.target == "/3" ? 404 : 200, {}, request.target); }};
        const auto kept = checkpoint();
        Fetch fetch{peer, 10};
        fetch.setup.checkpoint = kept.get();
        fetch.run();
        QCOMPARE(fetch.results(), (Tally{{"agreed", 9}, {"no_such", 1}}));
        QCOMPARE(fetch.result(3), QString{"no_such"});
        QCOMPARE(peer.requests().size(), 10);
        QCOMPARE(fetch.requests, std::uint64_t{10});
        QCOMPARE(kept->settled().size(), std::size_t{10});
        QCOMPARE(kept->settled().at("item 7").answer, (Answer{200, sha256("/7")}));
    }

    void theOrderIsThePlans()
    {
        ScriptedPeer peer;
        Fetch fetch{peer, 10};
        fetch.setup.concurrency = 1;
        fetch.run();
        for (std::size_t i = 0; i < 10; ++i)
            QCOMPARE(peer.requests()[static_cast<qsizetype>(i)].target,
                "/" + QByteArray::number(static_cast<qulonglong>(fetch.setup.plan.order[i])));
    }

    void noMoreThanTheConcurrencyIsUnderWay()
    {
        ScriptedPeer peer{[](const PeerRequest &) { return held(respond(200)); }};
        Fetch fetch{peer, 9};
        fetch.setup.concurrency = 3;
        QTimer release;
        connect(&release, &QTimer::timeout, this, [&peer] {
            if (peer.heldRequests() == 3)
                peer.releaseHeld();
        });
        release.start(1);
        fetch.run();
        QCOMPARE(peer.mostOpen(), 3);
        QCOMPARE(fetch.results(), (Tally{{"agreed", 9}}));
    }

    void aRefusalLeavesNoRowAndIsToldWithItsHint()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return byPath(request, "/1", respond(429, "Retry-After: 120\r\n")); }};
        const auto kept = checkpoint();
        Fetch fetch{peer, 3};
        fetch.setup.checkpoint = kept.get();
        fetch.run();
        QCOMPARE(fetch.result(1), QString{"unchecked wait_exceeded"});
        QCOMPARE(fetch.reports[1].judgement.hint, std::optional<Duration>{120s});
        QCOMPARE(fetch.reports[1].judgement.status, std::optional<int>{429});
        QCOMPARE(kept->settled().size(), std::size_t{2});
        QVERIFY(!kept->settled().contains("item 1"));
    }

    void aRetriedAnswerIsTheOneThatCounts()
    {
        ScriptedPeer peer{
            [](const PeerRequest &request) { return request.nth % 2 == 1 ? respond(503) : respond(200, {}, request.target); }};
        Fetch fetch{peer, 4};
        fetch.setup.concurrency = 1;
        fetch.run();
        QCOMPARE(fetch.results(), (Tally{{"agreed", 4}}));
        QCOMPARE(fetch.requests, std::uint64_t{8});
    }

    void whatCannotBeSettledSaysWhy_data()
    {
        QTest::addColumn<PeerReply>("reply");
        QTest::addColumn<QString>("result");
        QTest::newRow("a redirect is not followed") << respond(302, "Location: /2\r\n") << "unchecked redirect";
        QTest::newRow("not modified settles") << respond(304) << "agreed";
        QTest::newRow("a reset") << reset() << "unchecked connection_reset";
        QTest::newRow("half a body") << closed("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") << "unchecked interrupted";
        QTest::newRow("forbidden") << respond(403) << "unchecked not_selected";
        QTest::newRow("an error of the server") << respond(500) << "unchecked attempts_exhausted";
    }
    void whatCannotBeSettledSaysWhy()
    {
        QFETCH(PeerReply, reply);
        QFETCH(QString, result);
        ScriptedPeer peer{[&reply](const PeerRequest &) { return reply; }};
        Fetch fetch{peer, 1};
        fetch.run();
        QCOMPARE(fetch.result(0), result);
    }

    void aBreakerIsInheritedByEveryItemOfItsRemote()
    {
        Policy policy = quickPolicy();
        policy.maxAttempts = 1;
        policy.breaker = BreakerSpec{.trip = TripFirstThrottle{}, .openFor = OpenForRestOfRun{}};
        ScriptedPeer throttled{[](const PeerRequest &) { return respond(429, "Retry-After: 1\r\n"); }};
        ScriptedPeer other;
        Fetch fetch{throttled, 6, policy};
        for (std::size_t i = 3; i < 6; ++i)
            fetch.setup.items[i].url = other.url();
        fetch.setup.concurrency = 1;
        fetch.run();
        QCOMPARE(fetch.results(), (Tally{{"unchecked attempts_exhausted", 1}, {"unchecked breaker_open", 2}, {"agreed", 3}}));
        QCOMPARE(throttled.requests().size(), 1);
    }

    void aPacerIsInheritedByEveryItemOfItsRemote()
    {
        Policy policy = quickPolicy();
        policy.pacer = PacerSpec{.requestsPerSecond = Rate{50, 1s}};
        ScriptedPeer peer;
        Fetch fetch{peer, 6, policy};
        QElapsedTimer timer;
        timer.start();
        fetch.run();
        QVERIFY(timer.elapsed() >= 5 * 20); // the first starts at once
    }

    void onlyTheUnsettledAreAsked()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return request.target == "/1" ? respond(500) : respond(200); }};
        const auto kept = checkpoint();
        Fetch fetch{peer, 3};
        fetch.setup.checkpoint = kept.get();
        fetch.unsettledOnly = true;
        fetch.run();
        peer.setScript([](const PeerRequest &) { return respond(200); });
        const qsizetype before = peer.requests().size();
        fetch.run();
        QCOMPARE(peer.requests().size(), before + 1);
        QCOMPARE(peer.requests().last().target, QByteArray{"/1"});
        fetch.run();
        QCOMPARE(peer.requests().size(), before + 1);
    }

    void aChangeIsToldAgainstTheCheckpoint()
    {
        QByteArray body = "a";
        ScriptedPeer peer{[&body](const PeerRequest &request) { return byPath(request, "/1", respond(200, {}, body)); }};
        const auto kept = checkpoint();
        Fetch fetch{peer, 3};
        fetch.setup.checkpoint = kept.get();
        fetch.run();
        body = "b";
        fetch.run();
        QCOMPARE(fetch.results(), (Tally{{"agreed", 2}, {"changed", 1}}));
        fetch.run();
        QCOMPARE(fetch.result(1), QString{"changed"}); // until it is acknowledged
        fetch.setup.acknowledged = {"item 1", "item 2"};
        fetch.run();
        QVERIFY(fetch.reports[1].acknowledged && !fetch.reports[2].acknowledged);
        fetch.run();
        QCOMPARE(fetch.results(), (Tally{{"agreed", 3}}));
    }

    void aBodyThatIsTooLongIsGivenUpAndSaysSo()
    {
        ScriptedPeer peer{[](const PeerRequest &request) {
            const QByteArray head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"; // and the rest never comes
            return request.target == "/1" ? PeerReply{head + QByteArray(60, 'x')} : respond(200, {}, QByteArray(50, 'x'));
        }};
        Policy policy = quickPolicy();
        policy.maxAttempts = 1;
        Fetch fetch{peer, 2, policy};
        fetch.setup.client.largestBody = 50;
        fetch.run();
        QCOMPARE(fetch.results(), (Tally{{"agreed", 1}, {"unchecked body_too_large", 1}}));
        QCOMPARE(fetch.reports[1].judgement.status, std::optional<int>{200});
    }

    void anInterruptionKeepsWhatIsSettled()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return request.nth <= 5 ? respond(200) : silence(); }};
        const auto kept = checkpoint();
        Fetch fetch{peer, 10};
        fetch.setup.checkpoint = kept.get();
        fetch.run([](Fetcher &fetcher) {
            if (fetcher.reports().size() == 5)
                fetcher.interrupt();
        });
        QCOMPARE(kept->settled().size(), std::size_t{5});
        Tally results = fetch.results();
        QCOMPARE(results["agreed"], 5);
        QCOMPARE(results["unchecked cancelled"] + results["unchecked not_asked"], 5);
    }

    void anAnswerThatCannotBeWrittenHasNoRowAndEndsTheRun()
    {
        ScriptedPeer peer;
        const auto kept = checkpoint();
        const auto output = OutputFolder::open(m_folder.filePath("out").toStdString(), {});
        QVERIFY(output);
        Fetch fetch{peer, 10};
        fetch.setup.concurrency = 1;
        fetch.setup.checkpoint = kept.get();
        fetch.setup.output = &*output;
        QVERIFY(QDir{m_folder.filePath("out")}.removeRecursively());
        fetch.run();
        QVERIFY(fetch.problem && fetch.problem->kind == Problem::Kind::CouldNotRun);
        QCOMPARE(kept->settled().size(), std::size_t{0});
        QCOMPARE(fetch.results(), (Tally{{"unchecked not_kept", 1}, {"unchecked not_asked", 9}}));
        QCOMPARE(peer.requests().size(), 1);
    }

    void credentialsAreSentUnlessAnItemHasItsOwn()
    {
        ScriptedPeer peer;
        Fetch fetch{peer, 2};
        fetch.setup.concurrency = 1;
        fetch.setup.items[1].headers = {{"x-key", "own"}};
        fetch.setup.credentials = {{"X-Key", "given"}};
        fetch.run();
        for (const PeerRequest &request : peer.requests())
            QCOMPARE(request.header("X-Key"), QByteArray{request.target == "/1" ? "own" : "given"});
    }

    void bodyAndMethodAreSentAsTheyStand()
    {
        ScriptedPeer peer;
        Fetch fetch{peer, 1};
        fetch.setup.items[0].method = "PUT";
        fetch.setup.items[0].body = QByteArray{"a\0b", 3};
        fetch.run();
        QCOMPARE(peer.requests().first().method, QByteArray{"PUT"});
        QCOMPARE(peer.requests().first().body, (QByteArray{"a\0b", 3}));
    }

    void theJournalIsThereWithTheSeedAndWithoutAQuery()
    {
        ScriptedPeer peer;
        const QString name = m_folder.filePath("journal");
        Fetch fetch{peer, 3};
        fetch.setup.items[1].url.setQuery("key=hidden");
        fetch.setup.client.seed = 77;
        fetch.setup.journal = *RunJournal::open(name.toStdString());
        fetch.run();
        QFile file{name};
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.contains("\"seed\":77"));
        QVERIFY(text.trimmed().split('\n').last().contains("run.finished"));
        QCOMPARE(text.count("attempt.started"), 3);
        QVERIFY(!text.contains("hidden"));
    }

    void aJournalThatCannotBeWrittenEndsTheRun()
    {
        ScriptedPeer peer;
        Fetch fetch{peer, 50};
        fetch.setup.journal = *RunJournal::open("/dev/full");
        fetch.run();
        QVERIFY(fetch.problem && fetch.problem->kind == Problem::Kind::CouldNotRun);
        QCOMPARE(fetch.problem->text, std::string{"/dev/full: the journal cannot be written (No space left on device)"});
        QVERIFY(!RunJournal::open("/nowhere/journal"));
    }
};

QTEST_GUILESS_MAIN(TestFetchFetcher)
#include "tst_fetch_fetcher.moc"
