// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/render.h"
#include "tests/gui/gui_support.h"

#include <QDir>
#include <csignal>
#include <sys/resource.h>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

/// Files of this process end after a few bytes, as on a full disk.
class FullDisk {
public:
    FullDisk()
    {
        std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit narrow = m_before;
        narrow.rlim_cur = 64;
        ::setrlimit(RLIMIT_FSIZE, &narrow);
    }
    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &m_before); }
    FullDisk(const FullDisk &) = delete;
    FullDisk &operator=(const FullDisk &) = delete;

private:
    rlimit m_before{};
};

} // namespace

/// What is written is written whole, or said, and what was there stays.
class TestGuiDisk final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.clear(); }

    void whatTheWindowCannotWriteIsSaidAndTheFileStays()
    {
        const auto window = shownWindow();
        QVERIFY(window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*window));
        window->workspace().setMaxWait(45s, true);
        QTRY_VERIFY(isFinished(*window));
        for (const char *suffix : {"png", "svg", "pdf", "csv", "yaml"}) {
            const QString file = m_settings.file(QString{"old."} + suffix);
            write(file, "as it was");
            const QString said = [&] {
                const FullDisk disk;
                return QString{suffix} == "yaml" ? window->saveTo(file) : window->exportTo(file);
            }();
            QVERIFY2(said.contains("could not be written"), qPrintable(suffix + (": " + said)));
            QCOMPARE(contentOf(file), QByteArray{"as it was"});
            const QString folder = m_settings.file(suffix);
            QVERIFY(QDir{}.mkpath(folder + "/a." + suffix));
            QVERIFY(!(QString{suffix} == "yaml" ? window->saveTo(folder) : window->exportTo(folder + "/a." + suffix)).isEmpty());
        }
    }

    void whatRenderCannotWriteIsSaidAndTheFileStays()
    {
        const QString journal = m_settings.file("run.jsonl");
        writeJournal("date-hint.yaml", journal);
        for (const char *suffix : {"png", "svg", "pdf", "html"}) {
            const QString file = m_settings.file(QString{"drawn."} + suffix);
            write(file, "as it was");
            const RenderResult result = [&] {
                const FullDisk disk;
                return render({file, {journal}, {}, {640, 480}});
            }();
            QCOMPARE(result.exitCode, 3);
            QVERIFY2(result.problem.contains("could not be written"), suffix);
            QCOMPARE(contentOf(file), QByteArray{"as it was"});
            QCOMPARE(render({file, {journal}, {}, {640, 480}}).exitCode, 0);
            QVERIFY(contentOf(file).size() > 1'000);
        }
    }

    /// Of a line that has no end there is nothing to wait for.
    void aJournalThatWasCutAnywhereIsDrawnAsFarAsItGoes()
    {
        const QString journal = m_settings.file("run.jsonl"), cut = m_settings.file("cut.jsonl");
        writeJournal("date-hint.yaml", journal);
        const QByteArray whole = contentOf(journal);
        const auto first = whole.indexOf('\n');
        QVERIFY(first > 100);
        for (const qsizetype size : {qsizetype{1}, qsizetype{50}, first - 1, first + 1, first + 50, whole.size() - 1}) {
            write(cut, whole.left(size));
            const RenderResult result = render({m_settings.file("cut.png"), {cut}, {}, {640, 480}});
            QCOMPARE(result.exitCode, size < first ? 2 : 0);
            QCOMPARE(result.problem.contains("holds no event"), size < first);
        }
    }

private:
    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiDisk)
#include "tst_gui_disk.moc"
