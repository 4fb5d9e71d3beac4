// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/fetch_dialog.h"
#include "app/dashboard/window/help_dialog.h"
#include "app/dashboard/window/top_bar.h"
#include "tests/gui/gui_support.h"

#include <QComboBox>
#include <QLineEdit>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

QPushButton *buttonSaying(const QWidget &window, const QString &words)
{
    for (QPushButton *each : window.findChildren<QPushButton *>()) {
        if (each->text() == words)
            return each;
    }
    return nullptr;
}

void keyToTheFocus(Qt::Key key)
{
    QTest::keyClick(QApplication::focusWidget(), key);
}

} // namespace

/// Which widget a key is for, after a click and after Tab.
class TestGuiKeys final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.clear();
        m_window = activeWindow();
    }
    void cleanup() { m_window.reset(); }

    void enterPressesTheButtonThatHasTheFocus()
    {
        QTRY_VERIFY(qobject_cast<QPushButton *>(QApplication::focusWidget()));
        QCOMPARE(qobject_cast<QPushButton *>(QApplication::focusWidget())->text(), QString{"Try “minute window”"});
        keyToTheFocus(Qt::Key_Return);
        QTRY_COMPARE(m_window->workspace().name(), QString{"minute-window"});
    }

    /// Who has clicked on a button or chosen a speed wants Space to run, not to press it again.
    void spaceRunsAfterAClick()
    {
        opened();
        QPushButton *mode = buttonSaying(*m_window, "What-if");
        QTest::mouseClick(mode, Qt::LeftButton);
        QCOMPARE(mode->text(), QString{"Retune live"});
        auto *speed = m_window->findChild<TopBar *>()->findChildren<QComboBox *>().back();
        speed->setFocus(Qt::MouseFocusReason);
        m_window->workspace().setSpeed(5);
        keyToTheFocus(Qt::Key_Space);
        QTRY_VERIFY(m_window->workspace().state() == Workspace::State::Running);
        QVERIFY(!QApplication::activePopupWidget());
        QCOMPARE(mode->text(), QString{"Retune live"});
        const int before = speed->currentIndex();
        keyToTheFocus(Qt::Key_Right);
        QCOMPARE(speed->currentIndex(), before);
    }

    void spacePressesTheButtonThatTabWentTo()
    {
        opened();
        QPushButton *mode = buttonSaying(*m_window, "What-if");
        for (int presses = 0; !mode->hasFocus() && presses < 80; ++presses)
            keyToTheFocus(Qt::Key_Tab);
        keyToTheFocus(Qt::Key_Space);
        QCOMPARE(mode->text(), QString{"Retune live"});
        QVERIFY(isFinished(*m_window));
    }

    void aClickBesideABoxEndsWhatWasTypedIntoIt()
    {
        opened();
        QLineEdit *box = nullptr;
        for (QLineEdit *each : m_window->findChildren<QLineEdit *>()) {
            if (each->accessibleName() == "rate_limit.max_wait")
                box = each;
        }
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, "30s");
        QTest::mouseClick(m_window->plot().findChild<QWidget *>("canvas"), Qt::LeftButton, {}, {2, 2});
        QVERIFY(!box->hasFocus());
        QTRY_COMPARE(figuresShown(*m_window).waitExceeded, 170U);
        keyToTheFocus(Qt::Key_E);
        QVERIFY(m_window->selection().row != kNoRow);
    }

    /// And says no more that it was wrong.
    void escapeInABoxLeavesTheValueAsItWas_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::newRow("a value") << "30s";
        QTest::newRow("a value that is none") << "soon";
    }

    void escapeInABoxLeavesTheValueAsItWas()
    {
        QFETCH(QString, typed);
        opened();
        keyToTheFocus(Qt::Key_E);
        QTest::keyClick(&m_window->events().table(), Qt::Key_Right);
        const Row chosen = m_window->selection().row;
        QVERIFY(chosen != kNoRow);
        QLineEdit *box = nullptr;
        for (QLineEdit *each : m_window->findChildren<QLineEdit *>()) {
            if (each->accessibleName() == "rate_limit.max_wait")
                box = each;
        }
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, typed);
        if (typed == "soon") {
            QTest::keyClick(box, Qt::Key_Return);
            QVERIFY(box->property("wrong").toBool());
        }
        keyToTheFocus(Qt::Key_Escape);
        QVERIFY(!box->hasFocus());
        QCOMPARE(box->text(), QStringLiteral("60 s"));
        QVERIFY(!box->property("wrong").toBool());
        QCOMPARE(m_window->workspace().maxWait(), std::optional<Duration>{60s});
        QVERIFY(!m_window->workspace().policy()->draft().canUndo());
        QCOMPARE(m_window->selection().row, chosen); // it was the box's
        keyToTheFocus(Qt::Key_Tab);
        QVERIFY(box->hasFocus()); // Tab goes on from where one was
        QCOMPARE(box->text(), QStringLiteral("60s"));
        keyToTheFocus(Qt::Key_Escape);
        keyToTheFocus(Qt::Key_Escape);
        QVERIFY(m_window->selection().row == kNoRow);
    }

    void whoComesBackToTheWindowHasChosenNothing()
    {
        opened();
        QTableView &table = m_window->events().table();
        m_window->events().filterBox().setFocus();
        table.setFocus(Qt::ActiveWindowFocusReason);
        QVERIFY(table.hasFocus());
        QVERIFY(m_window->selection().row == kNoRow);
        keyToTheFocus(Qt::Key_Right);
        QCOMPARE(m_window->selection().row, Row{0});
        keyToTheFocus(Qt::Key_Down);
        QCOMPARE(m_window->selection().row, Row{1});
    }

    void theLegendIsOpenOnce()
    {
        opened();
        for (int presses = 0; presses < 2; ++presses)
            QTest::keyClick(m_window.get(), Qt::Key_F1);
        QCOMPARE(m_window->findChildren<HelpDialog *>().size(), 1);
        QVERIFY(m_window->findChild<HelpDialog *>()->isVisible());
    }

    void enterInABoxOfTheDialogSendsNothing()
    {
        FetchDialog dialog{m_window.get()};
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        bool ordered = false;
        connect(&dialog, &FetchDialog::ordered, this, [&] { ordered = true; });
        auto *list = dialog.findChild<QLineEdit *>();
        list->setText("urls.txt");
        for (QLineEdit *each : dialog.findChildren<QLineEdit *>())
            QTest::keyClick(each, Qt::Key_Return);
        QVERIFY(!ordered);
        QVERIFY(dialog.isVisible());
        QTest::keyClick(buttonSaying(dialog, "Send real requests"), Qt::Key_Return);
        QVERIFY(ordered);
    }

private:
    void opened()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
    }

    OwnSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestGuiKeys)
#include "tst_gui_keys.moc"
