// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/filter.h"
#include "dashboard_support.h"

#include <QTest>
#include <random>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::test;

namespace {

/// Rows 0 to 13, each reachable by its number in the tables below.
EventStore sampleStore()
{
    EventStore store;
    Journal journal{store};
    Decision retry, refuse;
    retry.status = 429;
    retry.delay = 47s;
    retry.source = DelaySource::Provider;
    refuse = retry;
    refuse.family = Family::RateLimited;
    refuse.delay = 61s;
    refuse.refusal = RefusalReason::WaitExceeded;
    constexpr auto answered = journal::AttemptEnd::Answered;
    journal.add(0s, 0, 0, journal::RunStarted{}, "", ""); // 0
    journal.add(1s, 1, 0, journal::OperationStarted{"p", "GET"}); // 1
    journal.add(1s, 1, 1, journal::AttemptStarted{}); // 2
    journal.add(2s, 1, 1, journal::AttemptFinished{false, answered, 429, {}, Family::RateLimited, 1s}); // 3
    journal.add(2s, 1, 1, journal::RetryScheduled{&retry, at(49s)}); // 4
    journal.add(30s, 0, 0, journal::Marker{"DB failover", true}, "", "api"); // 5
    journal.add(49s, 1, 2, journal::AttemptStarted{false, false, 47s}); // 6
    journal.add(50s, 1, 2, journal::AttemptFinished{false, answered, 503, {}, Family::Ambiguous, 500ms}); // 7
    journal.add(60s, 0, 0, journal::Marker{"DB failover", false}, "", "api"); // 8
    journal.add(61s, 31, 0, journal::OperationStarted{}, "fetch", "api-2"); // 9
    journal.add(62s, 31, 1, journal::RateLimitWaitExceeded{61s, 60s}, "fetch", "api-2"); // 10
    journal.add(62s, 31, 1, journal::RetryRefused{&refuse}, "fetch", "api-2"); // 11
    journal.add(
        120s, 31, 1, journal::OperationFinished{Result::Failed, RefusalReason::WaitExceeded, false, 429, 1}, "fetch", "api-2"); // 12
    journal.add(121s, 31, 1, journal::ServerAnswered{200, true, true, true, 1, "", "", at(125s)}, "fetch", "api-2"); // 13
    journal.flush();
    return store;
}

using Rows = std::vector<int>;

} // namespace

