// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/main_window.h"

#include "app/dashboard/sweep/sweep_result.h"

#include <QMessageBox>
#include <QPushButton>

/// The part of the window that asks before real requests are stopped by something else than Stop.
namespace throttlescope::dashboard {

bool MainWindow::sendsRealRequests() const
{
    return m_workspace.source() == Workspace::Source::Fetch && m_workspace.state() == Workspace::State::Running;
}

void MainWindow::onceStopped(const QString &button, std::function<void()> then)
{
    if (!sendsRealRequests())
        return then();
    if (findChild<QMessageBox *>())
        return; // it has been asked
    auto *question
        = new QMessageBox{QMessageBox::NoIcon, tr("Throttlescope"), tr("<b>Requests are under way.</b>"), QMessageBox::NoButton, this};
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setInformativeText(tr("What has been answered is kept. What waits for its next attempt is not sent any more."));
    const QPushButton *stop = question->addButton(button, QMessageBox::DestructiveRole);
    QPushButton *keep = question->addButton(tr("Keep running"), QMessageBox::RejectRole);
    question->setDefaultButton(keep);
    question->setEscapeButton(keep);
    connect(question, &QMessageBox::buttonClicked, this, [this, stop, then = std::move(then)](const QAbstractButton *pressed) {
        if (pressed != stop)
            return;
        if (!sendsRealRequests()) // they came to their end meanwhile
            return then();
        m_onceStopped = then;
        m_workspace.pause();
    });
    question->open();
}

void MainWindow::openOnceStopped(const QString &file)
{
    if (isSweepFile(file)) // in a window beside
        open(file);
    else
        onceStopped(tr("Stop and open"), [this, file] { open(file); });
}

} // namespace throttlescope::dashboard
