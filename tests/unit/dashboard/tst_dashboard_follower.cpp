// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/journal_reading.h"
#include "follower_support.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <cstdio>
#include <thread>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::test;

class TestDashboardFollower : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aWholeJournalIsReadAsItWasWritten()
    {
        const auto lines = linesOf("minute-window.yaml");
        append(file(), joined(lines));
        Reader reader{file()};
        QTRY_VERIFY(reader.state);
        QCOMPARE(reader.lines(), lines);
        QCOMPARE(reader.runs, std::vector<NewRun>{NewRun::Opened});
        QCOMPARE(reader.state->events, lines.size());
        QCOMPARE(reader.state->lines, lines.size());
        QCOMPARE(reader.state->bytes, static_cast<qint64>(joined(lines).size()));
        QVERIFY(reader.state->finished && !reader.state->cutLastLine && reader.state->brokenLines == 0);
    }

    void aGrowingJournalIsFollowedThroughTheMiddleOfALine()
    {
        const auto lines = linesOf("breaker-half-open.yaml");
        const std::string text = joined(lines);
        const std::size_t middle = joined(lines, 0, 5).size() + 10;
        append(file(), text.substr(0, middle));
        Reader reader{file()};
        QTRY_VERIFY(reader.state);
        QCOMPARE(reader.store.rowCount(), 5U);
        QVERIFY(reader.state->cutLastLine && !reader.state->finished);
        for (std::size_t at = middle; at < text.size(); at += 777) {
            append(file(), text.substr(at, 777));
            QTRY_COMPARE(reader.state->bytes, static_cast<qint64>(std::min(at + 777, text.size())));
        }
        QCOMPARE(reader.lines(), lines);
        QVERIFY(reader.state->finished && !reader.state->cutLastLine);
        QCOMPARE(reader.runs, std::vector<NewRun>{NewRun::Opened});
    }

    void anEventThatLacksOnlyItsLineEndCountsOnce()
    {
        const auto lines = linesOf("zero-hint.yaml");
        append(file(), joined(lines, 0, 3) + lines[3]);
        Reader reader{file()};
        QTRY_VERIFY(reader.state);
        QCOMPARE(reader.store.rowCount(), 4U);
        QVERIFY(!reader.state->cutLastLine);
        append(file(), "\n" + joined(lines, 4, lines.size()));
        QTRY_VERIFY(reader.state->finished);
        QCOMPARE(reader.lines(), lines);
    }

    void aBrokenLineIsNamedAndTheRestGoesOn()
    {
        const auto lines = linesOf("zero-hint.yaml");
        append(file(),
            lines[0] + "\n{\"broken\n\n" + lines[1] + "\r\n" + lines[0] + '\n' + lines[1] + "\n{\"t\":1,\"event\":\"of.tomorrow\"}\n"
                + joined(lines, 2, lines.size()));
        Reader reader{file()};
        QTRY_VERIFY(reader.state);
        // Line 5 begins a second run, in which line 6 is the second event.
        QCOMPARE(reader.runs, (std::vector<NewRun>{NewRun::Opened, NewRun::Appended}));
        QCOMPARE(reader.lines(), lines);
        QCOMPARE(reader.broken.size(), 1);
        QVERIFY2(reader.broken[0].startsWith("2: no JSON object"), qPrintable(reader.broken[0]));
    }

    void aFileThatIsNoJournalIsSaidWithoutAFlood()
    {
        std::string text;
        for (int i = 0; i < 5000; ++i)
            text += "2026-06-02 GET /x 429\n";
        append(file(), text);
        Reader reader{file()};
        QTRY_VERIFY(reader.state);
        QCOMPARE(reader.broken.size(), 20);
        QCOMPARE(reader.state->brokenLines, 5000U);
        QCOMPARE(reader.store.rowCount(), 0U);
    }

    void aLineWithoutAnEndDoesNotFillTheMemory()
    {
        const auto lines = linesOf("zero-hint.yaml");
        append(file(), joined(lines, 0, 2) + std::string(40U << 20, 'x') + '\n' + joined(lines, 2, lines.size()));
        Reader reader{file()};
        QTRY_VERIFY(reader.state);
        QCOMPARE(reader.broken, QStringList{"3: longer than 16 MiB"});
        QCOMPARE(reader.lines(), lines);
    }

    void aLineThatIsTooLongIsSaidBeforeItEnds()
    {
        append(file(), std::string(20U << 20, 'x'));
        Reader reader{file()};
        QTRY_VERIFY(reader.state);
        QCOMPARE(reader.broken, QStringList{"1: longer than 16 MiB"});
        QCOMPARE(reader.state->brokenLines, quint64{1});
        append(file(), std::string(20U << 20, 'x'));
        append(file(), '\n' + linesOf("zero-hint.yaml").front() + '\n');
        QTRY_COMPARE(reader.store.rowCount(), Row{1});
        QCOMPARE(reader.broken.size(), 1);
    }

    void aFileThatIsTakenAwayIsSaidAndSoIsItsReturn()
    {
        const auto lines = linesOf("zero-hint.yaml");
        append(file(), joined(lines));
        Reader reader{file()};
        QTRY_VERIFY(reader.state && reader.state->finished);
        QVERIFY(QFile::rename(file(), file() + ".1"));
        QTRY_VERIFY(reader.state->gone);
        QCOMPARE(reader.lines(), lines);
        QVERIFY(QFile::rename(file() + ".1", file()));
        QTRY_VERIFY(!reader.state->gone);
        QCOMPARE(reader.runs, std::vector<NewRun>{NewRun::Opened}); // it is the same file
    }

    void anotherRunInItsPlaceIsANewRun_data()
    {
        QTest::addColumn<int>("way");
        QTest::addColumn<NewRun>("why");
        QTest::newRow("the file was renamed over") << 0 << NewRun::Replaced;
        QTest::newRow("it was cut and written anew, shorter") << 1 << NewRun::Rewritten;
        QTest::newRow("it was written anew at once, longer") << 2 << NewRun::Rewritten;
        QTest::newRow("it was removed, later another one was there") << 3 << NewRun::Replaced;
    }
    void anotherRunInItsPlaceIsANewRun()
    {
        QFETCH(int, way);
        QFETCH(NewRun, why);
        const auto shorter = linesOf("zero-hint.yaml"), longer = linesOf("minute-window.yaml");
        QVERIFY(shorter.size() < longer.size());
        const auto &before = way == 2 ? shorter : longer;
        const auto &after = way == 2 ? longer : shorter;
        append(file(), joined(before));
        Reader reader{file()};
        QTRY_VERIFY(reader.state);
        const std::string text = joined(after);
        if (way == 0) {
            append(file() + ".new", text);
            QVERIFY(std::rename((file() + ".new").toUtf8().constData(), file().toUtf8().constData()) == 0);
        } else if (way == 3) {
            QVERIFY(QFile::rename(file(), file() + ".old")); // keeps its inode from being taken again
            append(file(), text);
        } else {
            append(file(), text, QIODevice::Truncate);
        }
        QTRY_COMPARE(reader.runs.size(), 2U);
        QCOMPARE(reader.runs.back(), why);
        QTRY_VERIFY(reader.state->finished && reader.state->events == after.size());
        QCOMPARE(reader.lines(), after);
    }

    void aFileThatIsNotThereYetIsWaitedFor()
    {
        Reader reader{file()};
        QTRY_COMPARE(reader.errors.size(), 1);
        QVERIFY(reader.runs.empty());
        const auto lines = linesOf("zero-hint.yaml");
        append(file(), joined(lines));
        QTRY_VERIFY(reader.state && reader.state->finished);
        QCOMPARE(reader.lines(), lines);
        QCOMPARE(reader.runs, std::vector<NewRun>{NewRun::Opened});
    }

    void aFolderIsNoJournal()
    {
        Reader reader{m_folder->path()};
        QTRY_COMPARE(reader.errors, QStringList{"is no file"});
    }

    void openingIsFastCancellingFasterAndTheMemoryBounded()
    {
        {
            QFile text{file()};
            QVERIFY(text.open(QIODevice::WriteOnly));
            LineWriter writer{text};
            runInto(largeMinuteWindow(), writer);
        }
        QElapsedTimer clock;
        clock.start();
        Reader reader{file()};
        QSignalSpy chunks{&reader.follower, &JournalFollower::chunkRead};
        QTRY_VERIFY_WITH_TIMEOUT(reader.state, 60'000);
        qInfo("%u events, %.0f MB in %.2f s", reader.store.rowCount(), static_cast<double>(reader.state->bytes) / 1e6,
            static_cast<double>(clock.elapsed()) / 1e3);
        QVERIFY(reader.store.rowCount() > (kSanitized ? 10'000 : 1'000'000));
        QVERIFY(kSanitized || chunks.count() > 100);

        JournalFollower cancelled;
        QSignalSpy begun{&cancelled, &JournalFollower::runBegan}, read{&cancelled, &JournalFollower::chunkRead};
        cancelled.open(file());
        QVERIFY(begun.wait());
        clock.restart();
        cancelled.close();
        qInfo("cancelled in %lld ms", clock.elapsed());
        const auto before = read.count();
        QCoreApplication::processEvents();
        QCOMPARE(read.count(), before); // no signal after it
    }

    /// Nobody takes the chunks: the reading thread waits, and can still be told to end.
    void whoDoesNotTakeTheChunksIsNotBuriedInThem()
    {
        std::string text;
        for (int i = 0; i < 300'000; ++i)
            text += "{\"t\":1,\"event\":\"breaker.half_open\",\"server\":\"api\"}\n";
        append(file(), text);
        const auto link = std::make_shared<FollowerLink>();
        JournalReading reading{file(), link};
        std::atomic<int> sent = 0;
        connect(&reading, &JournalReading::chunkRead, &reading, [&sent] { ++sent; });
        std::thread owner{[&sent, &link] {
            while (sent < FollowerLink::kChunksUnderWay)
                std::this_thread::yield();
            link->cancelled = true;
        }};
        reading.begin(); // of 37 chunks
        owner.join();
        QCOMPARE(sent.load(), FollowerLink::kChunksUnderWay);
    }

private:
    /// The journal's lines, written as they come.
    class LineWriter final : public journal::EventSink {
    public:
        explicit LineWriter(QFile &file)
            : m_file(file)
        {
        }
        ~LineWriter() override { flush(); }
        LineWriter(const LineWriter &) = delete;
        LineWriter &operator=(const LineWriter &) = delete;
        void accept(const journal::Event &event) override
        {
            journal::appendJson(m_text, event);
            m_text += '\n';
            if (m_text.size() > 1'000'000)
                flush();
        }

    private:
        void flush()
        {
            m_file.write(m_text.data(), static_cast<qint64>(m_text.size()));
            m_text.clear();
        }
        QFile &m_file;
        std::string m_text;
    };

    QString file() const { return m_folder->filePath("run.jsonl"); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestDashboardFollower)
#include "tst_dashboard_follower.moc"