class TestDashboardFilter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFilterKeepsItsRows_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<Rows>("rows");
        const auto row = [](const char *text, const Rows &rows) { QTest::newRow(text) << QString::fromUtf8(text) << rows; };
        row("", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
        row("op:31", {9, 10, 11, 12, 13});
        row("op=31", {9, 10, 11, 12, 13});
        row("op>1", {9, 10, 11, 12, 13});
        row("op:2..31", {9, 10, 11, 12, 13});
        row("-op:1|31", {0, 5, 8});
        row("event:rate_limit", {10});
        row("EVENT:Retry", {4, 11});
        row("event:attempt.started|marker", {2, 5, 6, 8});
        row("operation:fetch", {9, 10, 11, 12, 13});
        row("operation:fet", {});
        row("operation:fet*", {9, 10, 11, 12, 13});
        row("server:api event:operation", {1});
        row("server:api* event:operation", {1, 9, 12});
        row("attempt>=2", {6, 7});
        row("attempt:1 op:31", {10, 11, 12, 13});
        row("status:429", {3, 4, 11, 12});
        row("status:5xx", {7});
        row("status:2xx|503", {7, 13});
        row("status>429", {7});
        row("outcome:ambiguous", {7});
        row("result:failed", {12});
        row("reason:wait_exceeded", {10, 11, 12});
        row("wait>30s", {4, 6, 10, 11});
        row("wait>47s", {10, 11});
        row("wait>=47s", {4, 6, 10, 11});
        row("wait<1m", {4, 6});
        row("wait:47s..1m", {4, 6});
        row("took<=500ms", {7});
        row("t>1m30s", {12, 13});
        row("t>=30s t<1m", {5, 6, 7});
        row("label:failover", {5, 6, 7, 8});
        row("label:\"db f\"", {5, 6, 7, 8});
        row("label:other", {});
        row("\"too early\"", {13});
        row("-fetch event:operation", {1});
        row("max_wait", {10});
        row("FAILOVER", {5, 8});
        row("  op:31   -event:operation  status:429|200 ", {11, 13});
    }
    void aFilterKeepsItsRows()
    {
        QFETCH(QString, text);
        QFETCH(Rows, rows);
        const EventStore store = sampleStore();
        const auto filter = parseFilter(text.toStdString());
        QVERIFY2(filter, filter ? "" : filter.error().message.c_str());
        RowMatcher matcher{*filter, store};
        Rows found, backwards;
        for (Row row = 0; row < store.rowCount(); ++row) {
            if (matcher.matches(row))
                found.push_back(static_cast<int>(row));
        }
        QCOMPARE(found, rows);
        RowMatcher other{*filter, store};
        for (Row row = store.rowCount(); row-- > 0;) {
            if (other.matches(row))
                backwards.insert(backwards.begin(), static_cast<int>(row));
        }
        QCOMPARE(backwards, rows); // in whatever order they are asked for
    }

    void whatIsWrongIsNamedWithItsColumn_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *text, int column, const char *message) {
            QTest::newRow(text) << QString::fromUtf8(text) << column << QString::fromUtf8(message);
        };
        row("sever:api", 1, "no key 'sever', did you mean 'server'?");
        row("op:31 evnt:x", 7, "no key 'evnt', did you mean 'event'?");
        row("-\"grün\" sever:api", 9, "no key 'sever', did you mean 'server'?");
        row("op:", 4, "expected a number, 3..9, < <= > >=");
        row("op:3|", 6, "expected a number, 3..9, < <= > >=");
        row("op:x", 4, "'x' is no whole number, expected digits");
        row("server>api", 7, "'server' has no order, expected ':'");
        row("reason:wait_exeeded", 8, "no 'wait_exeeded', did you mean 'wait_exceeded'?");
        row("outcome:succes", 9, "no 'succes', did you mean 'success'?");
        row("event:rate_limits", 7, "no event begins with 'rate_limits'");
        row("label:\"db", 7, "expected a second quote");
        row("attempt:4..2", 9, "'4..2' runs backwards, expected the lesser one first");
        row("op:1 -", 7, "expected a term after '-'");
        row("wait>thirty", 6, "'thirty'");
    }
    void whatIsWrongIsNamedWithItsColumn()
    {
        QFETCH(QString, text);
        QFETCH(int, column);
        QFETCH(QString, message);
        const auto filter = parseFilter(text.toStdString());
        QVERIFY(!filter);
        QCOMPARE(filter.error().column, column);
        QVERIFY2(QString::fromStdString(filter.error().message).startsWith(message), filter.error().message.c_str());
    }

    void everyTermIsAChipThatCanBeTakenAway()
    {
        const auto filter = parseFilter("  op:31   -label:\"db failover\" wait>30s");
        QVERIFY(filter);
        QCOMPARE(filter->terms.size(), std::size_t{3});
        QCOMPARE(filter->terms[1].text, std::string{"-label:\"db failover\""});
        QCOMPARE(filter->text(), std::string{"op:31 -label:\"db failover\" wait>30s"});
        QVERIFY(*parseFilter(filter->text()) == *filter);
        QCOMPARE(filter->without(1).text(), std::string{"op:31 wait>30s"});
        QVERIFY(filter->without(0).without(0).without(0).isEmpty());
    }

    void theHelpNamesEveryKeyWithAnExampleThatReads()
    {
        QCOMPARE(filterHelp().size(), static_cast<std::size_t>(FilterKey::Words) + 1);
        for (const FilterHelp &help : filterHelp()) {
            const auto filter = parseFilter(help.example);
            QVERIFY2(filter, std::string{help.example}.c_str());
            QCOMPARE(filter->terms.size(), std::size_t{1});
            QVERIFY(!help.values.empty() && !help.meaning.empty());
        }
    }

    void anythingTypedIsAFilterOrAnError()
    {
        std::mt19937 random{11};
        const std::string letters = "op:31-|\"<>=* xt.5mrsäevnt";
        for (int i = 0; i < 20'000; ++i) {
            std::string text;
            for (auto left = random() % 12; left > 0; --left)
                text.push_back(letters[random() % letters.size()]);
            const auto filter = parseFilter(text);
            if (filter)
                QVERIFY(*parseFilter(filter->text()) == *filter);
            else
                QVERIFY(filter.error().column >= 1 && filter.error().column <= static_cast<int>(text.size()) + 1);
        }
    }
};

QTEST_GUILESS_MAIN(TestDashboardFilter)
#include "tst_dashboard_filter.moc"
