// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/event_panel.h"
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/help_dialog.h"
#include "app/dashboard/window/key_guard.h"
#include "app/dashboard/window/main_window.h"
#include "app/dashboard/window/top_bar.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QMenu>

namespace throttlescope::dashboard {

QAction *MainWindow::addCommand(QMenu *menu, const QString &words, const QList<QKeySequence> &keys, void (MainWindow::*command)())
{
    auto *action = new QAction{words, this};
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, command);
    addAction(action);
    if (menu)
        menu->addAction(action);
    return action;
}

void MainWindow::makeActions()
{
    qApp->installEventFilter(new KeyGuard{this});
    auto *menu = new QMenu{this};
    addCommand(menu, tr("Open scenario…"), {QKeySequence::Open}, &MainWindow::askForScenario);
    addCommand(menu, tr("Open journal…"), {QKeySequence{"Ctrl+J"}}, &MainWindow::askForJournal);
    addCommand(menu, tr("Open sweep…"), {}, &MainWindow::askForSweepFile);
    addCommand(menu, tr("Fetch a worklist…"), {}, &MainWindow::askForFetch);
    QAction *save = addCommand(menu, tr("Save as…"), {QKeySequence::Save}, &MainWindow::askForSave);
    QAction *copy = addCommand(menu, tr("Copy edits as --set"), {}, &MainWindow::copySet);
    QAction *exports = addCommand(menu, tr("Export…"), {QKeySequence{"Ctrl+E"}}, &MainWindow::askForExport);
    menu->addSeparator();
    QAction *undo = addCommand(menu, tr("Undo"), {QKeySequence{"Ctrl+Z"}}, &MainWindow::undo);
    QAction *redo = addCommand(menu, tr("Redo"), {QKeySequence{"Ctrl+Shift+Z"}}, &MainWindow::redo);
    QAction *pin = addCommand(menu, tr("Pin as baseline"), {QKeySequence{"Ctrl+P"}}, &MainWindow::pin);
    addCommand(menu, tr("Sweep a knob…"), {QKeySequence{"Ctrl+K"}}, &MainWindow::askForSweep);
    addCommand(menu, tr("Back to the sweep"), {QKeySequence{"Ctrl+B"}}, &MainWindow::showSweep);
    menu->addSeparator();
    menu->setToolTipsVisible(true);
    connect(menu, &QMenu::aboutToShow, this, [=, this] {
        const PolicyModel *policy = m_workspace.policy();
        const bool isOpen = m_workspace.source() != Workspace::Source::Nothing;
        const QString unsaved = m_workspace.whyNotSaved();
        save->setEnabled(unsaved.isEmpty());
        save->setToolTip(unsaved.isEmpty() ? tr("The scenario with the edited policies") : unsaved);
        copy->setEnabled(!m_workspace.commandLine().isEmpty());
        exports->setEnabled(isOpen);
        pin->setEnabled(isOpen);
        undo->setEnabled(policy && policy->draft().canUndo());
        redo->setEnabled(policy && policy->draft().canRedo());
    });
    connect(menu, &QMenu::aboutToHide, this, [=] { // their keys say why not
        for (QAction *each : {save, copy, exports, pin, undo, redo})
            each->setEnabled(true);
    });
    QMenu *theme = menu->addMenu(tr("Theme"));
    auto *themes = new QActionGroup{this};
    for (const auto &[words, look] :
        {std::pair{tr("System"), LookChoice::System}, {tr("Light"), LookChoice::Light}, {tr("Dark"), LookChoice::Dark}}) {
        QAction *action = theme->addAction(words, this, [this, chosen = look] { setLook(chosen); });
        action->setCheckable(true);
        action->setChecked(look == m_look);
        themes->addAction(action);
    }
    QMenu *size = menu->addMenu(tr("Text size"));
    for (const int percent : {100, 125, 150, 175, 200})
        size->addAction(tr("%1 %").arg(percent), this, [this, percent] { setTextPercent(percent); });
    QAction *hide = menu->addAction(tr("Hide names"));
    hide->setCheckable(true);
    connect(hide, &QAction::toggled, this, &MainWindow::setHideNames);
    addCommand(menu, tr("Presentation"), {QKeySequence{Qt::Key_F11}}, &MainWindow::togglePresentation);
    addCommand(menu, tr("Reset layout"), {}, &MainWindow::resetLayout);
    menu->addSeparator();
    addCommand(menu, tr("Legend and keys"), {QKeySequence{Qt::Key_F1}}, &MainWindow::showHelp);
    m_top->setMenu(menu);

    addCommand(nullptr, tr("Run or pause"), {QKeySequence{Qt::Key_Space}}, &MainWindow::runOrPause);
    addCommand(nullptr, tr("Step"), {QKeySequence{Qt::Key_Period}}, &MainWindow::stepOn);
    addCommand(nullptr, tr("Next event"), {QKeySequence{Qt::Key_Right}}, &MainWindow::nextEvent);
    addCommand(nullptr, tr("Previous event"), {QKeySequence{Qt::Key_Left}}, &MainWindow::previousEvent);
    addCommand(nullptr, tr("Next call given up"), {QKeySequence{Qt::Key_E}}, &MainWindow::nextExceeded);
    addCommand(nullptr, tr("Next breaker event"), {QKeySequence{Qt::Key_B}}, &MainWindow::nextBreakerEvent);
    addCommand(nullptr, tr("Follow"), {QKeySequence{Qt::Key_F}}, &MainWindow::toggleFollow);
    addCommand(nullptr, tr("Zoom in"), {QKeySequence{Qt::Key_Plus}, QKeySequence{Qt::Key_Equal}}, &MainWindow::zoomIn);
    addCommand(nullptr, tr("Zoom out"), {QKeySequence{Qt::Key_Minus}}, &MainWindow::zoomOut);
    addCommand(nullptr, tr("Whole run"), {QKeySequence{Qt::Key_0}}, &MainWindow::showAll);
    addCommand(nullptr, tr("Filter"), {QKeySequence{"Ctrl+F"}}, &MainWindow::focusFilter);
    addCommand(nullptr, tr("Nothing chosen"), {QKeySequence{Qt::Key_Escape}}, &MainWindow::clearSelection);
}

