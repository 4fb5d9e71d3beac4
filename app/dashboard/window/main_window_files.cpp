// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/whole_file.h"
#include "app/dashboard/plot/svg_pages.h"
#include "app/dashboard/session/policy_save.h"
#include "app/dashboard/window/event_csv.h"
#include "app/dashboard/window/event_panel.h"
#include "app/dashboard/window/fetch_dialog.h"
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/main_window.h"
#include "app/dashboard/window/notice_strip.h"
#include "app/dashboard/window/png.h"

#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QProcess>
#include <QStandardPaths>
#include <QUrl>

namespace throttlescope::dashboard {

namespace {

/// Beside the sources, or where it is installed.
QString exampleFile()
{
    const QString file = QStringLiteral("scenarios/minute-window.yaml");
    QDir folder{QCoreApplication::applicationDirPath()};
    for (int up = 0; up < 6; ++up) {
        for (const QString &place : {folder.filePath(file), folder.filePath("share/throttlescope/" + file)}) {
            if (QFileInfo::exists(place))
                return place;
        }
        if (!folder.cdUp())
            break;
    }
    return QDir::current().filePath(file);
}

} // namespace

void MainWindow::askForScenario()
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Open scenario"), QFileInfo{m_workspace.file()}.path(),
        tr("Scenarios (*.yaml *.yml *.json);;Journals and sweeps (*.jsonl *.ndjson *.sweep);;All files (*)"));
    if (!file.isEmpty())
        openOnceStopped(file);
}

void MainWindow::askForJournal()
{
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open journal"), QFileInfo{m_workspace.file()}.path(), tr("Journals (*.jsonl *.ndjson);;All files (*)"));
    if (!file.isEmpty())
        openOnceStopped(file);
}

void MainWindow::askForFetch()
{
    auto *dialog = new FetchDialog{this};
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &FetchDialog::ordered, this,
        [this](const throttlescope::fetch::FetchOrder &order) { onceStopped(tr("Stop and begin anew"), [this, order] { fetch(order); }); });
    dialog->open();
}

void MainWindow::openExample()
{
    openOnceStopped(exampleFile());
}

void MainWindow::askForSave()
{
    if (const QString reason = m_workspace.whyNotSaved(); !reason.isEmpty())
        return m_figures->say(reason);
    const QString file = QFileDialog::getSaveFileName(this, tr("Save scenario"), m_workspace.file(), tr("Scenarios (*.yaml *.yml)"));
    if (file.isEmpty())
        return;
    const QString problem = saveTo(file);
    m_figures->say(problem.isEmpty() ? tr("saved to %1").arg(QFileInfo{file}.fileName()) : problem, !problem.isEmpty());
}

QString MainWindow::saveTo(const QString &file)
{
    if (!m_workspace.policy())
        return tr("no scenario is open");
    const auto saved = savedText(m_workspace.policy()->draft());
    return saved ? writeWhole(file, QByteArray::fromStdString(*saved)) : QString::fromStdString(saved.error());
}

void MainWindow::askForExport()
{
    if (m_workspace.source() == Workspace::Source::Nothing)
        return;
    const QString proposed = QDir{QFileInfo{m_workspace.file()}.path()}.filePath(m_workspace.name() + ".png");
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Export"), proposed, tr("Window as picture (*.png);;Plots (*.svg *.pdf);;Events that are shown (*.csv)"));
    if (file.isEmpty())
        return;
    const QString problem = exportTo(file);
    m_figures->say(problem.isEmpty() ? tr("exported to %1").arg(QFileInfo{file}.fileName()) : problem, !problem.isEmpty());
}

QString MainWindow::exportTo(const QString &file)
{
    const QString suffix = QFileInfo{file}.suffix().toLower();
    if (suffix == "png")
        return writeWhole(file, pngOf(grab().toImage()));
    if (suffix == "svg") {
        SvgPages drawing{QSize{1600, 1000}, 1};
        drawing.add(*m_plot, m_hideNames ? QString{} : m_workspace.name());
        return writeWhole(file, drawing.finished());
    }
    if (suffix == "pdf")
        return writeWhole(file, m_plot->pdf(QSize{1600, 1000}));
    if (suffix == "csv")
        return writeWhole(file, eventCsv(m_events->model()));
    return tr("%1: expected a name that ends in png, svg, pdf or csv").arg(QFileInfo{file}.fileName());
}

/// In an editor that can be told a line, where there is one; the place is copied, whatever opens.
void MainWindow::openPlace(const QString &file, int line, int column)
{
    const QString place = QStringLiteral("%1:%2:%3").arg(file).arg(line).arg(column);
    QApplication::clipboard()->setText(place);
    if (QGuiApplication::platformName() == "offscreen")
        return m_figures->say(tr("copied: %1").arg(place));
    for (const QString &editor : {QStringLiteral("code"), QStringLiteral("codium")}) {
        const QString program = QStandardPaths::findExecutable(editor);
        if (!program.isEmpty() && QProcess::startDetached(program, {"--goto", place}))
            return;
    }
    const QString kate = QStandardPaths::findExecutable("kate");
    if (!kate.isEmpty() && QProcess::startDetached(kate, {"--line", QString::number(line), "--column", QString::number(column), file}))
        return;
    QDesktopServices::openUrl(QUrl::fromLocalFile(file));
    m_figures->say(tr("copied: %1").arg(place));
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    openOnceStopped(event->mimeData()->urls().first().toLocalFile());
}

} // namespace throttlescope::dashboard
