// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/event_table_model.h"
#include "dashboard_support.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::test;

namespace {

constexpr auto kTester = QAbstractItemModelTester::FailureReportingMode::QtTest;

Filter filterOf(const char *text)
{
    return *parseFilter(text);
}

QString textAt(const EventTableModel &model, int row, int column)
{
    return model.data(model.index(row, column)).toString();
}

/// Numbered operations that start one a millisecond.
void addStarts(Journal &journal, int first, int count)
{
    for (int op = first; op < first + count; ++op)
        journal.add(std::chrono::milliseconds{op}, static_cast<journal::OperationId>(op), 0, journal::OperationStarted{"p", "GET"});
    journal.flush();
}

} // namespace

class TestDashboardTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theColumnsSayWhatHappened()
    {
        const EventStore store = storeOf(shipped("minute-window.yaml"));
        EventTableModel model;
        const QAbstractItemModelTester tester{&model, kTester};
        model.setStore(&store);
        QCOMPARE(model.rowCount(), static_cast<int>(store.rowCount()));
        QCOMPARE(model.headerData(EventTableModel::What, Qt::Horizontal).toString(), QStringLiteral("what"));

        model.setFilter(filterOf("event:attempt.finished status:200"));
        QSignalSpy completed{&model, &EventTableModel::completed};
        QVERIFY(completed.wait());
        QCOMPARE(model.rowCount(), 200);
        QCOMPARE(textAt(model, 0, EventTableModel::Time), QStringLiteral("0.120"));
        QCOMPARE(textAt(model, 0, EventTableModel::Event), QStringLiteral("attempt.finished"));
        QCOMPARE(textAt(model, 0, EventTableModel::Op), QStringLiteral("1"));
        QCOMPARE(textAt(model, 0, EventTableModel::Operation), QStringLiteral("convert"));
        QCOMPARE(textAt(model, 0, EventTableModel::Server), QStringLiteral("saia"));
        QCOMPARE(textAt(model, 0, EventTableModel::Attempt), QStringLiteral("1"));
        QCOMPARE(textAt(model, 0, EventTableModel::What), QStringLiteral("200 after 120 ms, success"));
        model.setClock(EventTableModel::Clock::Wall);
        QCOMPARE(textAt(model, 0, EventTableModel::Time), QStringLiteral("09:00:12.120"));
        QCOMPARE(model.headerData(EventTableModel::Time, Qt::Horizontal).toString(), QStringLiteral("time (UTC)"));
    }

    void everyEventHasItsWordsOnOneLine()
    {
        for (const QString &name : shippedNames()) {
            const EventStore store = storeOf(shipped(name));
            EventTableModel model;
            model.setStore(&store);
            for (int row = 0; row < model.rowCount(); ++row) {
                const QString what = textAt(model, row, EventTableModel::What);
                QVERIFY(!what.isEmpty() && !what.contains('\n'));
            }
        }
    }

    void rowsAndEventsFindEachOther()
    {
        EventStore store;
        Journal journal{store};
        addStarts(journal, 1, 100);
        EventTableModel model;
        QCOMPARE(model.nearestRowOf(3), std::nullopt);
        model.setStore(&store);
        QCOMPARE(model.rowOf(7), std::optional{7});
        QCOMPARE(model.rowOf(100), std::nullopt);
        model.setFilter(filterOf("op:10|20|30"));
        QTRY_VERIFY(model.isComplete());
        QCOMPARE(model.eventAt(1), 19U); // operation 20
        QCOMPARE(model.rowOf(19), std::optional{1});
        QCOMPARE(model.rowOf(20), std::nullopt);
        QCOMPARE(model.nearestRowOf(20), std::optional{2});
        QCOMPARE(model.nearestRowOf(99), std::optional{2});
        QCOMPARE(model.data(model.index(2, 0), EventTableModel::kEventRole).toUInt(), 29U);
    }

    void appendedRowsAreTestedAsTheyCome_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::newRow("no filter") << "";
        QTest::newRow("a filter") << "op:7..9999999";
        QTest::newRow("a filter that keeps all out") << "op:0..0";
    }
    void appendedRowsAreTestedAsTheyCome()
    {
        QFETCH(QString, filter);
        EventStore store;
        Journal journal{store};
        EventTableModel model;
        const QAbstractItemModelTester tester{&model, kTester};
        model.setStore(&store);
        model.setFilter(filterOf(filter.toUtf8().constData()));
        QSignalSpy inserted{&model, &EventTableModel::rowsInserted};
        QSignalSpy reset{&model, &EventTableModel::modelReset};
        for (int part = 0; part < 20; ++part) {
            addStarts(journal, 1 + part * 300, 300);
            model.follow();
            QTRY_VERIFY(model.isComplete());
        }
        QCOMPARE(reset.count(), 0);
        RowMatcher matcher{model.filter(), store};
        std::vector<Row> expected, shown;
        for (Row row = 0; row < store.rowCount(); ++row) {
            if (matcher.matches(row))
                expected.push_back(row);
        }
        for (int row = 0; row < model.rowCount(); ++row)
            shown.push_back(model.eventAt(row));
        QCOMPARE(shown, expected);
    }

    void aClearedStoreIsAnEmptyTable()
    {
        EventStore store;
        Journal journal{store};
        addStarts(journal, 1, 5000);
        EventTableModel model;
        const QAbstractItemModelTester tester{&model, kTester};
        model.setStore(&store);
        model.setFilter(filterOf("event:operation"));
        store.clear(); // in the middle of filtering
        model.setStore(&store);
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(model.isComplete());
        addStarts(journal, 1, 3);
        model.follow();
        QTRY_COMPARE(model.rowCount(), 3);
        model.setStore(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void aFilterOverAMillionEventsLeavesTheThreadFree_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::newRow("columns") << "status:429 wait>30s";
        QTest::newRow("words") << "nothing-says-this";
        QTest::newRow("all pass") << "t>=0s";
    }
    void aFilterOverAMillionEventsLeavesTheThreadFree()
    {
        QFETCH(QString, filter);
        EventStore store;
        Journal journal{store};
        addStarts(journal, 1, kSanitized ? 100'000 : 1'000'000);
        EventTableModel model;
        model.setStore(&store);
        QElapsedTimer whole, slice;
        whole.start();
        qint64 longest = 0;
        int slices = 0;
        slice.start();
        model.setFilter(filterOf(filter.toUtf8().constData()));
        while (!model.isComplete()) {
            longest = std::max(longest, slice.restart());
            QCoreApplication::processEvents();
            ++slices;
        }
        qInfo("%lld ms in %d slices, the longest %lld ms", whole.elapsed(), slices, longest);
        QVERIFY(slices > 1);
    }
};

QTEST_GUILESS_MAIN(TestDashboardTable)
#include "tst_dashboard_table.moc"
