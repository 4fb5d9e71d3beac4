// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/notice_strip.h"
#include "tests/gui/gui_support.h"

#include <QProcess>
#include <fcntl.h>
#include <unistd.h>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

/// A file of one line without an end that takes no room on the disk.
void writeHole(const QString &file, qint64 size, const QByteArray &rest = {})
{
    QFile out{file};
    QVERIFY(out.open(QIODevice::WriteOnly | QIODevice::Append));
    QVERIFY(out.resize(out.size() + size));
    QVERIFY(out.seek(out.size()));
    QCOMPARE(out.write(rest), rest.size());
}

/// The most memory that this process ever had, in bytes.
qint64 mostResident()
{
    for (const QByteArray &line : contentOf("/proc/self/status").split('\n')) {
        if (line.startsWith("VmHWM:"))
            return line.mid(6).trimmed().chopped(3).trimmed().toLongLong() * 1024;
    }
    return 0;
}

} // namespace

/// A journal whose file is replaced, cut, taken away or nonsense while the window follows it.
class TestGuiReplaced final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.clear();
        m_file = m_settings.file("followed.jsonl");
        QFile::remove(m_file);
        writeJournal("minute-window.yaml", m_settings.file("wide.jsonl"));
        writeJournal("minute-window.yaml", m_settings.file("narrow.jsonl"), {{"policies.batch.rate_limit.max_wait=30s"}, {}});
        m_window = shownWindow();
    }
    void cleanup() { m_window.reset(); }

    void anotherRunInItsPlaceIsShown_data()
    {
        QTest::addColumn<int>("how");
        QTest::addColumn<QString>("words");
        QTest::newRow("renamed over") << 0 << "another file has that name now";
        QTest::newRow("cut and written anew") << 1 << "the file was written anew";
        QTest::newRow("taken away, then there again") << 2 << "another file has that name now";
    }

    void anotherRunInItsPlaceIsShown()
    {
        QFETCH(int, how);
        QFETCH(QString, words);
        follow("wide.jsonl");
        m_window->workspace().pinBaseline();
        QTest::keyClick(&m_window->events().table(), Qt::Key_Right);
        QVERIFY(m_window->selection().row != kNoRow);
        const QByteArray narrow = contentOf(m_settings.file("narrow.jsonl"));
        if (how == 0) {
            QCOMPARE(::rename(qPrintable(m_settings.file("narrow.jsonl")), qPrintable(m_file)), 0);
        } else if (how == 1) {
            write(m_file, narrow);
        } else {
            QVERIFY(QFile::remove(m_file));
            QTRY_VERIFY(says(*m_window, "its file is gone: what was read stays"));
            QCOMPARE(figuresShown(*m_window).succeeded, 200U);
            write(m_file, narrow);
        }
        QTRY_COMPARE(figuresShown(*m_window).waitExceeded, 170U);
        QTRY_VERIFY(isFinished(*m_window));
        QVERIFY(says(*m_window, words));
        QVERIFY(m_window->selection().row == kNoRow);
        QTRY_VERIFY(says(*m_window, "Click an attempt")); // no story of the other run
        QTRY_VERIFY(says(*m_window, "Δ against pinned baseline")); // which is still there
        QTRY_VERIFY(says(*m_window, "journal, read to its end"));
    }

    void aFileThatIsCutToNothingIsAnEmptyRun()
    {
        follow("wide.jsonl");
        QCOMPARE(::truncate(qPrintable(m_file), 0), 0);
        QTRY_COMPARE(m_window->workspace().record().store.rowCount(), Row{0});
        QTRY_COMPARE(figuresShown(*m_window).succeeded, 0U);
        write(m_file, contentOf(m_settings.file("narrow.jsonl")));
        QTRY_COMPARE(figuresShown(*m_window).waitExceeded, 170U);
    }

    void theNoticeGoesOnceTheFileIsThere()
    {
        QVERIFY(m_window->open(m_file));
        QTRY_VERIFY(says(*m_window, "followed.jsonl: No such file"));
        write(m_file, contentOf(m_settings.file("wide.jsonl")));
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 200U);
        QVERIFY(!m_window->findChild<NoticeStrip *>()->isVisible());
    }

    void aLineOfAGigabyteFillsNoMemory()
    {
        constexpr qint64 gigabyte = qint64{1} << 30, room = qint64{160} << 20;
        const qint64 before = mostResident();
        writeHole(m_file, gigabyte);
        QVERIFY(m_window->open(m_file));
        QTRY_VERIFY_WITH_TIMEOUT(says(*m_window, "followed.jsonl holds no event: line 1: longer than 16 MiB"), 60'000);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->workspace().journalState().bytes, gigabyte, 60'000);
        write(m_file, '\n' + contentOf(m_settings.file("wide.jsonl")), QIODevice::Append);
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 200U);
        QTRY_VERIFY(says(*m_window, "a broken line left out: line 1: longer than 16 MiB"));
        QVERIFY2(mostResident() - before < room, qPrintable(QString::number((mostResident() - before) >> 20)));
    }

    void aLineOfAGigabyteIsSaidByRender_data()
    {
        QTest::addColumn<bool>("withEvents");
        QTest::newRow("nothing else") << false;
        QTest::newRow("a run behind it") << true;
    }

    void aLineOfAGigabyteIsSaidByRender()
    {
        QFETCH(bool, withEvents);
        writeHole(m_file, qint64{1} << 30, withEvents ? '\n' + contentOf(m_settings.file("wide.jsonl")) : QByteArray{});
        QProcess program;
        program.start("/bin/sh",
            {"-c", "ulimit -v 1500000; exec \"$0\" \"$@\"", THROTTLESCOPE_DASHBOARD, "--render", m_settings.file("out.html"), m_file});
        QVERIFY(program.waitForFinished(60'000));
        const QByteArray words = program.readAllStandardError();
        QVERIFY2(words.contains("line 1: longer than 16 MiB"), words);
        QVERIFY2(words.contains(withEvents ? "a broken line is left out" : "holds no event"), words);
        QCOMPARE(program.exitCode(), withEvents ? 0 : 2);
    }

private:
    void follow(const QString &journal)
    {
        write(m_file, contentOf(m_settings.file(journal)));
        QVERIFY(m_window->open(m_file));
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 200U);
    }

    OwnSettings m_settings;
    QString m_file;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestGuiReplaced)
#include "tst_gui_replaced.moc"