void MainWindow::runOrPause()
{
    if (m_workspace.state() == Workspace::State::Running)
        m_workspace.pause();
    else
        m_workspace.run();
}

void MainWindow::stepOn()
{
    m_workspace.step();
}

void MainWindow::undo()
{
    if (m_workspace.policy())
        m_workspace.policy()->undo();
}

void MainWindow::redo()
{
    if (m_workspace.policy())
        m_workspace.policy()->redo();
}

/// From the chosen event on; behind the last one the first comes again.
void MainWindow::nextRare(RareSet wanted, const QString &none)
{
    const RareEvents &events = m_workspace.record().series.rareEvents();
    auto row = events.next(wanted, m_selection.row == kNoRow ? 0 : m_selection.row);
    if (!row)
        row = events.next(wanted, 0);
    if (row)
        choose(*row);
    else
        m_figures->say(none);
}

void MainWindow::nextExceeded()
{
    nextRare({Rare::WaitExceeded}, tr("no call was given up because of max_wait"));
}

void MainWindow::nextBreakerEvent()
{
    nextRare(kBreakerEvents, tr("the breaker never tripped"));
}

void MainWindow::nextEvent()
{
    m_events->move(1);
}

void MainWindow::previousEvent()
{
    m_events->move(-1);
}

void MainWindow::toggleFollow()
{
    setFollow(!m_plot->follows());
}

void MainWindow::zoomIn()
{
    m_plot->zoomIn();
}

void MainWindow::zoomOut()
{
    m_plot->zoomOut();
}

void MainWindow::showAll()
{
    m_plot->showAll();
}

void MainWindow::focusFilter()
{
    m_events->focusFilter();
}

void MainWindow::togglePresentation()
{
    setPresentation(!m_presents);
}

void MainWindow::pin()
{
    if (m_workspace.source() == Workspace::Source::Nothing)
        return;
    m_workspace.pinBaseline();
    m_figures->say(tr("pinned: what comes is held against this run"));
}

void MainWindow::copySet()
{
    const QString words = m_workspace.commandLine();
    if (!words.isEmpty())
        QApplication::clipboard()->setText(words);
    m_figures->say(words.isEmpty() ? tr("nothing is edited") : tr("copied: %1").arg(masked(words)));
}

void MainWindow::showHelp()
{
    auto *help = findChild<HelpDialog *>();
    if (!help) {
        help = new HelpDialog{actions(), this};
        help->setAttribute(Qt::WA_DeleteOnClose);
    }
    help->show();
    help->raise();
    help->activateWindow();
}

} // namespace throttlescope::dashboard
