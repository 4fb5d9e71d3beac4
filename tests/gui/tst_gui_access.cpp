// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/facts_table.h"
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/inspector_panel.h"
#include "app/dashboard/window/knob_row.h"
#include "app/dashboard/window/policy_panel.h"
#include "app/dashboard/window/top_bar.h"
#include "tests/gui/gui_support.h"

#include <QAccessible>
#include <QScrollArea>
#include <QSet>
#include <QSlider>
#include <QWheelEvent>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

bool takesTab(const QWidget *widget)
{
    return (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->isVisible() && widget->isEnabled() && !widget->focusProxy();
}

QString nameOf(QWidget *widget)
{
    QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(widget);
    return interface ? interface->text(QAccessible::Name) : QString{};
}

} // namespace

/// For those who use no mouse, hear the window, or need large text.
class TestGuiAccess final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.clear();
        m_window = activeWindow();
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml"), {.set = {"policies.batch.rate_limit.max_wait=30s"}, .seed = {}}));
        QTRY_VERIFY(isFinished(*m_window));
        m_window->events().setFilterText("event:rate_limit op:31");
        QTest::keyClick(m_window.get(), Qt::Key_E);
        QTRY_VERIFY(says(*m_window, "What would have changed it"));
    }
    void cleanup()
    {
        m_window->setTextPercent(100);
        m_window.reset();
    }

    void noFigureIsCutInLargeText_data()
    {
        QTest::addColumn<int>("percent");
        for (const int percent : {100, 150, 200})
            QTest::addRow("%d %%", percent) << percent;
    }
    /// 110 that is seen as 11 is another number.
    void noFigureIsCutInLargeText()
    {
        QFETCH(int, percent);
        m_window->setTextPercent(percent);
        int figures = 0;
        for (const QLabel *each : m_window->findChild<FiguresBar *>()->findChildren<QLabel *>()) {
            if (each->property("role") != "figure")
                continue;
            ++figures;
            QTRY_VERIFY2(each->width() >= each->sizeHint().width(), qPrintable(each->accessibleName() + ' ' + each->text()));
        }
        QCOMPARE(figures, 15);
    }

    void whateverTakesTheFocusHasAName()
    {
        for (QWidget *each : m_window->findChildren<QWidget *>()) {
            if (takesTab(each))
                QVERIFY2(!nameOf(each).trimmed().isEmpty(), each->metaObject()->className());
        }
    }

    void tabGoesThroughAllOfItFromTopToBottom()
    {
        QSet<QWidget *> missing;
        for (QWidget *each : m_window->findChildren<QWidget *>()) {
            if (takesTab(each))
                missing.insert(each);
        }
        QVERIFY(missing.size() > 25);
        const auto number = missing.size();
        QWidget *const first = m_window->findChild<TopBar *>()->findChild<QPushButton *>();
        first->setFocus();
        const QWidgetList parts{m_window->findChild<TopBar *>(), m_window->findChild<PolicyPanel *>(),
            m_window->findChild<InspectorPanel *>(), m_window->findChild<EventPanel *>()};
        qsizetype part = 0;
        QWidget *row = nullptr;
        for (qsizetype presses = 0; presses < number; ++presses) {
            QWidget *at = QApplication::focusWidget();
            QVERIFY(at);
            missing.remove(at);
            const auto now = std::find_if(parts.begin(), parts.end(), [at](QWidget *each) { return each->isAncestorOf(at); });
            QVERIFY2(now != parts.end() && now - parts.begin() >= part, qPrintable(nameOf(at)));
            part = now - parts.begin();
            if (auto *knob = qobject_cast<KnobRow *>(at->parentWidget())) {
                QVERIFY2(!row || knob->y() >= row->y(), qPrintable(nameOf(at)));
                row = knob;
            }
            QTest::keyClick(at, Qt::Key_Tab);
        }
        QStringList names;
        for (QWidget *each : missing)
            names << each->metaObject()->className() + (' ' + nameOf(each));
        QVERIFY2(missing.isEmpty(), qPrintable(names.join(", ")));
        QCOMPARE(QApplication::focusWidget(), first);
    }

    void whatHasTheFocusIsScrolledIntoView()
    {
        auto *policy = m_window->findChild<PolicyPanel *>();
        const auto area = policy->findChild<QScrollArea *>();
        QWidget *last = nullptr;
        for (QSlider *each : policy->findChildren<QSlider *>()) {
            if (each->isVisible())
                last = each;
        }
        policy->findChild<QLineEdit *>()->setFocus();
        for (int presses = 0; !last->hasFocus() && presses < 80; ++presses)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY(last->hasFocus());
        const QRect shown{last->mapTo(area->viewport(), QPoint{}), last->size()};
        QVERIFY(area->viewport()->rect().contains(shown.center()));
    }

    /// A wheel that scrolls the editor turns no knob on its way.
    void theWheelOverAKnobChangesNothing()
    {
        auto *policy = m_window->findChild<PolicyPanel *>();
        for (QWidget *each : policy->findChildren<QWidget *>()) {
            if (!each->isVisible() || !(qobject_cast<QSlider *>(each) || qobject_cast<QComboBox *>(each)))
                continue;
            QWheelEvent turn{
                {5, 5}, each->mapToGlobal(QPointF{5, 5}), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false};
            QCoreApplication::sendEvent(each, &turn);
        }
        QVERIFY(!m_window->workspace().policy()->draft().canUndo());
        QCOMPARE(m_window->workspace().policy()->policy(), QString{"batch"});
    }

    void remarksOfTheStoryStandInOneLine()
    {
        auto *facts = m_window->findChild<FactsTable *>();
        QVERIFY(facts);
        for (const int width : {1280, 1920}) {
            m_window->resize(width, 800);
            for (int turn = 0; turn < 10; ++turn)
                QCoreApplication::processEvents();
            for (QLabel *each : facts->findChildren<QLabel *>()) {
                if (each->isVisible())
                    QVERIFY2(each->heightForWidth(each->width()) < 2 * each->fontMetrics().height(), qPrintable(each->text()));
            }
        }
    }

    /// Nothing is cut off without a way to get there.
    void largeTextInASmallWindowCanBeScrolled()
    {
        m_window->setTextPercent(200);
        m_window->resize(1280, 800);
        QTRY_COMPARE(m_window->size(), (QSize{1280, 800}));
        for (int turn = 0; turn < 10; ++turn)
            QCoreApplication::processEvents();
        const QRect whole = m_window->rect();
        for (QWidget *each : m_window->findChild<TopBar *>()->findChildren<QWidget *>()) {
            if (takesTab(each))
                QVERIFY2(whole.contains(QRect{each->mapTo(m_window.get(), QPoint{}), each->size()}), qPrintable(nameOf(each)));
        }
        const QWidgetList parts{
            m_window->findChild<PolicyPanel *>(), &m_window->plot(), m_window->findChild<InspectorPanel *>(), &m_window->events()};
        for (QWidget *one : parts) {
            const QRect place{one->mapTo(m_window.get(), QPoint{}), one->size()};
            QVERIFY(place.height() >= 300);
            QVERIFY(place.right() <= whole.right());
            for (QWidget *other : parts)
                QVERIFY(one == other || !place.intersects({other->mapTo(m_window.get(), QPoint{}), other->size()}));
        }
    }

private:
    OwnSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestGuiAccess)
#include "tst_gui_access.moc"
