// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/knob_row.h"
#include "app/dashboard/window/main_window.h"
#include "app/dashboard/window/notice_strip.h"
#include "app/dashboard/window/policy_panel.h"
#include "app/dashboard/window/sweep_dialog.h"
#include "app/dashboard/window/sweep_window.h"

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>

/// The part of the window that has to do with sweeps: they are in a window of their own beside it.
namespace throttlescope::dashboard {

SweepWindow &MainWindow::sweepWindow()
{
    if (!m_sweep) {
        m_sweep = std::make_unique<SweepWindow>();
        connect(m_sweep.get(), &SweepWindow::runAsked, this, [this](const QString &scenario, const LoadOptions &options) {
            onceStopped(tr("Stop and open"), [this, scenario, options] {
                if (!open(scenario, options))
                    return;
                show();
                raise();
                activateWindow();
            });
        });
    }
    return *m_sweep;
}

void MainWindow::showSweep()
{
    if (!m_sweep || !m_sweep->session().result())
        return m_figures->say(tr("no sweep is open"));
    m_sweep->show();
    m_sweep->raise();
    m_sweep->activateWindow();
}

bool MainWindow::openSweep(const QString &file)
{
    if (const QString problem = sweepWindow().session().open(file); !problem.isEmpty()) {
        m_notice->showMessage(problem);
        return false;
    }
    showSweep();
    return true;
}

void MainWindow::startSweep(const SweepHeader &header)
{
    if (!m_workspace.policy())
        return;
    sweepWindow().session().start(header, m_workspace.policy()->draft());
    showSweep();
}

/// The knob whose row has the focus.
void MainWindow::askForSweep()
{
    const KnobRow *row = nullptr;
    for (const QWidget *at = QApplication::focusWidget(); at && !row; at = at->parentWidget())
        row = qobject_cast<const KnobRow *>(at);
    askForSweepOf(row ? row->path() : QStringLiteral("rate_limit.max_wait"));
}

void MainWindow::askForSweepOf(const QString &path)
{
    PolicyModel *policy = m_workspace.policy();
    if (m_workspace.source() != Workspace::Source::Scenario || !policy)
        return m_figures->say(tr("only the knobs of a scenario can be swept"));
    const int row = policy->rowOf(path);
    const QString setPath = row < 0 ? QString{} : policy->index(row, PolicyModel::Value).data(PolicyModel::SetPathRole).toString();
    auto *dialog = new SweepDialog{policy->draft(), policy->policy().toStdString(), setPath, this};
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SweepDialog::ordered, this, &MainWindow::startSweep);
    dialog->open();
}

void MainWindow::askForSweepFile()
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Open sweep"), QFileInfo{m_workspace.file()}.path(), tr("All files (*)"));
    if (!file.isEmpty())
        openOnceStopped(file);
}

} // namespace throttlescope::dashboard
