// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/checkpoint.h"

#include <QDir>
#include <QFile>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <unistd.h>

using namespace throttlescope;
using namespace throttlescope::fetch;

namespace {

QByteArray contentOf(const QString &name)
{
    QFile file{name};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

void write(const QString &name, const QByteArray &bytes)
{
    QFile file{name};
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

/// Runs statements on a database of its own.
void sqlite(const QString &name, const QStringList &statements)
{
    {
        auto database = QSqlDatabase::addDatabase("QSQLITE", "test");
        database.setDatabaseName(name);
        QVERIFY(database.open());
        for (const QString &statement : statements)
            QVERIFY2(QSqlQuery{database}.exec(statement), qPrintable(statement));
        database.close();
    }
    QSqlDatabase::removeDatabase("test");
}

const Settled kGood{Verdict::Agreed, {200, "d1"}, {200, "d1"}};
const Settled kOther{Verdict::Changed, {200, "d2"}, {200, "d1"}};

} // namespace

class TestFetchCheckpoint : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_name;

    auto open(const std::string &fingerprint = "print") const { return Checkpoint::open(m_name.toStdString(), fingerprint); }
    /// A checkpoint with 200 rows.
    void fill() const
    {
        QVERIFY(open());
        sqlite(m_name,
            {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO settled "
             "SELECT 'id ' || i, 'agreed', 200, 'd', 200, 'd', '2026-06-02T09:00:12.000000Z' FROM n"});
    }

private Q_SLOTS:
    void init()
    {
        m_name = m_folder.filePath("checkpoint");
        QFile::remove(m_name);
    }

    void whatWasSettledIsThereTheNextTime()
    {
        {
            const auto checkpoint = open();
            QVERIFY(checkpoint && (*checkpoint)->settled().empty());
            QVERIFY((*checkpoint)->settle("a", kGood, WallTime{}));
            QVERIFY((*checkpoint)->settle("b\xc3\xa4", kGood, WallTime{}));
            QVERIFY((*checkpoint)->settle("a", kOther, WallTime{}));
            QCOMPARE((*checkpoint)->settled().size(), std::size_t{2});
        }
        const auto checkpoint = open();
        QVERIFY(checkpoint);
        QCOMPARE((*checkpoint)->settled(), (std::map<std::string, Settled>{{"a", kOther}, {"b\xc3\xa4", kGood}}));
    }

    void aRowIsOnDiskWhenSettleReturns()
    {
        const auto checkpoint = open();
        QVERIFY(checkpoint && (*checkpoint)->settle("a", kGood, WallTime{}));
        QVERIFY(QFile::copy(m_name, m_folder.filePath("copy"))); // as a kill would leave it
        const auto copy = Checkpoint::open(m_folder.filePath("copy").toStdString(), "print");
        QVERIFY(copy);
        QCOMPARE((*copy)->settled().size(), std::size_t{1});
        QFile::remove(m_folder.filePath("copy"));
    }

    void oneFetchAtATime()
    {
        const auto first = open();
        QVERIFY(first);
        const auto second = open();
        QVERIFY(!second && second.error().kind == Problem::Kind::CouldNotRun);
        QVERIFY(QString::fromStdString(second.error().text).contains("in use by another fetch"));
        QVERIFY((*first)->settle("a", kGood, WallTime{}));
    }

    void aNameThatMeansMemoryToSqliteIsAFile()
    {
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_folder.path()));
        QVERIFY(Checkpoint::open(":memory:", "print"));
        QVERIFY(QFile::exists(m_folder.path() + "/:memory:"));
        QVERIFY(QDir::setCurrent(before));
    }

    void anEmptyFileIsANewCheckpoint()
    {
        write(m_name, {});
        QVERIFY(open());
    }

    void whatIsNoneOfOursIsRefusedAndStaysAsItIs_data()
    {
        QTest::addColumn<std::function<void(const QString &)>>("spoil");
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, std::function<void(const QString &)> spoil, const char *says) {
            QTest::newRow(name) << spoil << QString{says};
        };
        row(
            "text", [](const QString &name) { write(name, "http://h/\n"); }, "no checkpoint or a damaged one");
        row(
            "half a header", [](const QString &name) { write(name, contentOf(name).left(60)); }, "no checkpoint or a damaged one");
        row(
            "another program's database",
            [](const QString &name) {
                QFile::remove(name);
                sqlite(name, {"CREATE TABLE t (a)"});
            },
            "another program's database");
        row(
            "a database with another's id", [](const QString &name) { sqlite(name, {"PRAGMA application_id=1"}); },
            "another program's database");
        row(
            "a newer format", [](const QString &name) { sqlite(name, {"PRAGMA user_version=2"}); },
            "a checkpoint of format 2, expected at most 1");
        row(
            "another worklist", [](const QString &name) { sqlite(name, {"UPDATE worklist SET fingerprint='x'"}); },
            "the checkpoint of another worklist, or of this one before it changed, expected the same items in the same order");
        row(
            "no worklist", [](const QString &name) { sqlite(name, {"DELETE FROM worklist"}); },
            "damaged checkpoint (it names no worklist)");
        row(
            "a result that is none", [](const QString &name) { sqlite(name, {"UPDATE settled SET result='unchecked'"}); },
            "a row has a result that is none");
        row(
            "no rows' table", [](const QString &name) { sqlite(name, {"DROP TABLE settled"}); }, "damaged checkpoint (no such table");
        row(
            "cut in the middle", [](const QString &name) { write(name, contentOf(name).left(contentOf(name).size() / 2)); },
            "damaged checkpoint");
        row(
            "garbage in a page",
            [](const QString &name) {
                QByteArray content = contentOf(name);
                write(name, content.replace(2 * 4096, 4096, QByteArray(4096, '\x5a')));
            },
            "damaged checkpoint");
    }
    void whatIsNoneOfOursIsRefusedAndStaysAsItIs()
    {
        QFETCH(std::function<void(const QString &)>, spoil);
        QFETCH(QString, says);
        fill();
        spoil(m_name);
        const QByteArray before = contentOf(m_name);
        {
            const auto refused = open();
            QVERIFY(!refused);
            QVERIFY2(QString::fromStdString(refused.error().text).contains(says), refused.error().text.c_str());
            QVERIFY(refused.error().kind == Problem::Kind::Usage);
            const auto unread = Checkpoint::read(m_name.toStdString(), "print");
            QVERIFY(!unread);
            QCOMPARE(unread.error(), refused.error());
        }
        QCOMPARE(contentOf(m_name), before);
        QVERIFY(!QFile::exists(m_name + "-journal"));
    }

    void readingChangesNothing()
    {
        const auto read = [this] { return Checkpoint::read(m_name.toStdString(), "print"); };
        QCOMPARE(read()->size(), std::size_t{0}); // there is no file
        QVERIFY(!QFile::exists(m_name));
        write(m_name, {}); // killed before anything was written
        QCOMPARE(read()->size(), std::size_t{0});
        QCOMPARE(contentOf(m_name), QByteArray{});
        fill();
        const QByteArray before = contentOf(m_name);
        QCOMPARE(read()->size(), std::size_t{200});
        QCOMPARE(read()->at("id 7"), (Settled{Verdict::Agreed, {200, "d"}, {200, "d"}}));
        QCOMPARE(contentOf(m_name), before);
        const auto held = open();
        QVERIFY(held);
        QVERIFY(!read() && QString::fromStdString(read().error().text).contains("in use by another fetch"));
    }
    void onlyOpeningMendsWhatAKillLeft()
    {
        fill();
        const QString copy = m_folder.filePath("killed");
        {
            auto database = QSqlDatabase::addDatabase("QSQLITE", "kill");
            database.setDatabaseName(m_name);
            QVERIFY(database.open());
            QVERIFY(QSqlQuery{database}.exec("PRAGMA cache_size=1")); // pages reach the file before the end
            QVERIFY(database.transaction());
            QVERIFY(QSqlQuery{database}.exec("UPDATE settled SET digest = hex(randomblob(200))"));
            QVERIFY(QFile::copy(m_name, copy) && QFile::copy(m_name + "-journal", copy + "-journal"));
            QVERIFY(database.rollback());
            database = {};
        }
        QSqlDatabase::removeDatabase("kill");
        const QByteArray before = contentOf(copy), journal = contentOf(copy + "-journal");
        const auto unread = Checkpoint::read(copy.toStdString(), "print");
        QVERIFY(!unread && unread.error().kind == Problem::Kind::CouldNotRun);
        QVERIFY2(QString::fromStdString(unread.error().text).contains("a fetch was killed while it wrote"), unread.error().text.c_str());
        QCOMPARE(contentOf(copy), before);
        QCOMPARE(contentOf(copy + "-journal"), journal);
        const auto opened = Checkpoint::open(copy.toStdString(), "print");
        QVERIFY(opened);
        QCOMPARE((*opened)->settled().at("id 7").answer.digest, std::string{"d"});
    }

    void whatCannotBeOpenedCouldNotRun_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("a folder") << m_folder.path();
        QTest::newRow("below a folder that is not there") << m_folder.filePath("none/checkpoint");
        QTest::newRow("a device, which would keep nothing") << "/dev/null";
        QTest::newRow("where nothing can be made") << "/proc/checkpoint";
    }
    void whatCannotBeOpenedCouldNotRun()
    {
        QFETCH(QString, name);
        const auto refused = Checkpoint::open(name.toStdString(), "print");
        QVERIFY(!refused && refused.error().kind == Problem::Kind::CouldNotRun);
    }

    void aFileThatCannotBeWrittenIsRefusedBeforeAnythingIsAsked()
    {
        if (::geteuid() == 0)
            QSKIP("root may write everything");
        fill();
        QVERIFY(QFile::setPermissions(m_name, QFileDevice::ReadOwner));
        const auto refused = open();
        QVERIFY(!refused && refused.error().kind == Problem::Kind::CouldNotRun);
    }

    void nothingAboutALimitIsKept()
    {
        fill();
        auto database = QSqlDatabase::addDatabase("QSQLITE", "columns");
        database.setDatabaseName(m_name);
        QVERIFY(database.open());
        QStringList columns;
        {
            QSqlQuery query{
                "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type='table' ORDER BY 1",
                database};
            while (query.next())
                columns << query.value(0).toString();
        }
        database = {};
        QSqlDatabase::removeDatabase("columns");
        QCOMPARE(columns,
            (QStringList{"settled.baseline_digest", "settled.baseline_status", "settled.digest", "settled.id", "settled.result",
                "settled.settled_at", "settled.status", "worklist.fingerprint"}));
    }
};

QTEST_GUILESS_MAIN(TestFetchCheckpoint)
#include "tst_fetch_checkpoint.moc"
