// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/policy_panel.h"
#include "app/dashboard/window/servers_panel.h"
#include "app/dashboard/window/top_bar.h"
#include "tests/gui/gui_support.h"

#include <QMenu>
#include <QScrollBar>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

QAction *actionSaying(const QMenu &menu, const QString &words)
{
    for (QAction *each : menu.actions()) {
        if (each->text() == words)
            return each;
    }
    return nullptr;
}

QPushButton *saveButton(const MainWindow &window)
{
    for (QPushButton *each : window.findChild<PolicyPanel *>()->findChildren<QPushButton *>()) {
        if (each->text() == "Save as…")
            return each;
    }
    return nullptr;
}

} // namespace

/// What the window says is of what it shows, and what it offers can be done.
class TestGuiHonest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.clear();
        m_window = shownWindow();
    }
    void cleanup() { m_window.reset(); }

    void theVerdictOfTheRunBeforeIsGoneOnceAnotherGoes()
    {
        opened("30s");
        QVERIFY(says(*m_window, "3 of 5 expectations failed"));
        m_window->workspace().setSpeed(1);
        m_window->workspace().run();
        QTRY_VERIFY(m_window->workspace().record().store.rowCount() < 1'000);
        QVERIFY(m_window->workspace().state() == Workspace::State::Running);
        QVERIFY(!says(*m_window, "expectations"));
        for (int turn = 0; turn < 3; ++turn)
            QCoreApplication::processEvents();
        for (const QLabel *each : m_window->findChildren<QLabel *>()) {
            if (each->accessibleName() == "wait exceeded")
                QCOMPARE(each->text(), QString{"0"}); // of the first second; the run before gave up 170
        }
    }

    void whatIfOfAPausedRunIsReplayedToItsEnd()
    {
        opened("60s");
        m_window->workspace().step();
        QTRY_VERIFY(m_window->workspace().state() == Workspace::State::Paused);
        m_window->workspace().setMaxWait(30s, true);
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).waitExceeded, 170U);
    }

    void aWorklistThatCannotBeReadLeavesWhatIsOpen()
    {
        opened("60s");
        throttlescope::fetch::FetchOrder order;
        for (const QString &list : {m_settings.file("nowhere.txt"), m_settings.file(".")}) {
            order.worklist = list.toStdString();
            QVERIFY(!m_window->fetch(order));
            QVERIFY(says(*m_window, "expected a worklist"));
            QVERIFY(m_window->workspace().source() == Workspace::Source::Scenario);
            QCOMPARE(figuresShown(*m_window).succeeded, 200U);
        }
    }

    void whatCannotBeSavedIsNotOffered()
    {
        auto *menu = m_window->findChild<QMenu *>();
        const auto offered = [&](const QString &words) {
            Q_EMIT menu->aboutToShow();
            return actionSaying(*menu, words)->isEnabled();
        };
        QVERIFY(!offered("Save as…") && !offered("Export…") && !offered("Undo"));
        opened("60s");
        QVERIFY(offered("Save as…") && offered("Export…") && !offered("Undo"));
        QVERIFY(saveButton(*m_window)->isEnabled());
        m_window->workspace().setMaxWait(45s, true);
        QVERIFY(offered("Undo") && !offered("Redo"));

        const QString list = m_settings.file("urls.txt");
        write(list, "http://127.0.0.1:9/\n");
        throttlescope::fetch::FetchOrder order;
        order.worklist = list.toStdString();
        QVERIFY(m_window->workspace().openFetch(order).empty()); // and nothing is sent
        QVERIFY(!offered("Save as…"));
        QVERIFY(actionSaying(*menu, "Save as…")->toolTip().contains("only a scenario can be saved"));
        QVERIFY(!saveButton(*m_window)->isEnabled());
        QVERIFY(saveButton(*m_window)->toolTip().contains("only a scenario can be saved"));
        Q_EMIT menu->aboutToHide();
        actionSaying(*menu, "Save as…")->trigger(); // by its key
        QVERIFY(says(*m_window, "only a scenario can be saved"));
    }

    void theServersStayBetweenTwoRunsOfTheSame()
    {
        opened("60s");
        auto *servers = m_window->findChild<ServersPanel *>();
        const int height = servers->height();
        QVERIFY(servers->isVisible());
        bool stayed = true;
        connect(&m_window->workspace(), &Workspace::grew, this, [&] {
            servers->refresh();
            stayed = stayed && servers->isVisible() && servers->height() == height;
        });
        m_window->workspace().step();
        QTRY_VERIFY(m_window->workspace().state() == Workspace::State::Paused);
        for (int turn = 0; turn < 5; ++turn) {
            m_window->workspace().step();
            QCoreApplication::processEvents();
        }
        QVERIFY(stayed);
    }

    void namesThatAreHiddenStayHiddenInWhatIsOpenedNext()
    {
        QCOMPARE(m_window->windowTitle(), QString{"Throttlescope"});
        m_window->setHideNames(true);
        QCOMPARE(m_window->windowTitle(), QString{"Throttlescope"});
        opened("60s");
        for (const char *name : {"minute-window", "convert", "minute window"}) {
            QVERIFY2(!m_window->windowTitle().contains(name), name);
            QVERIFY2(!says(*m_window, name), name);
        }
        QCOMPARE(m_window->exportTo(m_settings.file("hidden.csv")), QString{});
        QVERIFY(!contentOf(m_settings.file("hidden.csv")).contains("convert"));
        m_window->setHideNames(false);
        QVERIFY(m_window->windowTitle().startsWith("minute-window"));
    }

    void whereNobodyWaitedThereIsNoMedian()
    {
        opened("30s");
        QCOMPARE(figuresShown(*m_window).waits, 0U);
        QVERIFY(says(*m_window, "–"));
        QVERIFY(!says(*m_window, "0 s"));
    }

    /// As long as nobody scrolled away from it.
    void theNewestEventOfALiveRunStaysInView()
    {
        opened("60s");
        m_window->workspace().setSpeed(60);
        m_window->workspace().run();
        const QScrollBar *bar = m_window->events().table().verticalScrollBar();
        QTRY_VERIFY(bar->value() > 10);
        QTRY_COMPARE(bar->value(), bar->maximum());
        m_window->events().table().scrollToTop();
        const Row before = m_window->workspace().record().store.rowCount();
        QTRY_VERIFY(m_window->workspace().record().store.rowCount() > before + 100);
        QVERIFY(m_window->workspace().isLive());
        QCOMPARE(bar->value(), 0);
    }

private:
    void opened(const QString &maxWait)
    {
        LoadOptions options;
        options.set = {"policies.batch.rate_limit.max_wait=" + maxWait.toStdString()};
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml"), options));
        QTRY_VERIFY(isFinished(*m_window));
    }

    OwnSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestGuiHonest)
#include "tst_gui_honest.moc"
