// SPDX-License-Identifier: GPL-3.0-or-later
#include "fetch_run.h"

using namespace throttlescope;
using namespace throttlescope::fetch;
using namespace throttlescope::testing;

/// max_requests, counted where the requests arrive.
class TestFetchAllowance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noMoreRequestsThanAllowedReachTheServer_data()
    {
        QTest::addColumn<int>("most");
        QTest::addColumn<int>("concurrency");
        QTest::addColumn<QString>("answers");
        for (const QString answers : {"ok", "zero", "refused", "rude"}) {
            for (const int most : {0, 1, 2, 5, 12}) {
                for (const int concurrency : {1, 4})
                    QTest::addRow("%d requests, %d at a time, %s", most, concurrency, qPrintable(answers))
                        << most << concurrency << answers;
            }
        }
    }
    void noMoreRequestsThanAllowedReachTheServer()
    {
        QFETCH(int, most);
        QFETCH(int, concurrency);
        QFETCH(QString, answers);
        ScriptedPeer peer{[&answers](const PeerRequest &request) {
            if (answers == "zero") // told to come back at once
                return respond(429, "Retry-After: 0\r\n");
            if (answers == "rude") // closes without an answer every other time, which Qt would repeat
                return request.nth % 2 == 0 ? closed() : respond(200);
            return answers == "refused" ? respond(503) : respond(200);
        }};
        Fetch fetch{peer, 20};
        fetch.setup.concurrency = static_cast<std::size_t>(concurrency);
        fetch.setup.maxRequests = static_cast<std::uint64_t>(most);
        fetch.run();
        QCOMPARE(peer.requests().size(), most);
        QCOMPARE(fetch.requests, static_cast<std::uint64_t>(most));
        QVERIFY(fetch.results()["unchecked max_requests"] >= 20 - most);
        if (answers == "ok")
            QCOMPARE(fetch.results(),
                most == 0 ? (Tally{{"unchecked max_requests", 20}}) : (Tally{{"agreed", most}, {"unchecked max_requests", 20 - most}}));
    }

    // Qt may send a HEAD four times: with less left it is not sent at all.
    void aHeadIsAskedWhereFourRequestsAreLeft_data()
    {
        QTest::addColumn<int>("most");
        QTest::addColumn<QString>("result");
        QTest::newRow("one") << 1 << "unchecked max_requests";
        QTest::newRow("three") << 3 << "unchecked max_requests";
        QTest::newRow("four") << 4 << "agreed";
    }
    void aHeadIsAskedWhereFourRequestsAreLeft()
    {
        QFETCH(int, most);
        ScriptedPeer peer{[](const PeerRequest &) { return PeerReply{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"}; }};
        Fetch fetch{peer, 1};
        fetch.setup.items[0].method = "HEAD";
        fetch.setup.maxRequests = static_cast<std::uint64_t>(most);
        fetch.run();
        QTEST(fetch.result(0), "result");
        QCOMPARE(peer.requests().size(), most < 4 ? 0 : 1);
        QCOMPARE(fetch.requests, static_cast<std::uint64_t>(peer.requests().size()));
    }

    // Where a server says nothing, Qt asks again by itself, and again where that ends so.
    void aHeadBecomesNoMoreRequestsThanAreCountedForIt_data()
    {
        QTest::addColumn<PeerReply>("reply");
        QTest::addColumn<int>("answered"); // before, on the same connection
        for (const int answered : {0, 1}) {
            QTest::addRow("closed after %d", answered) << closed() << answered;
            QTest::addRow("reset after %d", answered) << reset() << answered;
            QTest::addRow("closed in the status line after %d", answered) << closed("HTTP/1.") << answered;
            QTest::addRow("closed in the header after %d", answered) << closed("HTTP/1.1 200 OK\r\nA") << answered;
        }
    }
    void aHeadBecomesNoMoreRequestsThanAreCountedForIt()
    {
        QFETCH(PeerReply, reply);
        QFETCH(int, answered);
        ScriptedPeer peer{[&](const PeerRequest &request) { return request.nth <= answered ? respond(200) : reply; }};
        Policy policy = quickPolicy();
        policy.maxAttempts = 1;
        Fetch fetch{peer, static_cast<std::size_t>(answered) + 1, policy};
        for (Item &item : fetch.setup.items)
            item.method = "HEAD";
        fetch.setup.concurrency = 1;
        fetch.run();
        const auto sent = static_cast<std::size_t>(peer.requests().size() - answered);
        QVERIFY2(sent <= Allowance::mostOf("HEAD"), qPrintable(QString::number(sent)));
        QCOMPARE(fetch.requests, static_cast<std::uint64_t>(peer.requests().size()));
    }

    void headsThatQtRepeatsStayWithinTheAllowance_data()
    {
        QTest::addColumn<int>("most");
        for (const int most : {0, 1, 3, 4, 7, 12})
            QTest::addRow("%d requests", most) << most;
    }
    void headsThatQtRepeatsStayWithinTheAllowance()
    {
        QFETCH(int, most);
        ScriptedPeer peer{[](const PeerRequest &request) { return request.method == "HEAD" ? closed() : respond(200); }};
        Fetch fetch{peer, 20};
        for (std::size_t i = 0; i < 20; i += 2)
            fetch.setup.items[i].method = "HEAD";
        fetch.setup.maxRequests = static_cast<std::uint64_t>(most);
        fetch.run();
        QCOMPARE(peer.requests().size(), most);
        QCOMPARE(fetch.requests, static_cast<std::uint64_t>(most));
    }

    void anAllowanceThatIsNotReachedChangesNothing()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return request.nth == 3 ? respond(503) : respond(200); }};
        Fetch fetch{peer, 5};
        fetch.setup.maxRequests = 100;
        fetch.run();
        QCOMPARE(fetch.results(), (Tally{{"agreed", 5}}));
        QCOMPARE(peer.requests().size(), 6);
    }
};

QTEST_GUILESS_MAIN(TestFetchAllowance)
#include "tst_fetch_allowance.moc"
