// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/gui_support.h"

#include <QRandomGenerator>
#include <array>

using namespace throttlescope;
using namespace throttlescope::dashboard;

/// Whatever is asked for, whenever: edits while it runs, opens while it fetches, undo after a reload, a window that is closed in
/// between. A fixed seed says which order.
class TestGuiOddOrders final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        writeJournal("date-hint.yaml", m_settings.file("run.jsonl"));
        write(m_settings.file("urls.txt"), "http://127.0.0.1:9/a\nhttp://127.0.0.1:9/b\n"); // nobody listens
    }

    void anyOrderLeavesAWindowThatWorks_data()
    {
        QTest::addColumn<quint32>("seed");
        for (const quint32 seed : {1U, 4U})
            QTest::addRow("seed %u", seed) << seed;
    }
    void anyOrderLeavesAWindowThatWorks()
    {
        QFETCH(quint32, seed);
        constexpr int steps = 50;
        QRandomGenerator random{seed};
        write(scenario(), contentOf(scenarioFile("minute-window.yaml")));
        MainWindow window{LookChoice::Light};
        window.resize(1280, 800);
        window.show();
        for (int step = 0; step < steps; ++step) {
            act(window, random);
            if (random.bounded(3) > 0)
                QCoreApplication::processEvents();
        }
        if (window.workspace().source() == Workspace::Source::Fetch)
            window.workspace().pause();
        write(scenario(), contentOf(scenarioFile("minute-window.yaml")));
        window.workspace().setLoopback(false);
        window.workspace().setSpeed(std::nullopt);
        window.workspace().setRetuneLive(false);
        QVERIFY(window.open(scenario()));
        QTRY_VERIFY_WITH_TIMEOUT(isFinished(window) && figuresShown(window).succeeded == 200U, 30'000);
        window.workspace().setMaxWait(30s, true);
        QTRY_COMPARE(figuresShown(window).waitExceeded, 170U);
        window.setPresentation(false);
        window.setTextPercent(100);
    }

    void aWindowIsClosedInTheMiddleOfEachKindOfRun()
    {
        for (const int kind : {0, 1, 2, 3}) {
            MainWindow window{LookChoice::Light};
            window.show();
            window.workspace().setSpeed(1);
            window.workspace().setLoopback(kind == 1);
            if (kind == 2) {
                QVERIFY(window.open(m_settings.file("run.jsonl")));
            } else if (kind == 3) {
                QVERIFY(window.fetch(order()));
            } else {
                QVERIFY(window.open(scenarioFile("minute-window.yaml")));
            }
            QTRY_VERIFY(window.workspace().record().store.rowCount() > 0);
        }
    }

private:
    QString scenario() const { return m_settings.file("mine.yaml"); }

    throttlescope::fetch::FetchOrder order() const
    {
        throttlescope::fetch::FetchOrder made;
        made.worklist = m_settings.file("urls.txt").toStdString();
        return made;
    }

    void act(MainWindow &window, QRandomGenerator &random)
    {
        Workspace &workspace = window.workspace();
        const int number = static_cast<int>(random.bounded(1, 100));
        static constexpr std::array keys{Qt::Key_E, Qt::Key_B, Qt::Key_F, Qt::Key_Plus, Qt::Key_Minus, Qt::Key_0, Qt::Key_Left,
            Qt::Key_Right, Qt::Key_Period, Qt::Key_Space, Qt::Key_Escape};
        switch (random.bounded(20)) {
        case 0: window.open(scenario()); break;
        case 1: window.open(m_settings.file("run.jsonl")); break;
        case 2: window.fetch(order()); break;
        case 3: workspace.run(); break;
        case 4: workspace.pause(); break;
        case 5: workspace.step(); break;
        case 6: workspace.setSpeed(number % 2 == 0 ? std::nullopt : std::optional{60.0 * number}); break;
        case 7:
        case 8: workspace.setMaxWait(std::chrono::seconds{number}, number % 3 == 0); break;
        case 9: QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier); break;
        case 10: QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier); break;
        case 11: workspace.pinBaseline(); break;
        case 12: workspace.setRetuneLive(number % 2 == 0); break;
        case 13: workspace.setLoopback(number % 4 == 0); break;
        case 14: window.events().setFilterText(number % 2 == 0 ? "event:rate_limit|retry" : ""); break;
        case 15: window.choose(static_cast<Row>(number * 7)); break;
        case 16: window.chooseSpan(std::pair{MonotonicTime{}, MonotonicTime{std::chrono::seconds{number}}}); break;
        case 17: write(scenario(), contentOf(scenario()).replace("count: 200", number % 2 == 0 ? "count: 20" : "cuont: 20")); break;
        case 18: number % 2 == 0 ? window.setHideNames(number % 4 == 0) : window.setPresentation(number % 3 == 0); break;
        default: QTest::keyClick(&window, keys.at(static_cast<std::size_t>(number) % keys.size()));
        }
    }

    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiOddOrders)
#include "tst_gui_odd_orders.moc"
