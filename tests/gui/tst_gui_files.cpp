// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/gui_support.h"

#include <QClipboard>
#include <QHeaderView>
#include <QProcess>
#include <QScreen>
#include <QSplitter>

using namespace throttlescope;
using namespace throttlescope::dashboard;

/// Files that grow, break and change; what is remembered; the program itself.
class TestGuiFiles final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.clear(); }

    void aJournalThatGrowsIsFollowed()
    {
        const QString whole = m_settings.file("whole.jsonl"), growing = m_settings.file("growing.jsonl");
        writeJournal("minute-window.yaml", whole);
        const QByteArray content = contentOf(whole);
        const auto half = content.indexOf('\n', content.size() / 2) - 5; // in the middle of a line
        write(growing, content.left(half));
        MainWindow window{LookChoice::Light};
        window.show();
        QVERIFY(window.open(growing));
        QTRY_VERIFY(window.workspace().record().store.rowCount() > 100);
        QTRY_VERIFY(says(window, "followed while it grows"));
        const Row before = window.workspace().record().store.rowCount();
        write(growing, content.mid(half), QIODevice::Append);
        QTRY_VERIFY(isFinished(window));
        QVERIFY(window.workspace().record().store.rowCount() > before);
        QCOMPARE(figuresShown(window).succeeded, 200U);
        QTRY_VERIFY(says(window, "read to its end"));
        QVERIFY(says(window, "A journal has no policy to edit"));
        QCOMPARE(window.plot().data().maxWait, std::optional<Duration>{60s});
        QVERIFY(!window.plot().data().maxWaitCanBeMoved);
    }

    void aFileThatBreaksIsToldWithItsPlaceAndTheLastRunStays()
    {
        const QString file = m_settings.file("mine.yaml");
        const QByteArray good = contentOf(scenarioFile("minute-window.yaml"));
        write(file, good);
        MainWindow window{LookChoice::Light};
        window.show();
        QVERIFY(window.open(file));
        QTRY_VERIFY(isFinished(window));
        write(file, QByteArray{good}.replace("max_wait: 60s", "max_wiat: 60s"));
        QTRY_VERIFY(says(window, "the last good run stays"));
        QVERIFY(says(window, "mine.yaml, line "));
        QCOMPARE(figuresShown(window).succeeded, 200U);
        for (QPushButton *button : window.findChildren<QPushButton *>()) {
            if (button->text() == "Copy place")
                button->click();
        }
        QVERIFY(QApplication::clipboard()->text().startsWith(file + ':'));
        write(file, QByteArray{good}.replace("max_wait: 60s", "max_wait: 30s"));
        QTRY_COMPARE(figuresShown(window).waitExceeded, 170U);
        QTRY_VERIFY(!says(window, "the last good run stays"));
    }

    void aBrokenFileThatIsOpenedLeavesWhatWasOpen()
    {
        const QString file = m_settings.file("broken.yaml");
        write(file, "throttlescope: 1\nservers: [\n");
        MainWindow window{LookChoice::Light};
        window.show();
        QVERIFY(window.open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(window));
        QVERIFY(!window.open(file));
        QTRY_VERIFY(says(window, "broken.yaml, line "));
        QCOMPARE(window.workspace().name(), QString{"minute-window"});
        QCOMPARE(figuresShown(window).succeeded, 200U);
    }

    void theLayoutIsRememberedAndCanBeReset()
    {
        const auto leftOf = [](MainWindow &window) { return window.findChildren<QSplitter *>().front()->sizes(); };
        QList<int> sizes;
        QRect place;
        {
            MainWindow window{LookChoice::Light};
            window.resize(790, 600); // within the screen of those who have none
            window.show();
            QVERIFY(window.open(scenarioFile("minute-window.yaml")));
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            window.findChildren<QSplitter *>().front()->setSizes({300, 450});
            sizes = leftOf(window);
            place = window.geometry();
            window.setLook(LookChoice::Dark);
            window.close();
        }
        MainWindow again;
        again.show();
        QVERIFY(again.open(scenarioFile("minute-window.yaml")));
        QVERIFY(QTest::qWaitForWindowExposed(&again));
        QTRY_COMPARE(leftOf(again), sizes);
        if (again.screen()->availableGeometry().contains(place)) // the one without a display is smaller than the window
            QTRY_COMPARE(again.geometry(), place);
        QVERIFY(shownLook() == Look::Dark);
        again.resetLayout();
        QTRY_VERIFY(leftOf(again) != sizes);
        again.setLook(LookChoice::Light);
    }

    /// Of another screen, or of a broken file.
    void anAbsurdLayoutBringsTheWindowBackWhereItCanBeSeen()
    {
        {
            MainWindow window{LookChoice::Light};
            window.show();
            QVERIFY(window.open(scenarioFile("minute-window.yaml")));
            window.setGeometry(-9000, -7000, 8000, 6000);
            for (QSplitter *each : window.findChildren<QSplitter *>()) {
                each->setChildrenCollapsible(true);
                each->setSizes({0, 100'000});
            }
            QHeaderView *columns = window.events().table().horizontalHeader();
            columns->resizeSection(0, 0);
            columns->resizeSection(1, 50'000);
            columns->setSectionHidden(2, true);
            window.close();
        }
        MainWindow window;
        window.show();
        QVERIFY(window.open(scenarioFile("minute-window.yaml")));
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const QRect screen = window.screen()->availableGeometry();
        QVERIFY(screen.contains(window.geometry().topLeft()));
        QVERIFY(window.width() <= std::max(screen.width(), window.minimumWidth()));
        QVERIFY(window.height() <= std::max(screen.height(), window.minimumHeight()));
        for (QSplitter *each : window.findChildren<QSplitter *>()) {
            for (const int size : each->sizes())
                QVERIFY(size >= 100);
        }
        for (int column = 0; column < EventTableModel::ColumnCount; ++column) {
            QVERIFY(!window.events().table().isColumnHidden(column));
            const int width = window.events().table().columnWidth(column);
            QVERIFY2(width >= 20 && width <= std::max(800, window.width()), qPrintable(QString{"%1: %2"}.arg(column).arg(width)));
        }
    }

    void settingsThatAreNoneLeaveTheLayoutAsItIs()
    {
        QSettings settings;
        for (const char *key : {"geometry", "splitter0", "splitter1", "splitter2", "columns"})
            settings.setValue(QString{"v1/layout/"} + key, QByteArray{"\x00\x00\x00\xff nonsense", 13});
        settings.setValue("v1/look", "mauve");
        settings.setValue("v1/text", "99999");
        settings.sync();
        MainWindow window;
        window.show();
        QVERIFY(window.open(scenarioFile("minute-window.yaml")));
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.screen()->availableGeometry().contains(window.geometry().topLeft()));
        for (QSplitter *each : window.findChildren<QSplitter *>()) {
            for (const int size : each->sizes())
                QVERIFY(size >= 100);
        }
        QCOMPARE(textScale(), 2.0);
        window.setTextPercent(100);
    }

    /// From the start page to why a call was given up and back, without a mouse.
    void theKeyboardAloneIsEnough()
    {
        MainWindow window{LookChoice::Light};
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(window));
        auto *box = [&] {
            for (QLineEdit *each : window.findChildren<QLineEdit *>()) {
                if (each->accessibleName() == "rate_limit.max_wait")
                    return each;
            }
            return static_cast<QLineEdit *>(nullptr);
        }();
        QVERIFY(box);
        for (int presses = 0; !box->hasFocus() && presses < 60; ++presses)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(box->hasFocus());
        box->selectAll();
        QTest::keyClicks(box, "30s");
        QTest::keyClick(box, Qt::Key_Return);
        QTRY_COMPARE(figuresShown(window).waitExceeded, 170U);
        QTRY_VERIFY(isFinished(window));
        QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(figuresShown(window).succeeded, 200U);
        QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(figuresShown(window).succeeded, 30U);
        QTRY_VERIFY(isFinished(window));
        window.events().table().setFocus();
        QTest::keyClick(&window.events().table(), Qt::Key_E);
        QTRY_VERIFY(says(window, "ould have waited at max_wait ≥ 47 s"));
        const Row chosen = window.selection().row;
        QTest::keyClick(&window.events().table(), Qt::Key_Right);
        QVERIFY(window.selection().row > chosen);
        window.workspace().setSpeed(20);
        QTest::keyClick(&window.events().table(), Qt::Key_Space);
        QTRY_VERIFY(window.workspace().state() == Workspace::State::Running);
        QTest::keyClick(&window.events().table(), Qt::Key_Space);
        QTRY_VERIFY(window.workspace().state() == Workspace::State::Paused);
        const Row before = window.workspace().record().store.rowCount();
        QTest::keyClick(&window.events().table(), Qt::Key_Period);
        QTRY_VERIFY(window.workspace().record().store.rowCount() > before);
        const auto range = window.plot().timeRange();
        QTest::keyClick(&window.events().table(), Qt::Key_Plus);
        QVERIFY(window.plot().timeRange() != range);
        QVERIFY(!window.plot().follows());
        QTest::keyClick(&window.events().table(), Qt::Key_F);
        QVERIFY(window.plot().follows());
        QTest::keyClick(&window.events().table(), Qt::Key_P, Qt::ControlModifier);
        QTRY_VERIFY(says(window, "this run is the pinned baseline"));
        QTest::keyClick(&window.events().table(), Qt::Key_F11);
        QTRY_VERIFY(window.isFullScreen());
        QTest::keyClick(&window, Qt::Key_F11);
        QTRY_VERIFY(!window.isFullScreen());
    }

    /// What whole lines say is there; the line that was cut is neither an event nor broken.
    void aJournalWhoseWriterWasKilledIsShownAsFarAsItGoes()
    {
        const QString file = m_settings.file("killed.jsonl");
        QProcess writer;
        writer.start(THROTTLESCOPE_BINARY, {"run", scenarioFile("minute-window.yaml"), "--live", "--time-scale", "20", "--journal", file});
        QVERIFY(writer.waitForStarted());
        QTRY_VERIFY(QFile::exists(file));
        MainWindow window{LookChoice::Light};
        window.show();
        QVERIFY(window.open(file));
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().record().store.rowCount() > 50, 30'000);
        QVERIFY(window.workspace().traffic() == journal::Traffic::Loopback);
        writer.kill(); // SIGKILL
        QVERIFY(writer.waitForFinished());
        const auto wholeLines = static_cast<Row>(contentOf(file).count('\n'));
        QTRY_COMPARE(window.workspace().record().store.rowCount(), wholeLines);
        QTRY_VERIFY(says(window, "followed while it grows"));
        QVERIFY(!says(window, "broken lines"));
        QVERIFY(window.workspace().failure().isEmpty());
    }

    void reportDrawsJournals()
    {
        const QString journal = m_settings.file("run.jsonl"), page = m_settings.file("page.html");
        writeJournal("minute-window.yaml", journal, {{"policies.batch.rate_limit.max_wait=30s"}, {}});
        const auto report = [](const QStringList &arguments) {
            QProcess program;
            program.start(THROTTLESCOPE_BINARY, QStringList{"report"} + arguments);
            program.waitForFinished();
            return std::pair{program.exitCode(), program.readAllStandardError()};
        };
        QCOMPARE(report({journal, scenarioFile("date-hint.yaml"), "-o", page}), std::pair(0, QByteArray{}));
        QCOMPARE(contentOf(page).count("<section>"), 2);
        QVERIFY(contentOf(page).contains("max_wait ≥ 47 s"));
        const QByteArray before = contentOf(journal);
        const auto [code, words] = report({journal, "-o", journal});
        QCOMPARE(code, 2);
        QVERIFY2(words.contains("would overwrite"), words);
        QCOMPARE(contentOf(journal), before);
        QCOMPARE(report({m_settings.file("nowhere.jsonl"), "-o", page}).first, 3);
    }

    /// One page that needs nothing else, with a table of the same figures.
    void sweepDrawsItsReport()
    {
        const QString page = m_settings.file("sweep.html"), kept = m_settings.file("kept.sweep");
        const QStringList arguments{"sweep", scenarioFile("minute-window.yaml"), "--vary", "policies.batch.rate_limit.max_wait=30s,60s"};
        const auto throttlescope = [](const QStringList &words) {
            QProcess program;
            program.start(THROTTLESCOPE_BINARY, words);
            return program.waitForFinished() ? std::pair(program.exitCode(), program.readAllStandardError()) : std::pair(-1, QByteArray{});
        };
        QCOMPARE(throttlescope(arguments + QStringList{"--out", kept, "--report", page}), std::pair(0, QByteArray{}));
        const QByteArray html = contentOf(page);
        QVERIFY(html.contains("throttlescope sweep ") && html.contains("--vary policies.batch.rate_limit.max_wait=30s,60s --seed 7"));
        QCOMPARE(html.count("<img "), 2);
        QCOMPARE(html.count("data:image/svg+xml;base64,"), 2);
        QVERIFY(!html.contains("http://") && !html.contains("https://"));
        QVERIFY(html.contains("<td>30s</td><td>fails</td><td>30</td><td>170</td><td>200</td><td>12s</td>"));
        QVERIFY(html.contains("<td>60s</td><td>passes</td><td>200</td><td>0</td><td>212</td>"));
        QFile::remove(page);
        QCOMPARE(throttlescope({"report", kept, "-o", page}), std::pair(0, QByteArray{}));
        QCOMPARE(contentOf(page), html);
        for (const char *end : {"png", "svg", "pdf"}) {
            const QString picture = m_settings.file(QStringLiteral("sweep.%1").arg(end));
            QCOMPARE(throttlescope({"report", kept, "-o", picture}), std::pair(0, QByteArray{}));
            QVERIFY(QFileInfo{picture}.size() > 5'000);
        }
        write(kept, contentOf(kept).left(contentOf(kept).indexOf('\n') + 1));
        const auto [code, words] = throttlescope({"report", kept, "-o", page});
        QCOMPARE(code, 2);
        QVERIFY2(words.contains("holds no run"), words);
    }

    void theProgramDrawsWithoutADisplay_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("out");
        QTest::addColumn<QByteArray>("holds");
        const QString scenario = scenarioFile("minute-window.yaml");
        const QStringList tighter{"--set", "policies.batch.rate_limit.max_wait=30s"};
        QTest::newRow("a picture") << QStringList{scenario} << 0 << "run.png" << QByteArray{"PNG"};
        QTest::newRow("a drawing") << QStringList{scenario} << 0 << "run.svg" << QByteArray{"Operations"};
        QTest::newRow("a document") << QStringList{scenario} << 0 << "run.pdf" << QByteArray{"%PDF"};
        QTest::newRow("a page that tells the first excess, exit 1")
            << QStringList{scenario} + tighter << 1 << "run.html" << QByteArray{"max_wait ≥ 47 s"};
        QTest::newRow("another ending is a usage error") << QStringList{scenario} << 2 << "run.bmp" << QByteArray{};
        QTest::newRow("nothing to draw is a usage error") << QStringList{} << 2 << "none.png" << QByteArray{};
        QTest::newRow("a file that is not there could not be run") << QStringList{"/nowhere.yaml"} << 3 << "nowhere.png" << QByteArray{};
    }

    void theProgramDrawsWithoutADisplay()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, out);
        QFETCH(QByteArray, holds);
        const QString file = m_settings.file(out);
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
            environment.remove(name);
        program.setProcessEnvironment(environment);
        program.start(THROTTLESCOPE_DASHBOARD, QStringList{"--render", file} + arguments);
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitCode(), exitCode);
        QVERIFY(contentOf(file).contains(holds));
        if (out.endsWith("html"))
            QVERIFY(!contentOf(file).contains("http"));
    }

private:
    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiFiles)
#include "tst_gui_files.moc"
