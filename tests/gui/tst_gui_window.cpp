// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/preset_row.h"
#include "tests/gui/gui_support.h"

#include <QMouseEvent>

using namespace throttlescope;
using namespace throttlescope::dashboard;

/// A scenario in the window: run, drag, undo, select, filter.
class TestGuiWindow final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.clear();
        m_window = shownWindow();
    }
    void cleanup() { m_window.reset(); }

    void aScenarioThatIsOpenedRuns()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 200U);
        QCOMPARE(figuresShown(*m_window).attempts, 212U);
        QVERIFY(m_window->workspace().baseline() == &m_window->workspace().record());
    }

    /// The contract's figures, with the mouse on the line.
    void theMaxWaitLineDraggedFrom60To30GivesUp170AndUndoBringsThemBack()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        m_window->resize(2560, 1440); // a pixel is less than a second
        auto *canvas = m_window->plot().findChild<QWidget *>("canvas");
        QTRY_VERIFY(canvas->height() > 800);
        m_window->plot().picture({10, 10});
        QPoint at{canvas->width() / 2, 0};
        do
            mouse(canvas, QEvent::MouseMove, at += QPoint{0, 1});
        while (canvas->cursor().shape() != Qt::SizeVerCursor && at.y() < canvas->height());
        QVERIFY(canvas->cursor().shape() == Qt::SizeVerCursor);
        mouse(canvas, QEvent::MouseButtonPress, at);
        while (m_window->workspace().maxWait() > 30s && at.y() < canvas->height())
            mouse(canvas, QEvent::MouseMove, at += QPoint{0, 1});
        mouse(canvas, QEvent::MouseButtonRelease, at);
        QCOMPARE(*m_window->workspace().maxWait(), Duration{30s});
        QTRY_COMPARE(figuresShown(*m_window).waitExceeded, 170U);
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 30U);
        QCOMPARE(figuresShown(*m_window).attempts, 200U);
        QTRY_VERIFY(says(*m_window, "Δ against pinned baseline: max_wait 60 s"));
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(figuresShown(*m_window).succeeded, 200U);
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).waitExceeded, 0U);
    }

    void eSelectsTheNextCallThatWasGivenUpAndSaysWhatWouldHaveSavedIt()
    {
        LoadOptions options;
        options.set = {"policies.batch.rate_limit.max_wait=30s"};
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml"), options));
        QTRY_VERIFY(isFinished(*m_window));
        QTest::keyClick(m_window.get(), Qt::Key_E);
        const Row first = m_window->selection().row;
        QVERIFY(first != kNoRow);
        QVERIFY(m_window->workspace().record().store.kind(first) == EventKind::RateLimitWaitExceeded);
        QTRY_VERIFY(says(*m_window, "What would have changed it"));
        QVERIFY(says(*m_window, "ould have waited at max_wait ≥ 47 s"));
        QCOMPARE(m_window->events().model().eventAt(m_window->events().table().currentIndex().row()), first);
        QVERIFY(m_window->plot().selection().operation.has_value());
        QTest::keyClick(m_window.get(), Qt::Key_E);
        QVERIFY(m_window->selection().row > first);
        QTest::keyClick(m_window.get(), Qt::Key_Left);
        QVERIFY(m_window->selection().row > first);
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QVERIFY(m_window->selection().row == kNoRow);
    }

    /// Above the details, so that no edge cuts it.
    void whatWouldHaveSavedTheCallIsSeenAtAGlance()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        m_window->workspace().setMaxWait(50s, true);
        QTRY_VERIFY(figuresShown(*m_window).waitExceeded == 110 && isFinished(*m_window));
        QTest::keyClick(m_window.get(), Qt::Key_E);
        QTRY_VERIFY(says(*m_window, "ould have waited at max_wait"));
        for (const QLabel *each : m_window->findChildren<QLabel *>()) {
            if (!each->text().contains("ould have waited at max_wait"))
                continue;
            QTRY_VERIFY(each->height() >= each->heightForWidth(each->width())); // the words are laid out
            QCOMPARE(each->visibleRegion().boundingRect(), each->rect());
        }
    }

    void aRowOfTheTableIsPointedOutInThePlots()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        QTableView &table = m_window->events().table();
        table.setCurrentIndex(table.model()->index(40, 0));
        QCOMPARE(m_window->selection().row, m_window->events().model().eventAt(40));
        QCOMPARE(m_window->plot().selection(), m_window->selection());
    }

    void aClickInThePlotsSelectsARowOfTheTable()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        QWidget *canvas = m_window->plot().findChild<QWidget *>("canvas");
        QVERIFY(canvas);
        m_window->plot().picture({800, 500}); // drawn once
        for (int y = 30; y < canvas->height() / 2 && m_window->selection().row == kNoRow; y += 3)
            QTest::mouseClick(canvas, Qt::LeftButton, {}, {canvas->width() / 4, y});
        QVERIFY(m_window->selection().row != kNoRow);
        QCOMPARE(m_window->events().model().eventAt(m_window->events().table().currentIndex().row()), m_window->selection().row);
    }

    void whatIsTypedIntoTheFilterKeepsTheRowsAndChipsTakeItAway()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        const int all = m_window->events().model().rowCount();
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
        QVERIFY(m_window->events().filterBox().hasFocus());
        QTest::keyClicks(&m_window->events().filterBox(), "event:rate_limit op:31");
        QTest::keyClick(&m_window->events().filterBox(), Qt::Key_Return);
        QTRY_VERIFY(m_window->events().model().rowCount() < 10);
        QVERIFY(m_window->plot().follows()); // F was typed, not pressed
        const auto chips = m_window->events().findChildren<QPushButton *>();
        QCOMPARE(chips.size(), 2);
        QTest::mouseClick(chips.front(), Qt::LeftButton);
        QTRY_COMPARE(m_window->events().filterBox().text(), QString{"op:31"});
        m_window->events().setFilterText({});
        QTRY_COMPARE(m_window->events().model().rowCount(), all);
    }

    void aWrongFilterIsSaidAndTheRowsStay()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        const int all = m_window->events().model().rowCount();
        m_window->events().setFilterText("wait>soon");
        QVERIFY(says(m_window->events(), "column"));
        QCOMPARE(m_window->events().model().rowCount(), all);
    }

    void aSpanIsCountedAlone()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        m_window->chooseSpan(std::pair{MonotonicTime{}, MonotonicTime{10s}});
        QVERIFY(says(*m_window, "figures of 0:00.0 to 0:10.0 only"));
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QVERIFY(!says(*m_window, "figures of"));
    }

    void whereNothingIsThrottledThePlotsSaySo()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml"), {.set = {"servers.saia.limits.0.quota=3000"}, .seed = {}}));
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).throttled, 0U);
        QVERIFY(m_window->plot().accessibleDescription().contains("Nothing throttled"));
    }

    void retunedLiveTheRunGoesOnAndSaysHowManyWaitsKeepTheOldLimit()
    {
        m_window->workspace().setSpeed(20);
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(m_window->workspace().record().series.waits().size() > 0);
        m_window->workspace().setRetuneLive(true);
        const std::uint64_t run = m_window->workspace().record().store.runId();
        m_window->workspace().setMaxWait(30s, true);
        QTRY_VERIFY(says(*m_window, "2 waits keep the old limit"));
        QCOMPARE(m_window->workspace().record().store.runId(), run);
    }

    void theWindowExportsPictureTableAndDocument()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(m_window->exportTo(m_settings.file("out.png")), QString{});
        QCOMPARE(QImage{m_settings.file("out.png")}.size(), m_window->size());
        QCOMPARE(m_window->exportTo(m_settings.file("out.csv")), QString{});
        QCOMPARE(contentOf(m_settings.file("out.csv")).count("\r\n"), m_window->events().model().rowCount() + 1);
        QCOMPARE(m_window->exportTo(m_settings.file("out.pdf")), QString{});
        QVERIFY(contentOf(m_settings.file("out.pdf")).startsWith("%PDF"));
        QVERIFY(!m_window->exportTo(m_settings.file("out.xyz")).isEmpty());
    }

    void anEditedPolicyIsSavedAsYaml()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        m_window->workspace().setMaxWait(45s, true);
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(m_window->saveTo(m_settings.file("saved.yaml")), QString{});
        QVERIFY(contentOf(m_settings.file("saved.yaml")).contains("max_wait: 45s"));
    }

    void thePresetThatThePolicyIsBuiltOnCanBeChosen()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        auto *names = m_window->findChild<PresetRow *>()->findChild<QComboBox *>();
        QCOMPARE(names->currentText(), QString{"saia"});
        names->setFocus();
        names->setCurrentIndex(names->findText("luria"));
        Q_EMIT names->activated(names->currentIndex());
        QTRY_VERIFY(isFinished(*m_window) && figuresShown(*m_window).attempts != 212U);
        QCOMPARE(m_window->workspace().policy()->draft().commandLine(), std::string{"--set policies.batch.preset=luria"});
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(names->currentText(), QString{"saia"});
        QTRY_COMPARE(figuresShown(*m_window).attempts, 212U);
    }

    void aValueIsSaidInWordsUntilItIsTypedInto()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QLineEdit *box = nullptr;
        for (QLineEdit *each : m_window->findChildren<QLineEdit *>()) {
            if (each->accessibleName() == "rate_limit.no_hint")
                box = each;
        }
        QVERIFY(box);
        QCOMPARE(box->text(), QString{"fixed 31 s × 2"});
        QVERIFY(box->toolTip().startsWith("{fixed: 31s, times: 2}\n"));
        box->setFocus();
        QCOMPARE(box->text(), QString{"{fixed: 31s, times: 2}"});
        m_window->events().table().setFocus();
        QCOMPARE(box->text(), QString{"fixed 31 s × 2"});
        QVERIFY(!m_window->workspace().policy()->draft().canUndo());
    }

private:
    static void mouse(QWidget *widget, QEvent::Type type, const QPoint &at)
    {
        QMouseEvent event{type, at, widget->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier};
        QCoreApplication::sendEvent(widget, &event);
    }

    OwnSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestGuiWindow)
#include "tst_gui_window.moc"
