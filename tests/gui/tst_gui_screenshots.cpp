// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/gui_support.h"

#include <QDir>
#include <QScreen>

using namespace throttlescope;
using namespace throttlescope::dashboard;

/// Writes a picture of each main state to the build folder, for whoever wants to look.
class TestGuiScreenshots final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(QDir{}.mkpath(folder())); }

    void eachMainStateFillsItsPicture_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize{1280, 800}, QSize{2560, 1440}}) {
            for (const QString state : {"run", "selected", "empty", "error", "presentation", "journal", "breaker", "storm", "large-text",
                     "help", "loopback", "ghost", "nothing-throttled"}) {
                for (const bool dark : {false, true}) {
                    const QString name
                        = QStringLiteral("%1-%2-%3x%4").arg(state, dark ? "dark" : "light").arg(size.width()).arg(size.height());
                    QTest::newRow(qPrintable(name)) << state << dark << size;
                }
            }
        }
    }

    void eachMainStateFillsItsPicture()
    {
        QFETCH(QString, state);
        QFETCH(bool, dark);
        QFETCH(QSize, size);
        m_settings.clear();
        MainWindow window{dark ? LookChoice::Dark : LookChoice::Light};
        window.resize(size);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        show(window, state);
        window.setWindowState(Qt::WindowNoState);
        window.resize(size);
        window.plot().picture({10, 10});
        QTRY_COMPARE(window.size(), size);
        window.plot().showAll();
        QTRY_VERIFY(window.events().model().isComplete());
        QWidget *shown = &window;
        for (QWidget *each : window.findChildren<QWidget *>()) {
            if (each->isWindow() && each->isVisible())
                shown = each;
        }
        for (int turn = 0; turn < 10; ++turn) // a layout asks its parent, which asks its own
            QCoreApplication::processEvents();
        window.plot().showAll();
        window.plot().picture({10, 10});
        const QPixmap picture = shown->grab();
        QVERIFY(picture.save(folder() + '/' + QTest::currentDataTag() + ".png"));
        if (state == "selected")
            QVERIFY(
                picture.toImage().convertToFormat(QImage::Format_Grayscale8).save(folder() + '/' + QTest::currentDataTag() + "-grey.png"));
        window.setTextPercent(100);
    }

private:
    static QString folder() { return QStringLiteral(THROTTLESCOPE_BINARY_DIR "/screenshots"); }

    void show(MainWindow &window, const QString &state)
    {
        if (state == "empty")
            return;
        const QString scenario = state == "breaker" ? "breaker-half-open.yaml"
            : state == "storm"                      ? "five-hundred-storm.yaml"
                                                    : "minute-window.yaml";
        if (state == "journal") {
            const QString journal = m_settings.file("night.jsonl");
            writeJournal("minute-window.yaml", journal, {.set = {"policies.batch.rate_limit.max_wait=40s"}});
            QVERIFY(window.open(journal));
            QTRY_VERIFY(isFinished(window));
            QTest::keyClick(&window, Qt::Key_E);
            return;
        }
        QString file = scenarioFile(scenario);
        if (state == "error") {
            file = m_settings.file("minute-window.yaml");
            write(file, contentOf(scenarioFile(scenario)));
        }
        LoadOptions options;
        if (state == "loopback") {
            window.workspace().setLoopback(true);
            window.workspace().setSpeed(std::nullopt);
        }
        if (state == "nothing-throttled")
            options.set = {"servers.saia.limits.0.quota=3000"};
        QVERIFY(window.open(file, options));
        QTRY_VERIFY_WITH_TIMEOUT(isFinished(window), 60'000);
        QVERIFY(!says(window, "stopped at"));
        if (state == "ghost") {
            window.workspace().setMaxWait(30s, true);
            QTRY_COMPARE(figuresShown(window).waitExceeded, 170U);
            QTRY_VERIFY(isFinished(window));
        } else if (state == "loopback" || state == "nothing-throttled") {
            QTest::keyClick(&window, Qt::Key_Right);
        } else if (state == "selected" || state == "presentation" || state == "large-text") {
            window.workspace().setMaxWait(30s, true);
            QTRY_COMPARE(figuresShown(window).waitExceeded, 170U);
            window.workspace().setMaxWait(50s, true);
            QTRY_VERIFY(isFinished(window) && figuresShown(window).waitExceeded != 170U);
            QTest::keyClick(&window, Qt::Key_E);
        } else if (state == "error") {
            write(file, contentOf(file).replace("max_wait: 60s", "max_wiat: 60s"));
            QTRY_VERIFY(says(window, "the last good run stays"));
        } else if (state == "run") {
            window.events().setFilterText("event:rate_limit|retry");
            QTRY_VERIFY(window.events().model().rowCount() > 0);
            QTest::keyClick(&window, Qt::Key_Right);
        } else {
            QTest::keyClick(&window, state == "breaker" ? Qt::Key_B : Qt::Key_E);
        }
        if (state == "presentation")
            window.setPresentation(true);
        if (state == "large-text")
            window.setTextPercent(200);
        if (state == "help")
            QTest::keyClick(&window, Qt::Key_F1);
        const CurvePointer *curve = &window.workspace().curve();
        if (window.workspace().maxWait())
            QTRY_VERIFY_WITH_TIMEOUT(*curve && (*curve)->complete, 60'000);
    }

    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiScreenshots)
#include "tst_gui_screenshots.moc"
