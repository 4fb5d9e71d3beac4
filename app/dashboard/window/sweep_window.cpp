// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/sweep_window.h"

#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/elided_label.h"
#include "app/dashboard/window/report_pages.h"
#include "app/dashboard/window/sweep_point_panel.h"
#include "app/dashboard/window/sweep_report.h"
#include "app/dashboard/window/widgets.h"
#include "simulator/sweep/sweep_words.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLocale>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

constexpr int kBetweenPanels = 12;
constexpr std::size_t kMetricsAtFirst = 4;

} // namespace

SweepWindow::SweepWindow(QWidget *parent)
    : QMainWindow(parent)
{
    setWindowTitle(tr("Sweep – Throttlescope"));
    auto *central = new QWidget;
    auto *column = new QVBoxLayout{central};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    auto *upper = new QSplitter{Qt::Horizontal};
    upper->addWidget(makeCharts());
    upper->addWidget(m_point = new SweepPointPanel);
    upper->setStretchFactor(0, 1);
    upper->setSizes({900, 290});
    auto *rows = new QSplitter{Qt::Vertical};
    rows->addWidget(upper);
    rows->addWidget(makeTable());
    rows->setStretchFactor(0, 1);
    rows->setSizes({560, 220});
    for (QSplitter *each : {upper, rows}) {
        each->setHandleWidth(kBetweenPanels);
        each->setChildrenCollapsible(false);
    }
    auto *body = new QVBoxLayout;
    body->setContentsMargins(kBetweenPanels, kBetweenPanels, kBetweenPanels, kBetweenPanels);
    body->addWidget(rows);
    column->addLayout(body, 1);
    setCentralWidget(central);
    setMinimumSize(860, 560);
    resize(1280, 800);
    m_point->setMinimumWidth(240);

    connect(&m_session, &SweepSession::changed, this, &SweepWindow::showSweep);
    connect(&m_session, &SweepSession::stateChanged, this, &SweepWindow::showState);
    connect(m_view, &SweepView::pointChosen, this, &SweepWindow::choose);
    connect(m_view, &SweepView::openAsked, this, &SweepWindow::open);
    connect(m_point, &SweepPointPanel::copyAsked, this, &SweepWindow::copyPoint);
    connect(m_point, &SweepPointPanel::openAsked, this, [this] {
        if (m_chosen)
            open(*m_chosen);
    });
    connect(new QShortcut{QKeySequence{Qt::Key_Escape}, this}, &QShortcut::activated, this, [this] { choose(std::nullopt); });
    connect(new QShortcut{QKeySequence::Close, this}, &QShortcut::activated, this, &QWidget::close);
    showSweep();
    showState();
}

/// A chip a metric: which are drawn.
void SweepWindow::makeMetrics()
{
    for (QPushButton *each : m_metrics)
        delete each;
    m_metrics.clear();
    const auto &header = m_session.result()->header();
    QWidget *last = m_pareto;
    for (const std::string &metric : header.metrics) {
        auto *chip = new QPushButton{QString::fromStdString(metricName(metric))};
        chip->setProperty("role", "choice");
        chip->setCheckable(true);
        chip->setChecked(m_metrics.size() < kMetricsAtFirst);
        chip->setAccessibleName(tr("Draw %1").arg(chip->text()));
        connect(chip, &QPushButton::toggled, this, &SweepWindow::showScene);
        m_chips->addWidget(chip);
        m_metrics.push_back(chip);
        tabAfter(last, {chip});
        last = chip;
    }
}

void SweepWindow::makeAxes()
{
    const auto &axes = m_session.result()->axes;
    for (QComboBox *box : {m_across, m_up}) {
        const QSignalBlocker quiet{box};
        box->clear();
        for (const SweepAxis &axis : axes)
            box->addItem(QString::fromStdString(axis.name));
    }
    m_up->setCurrentIndex(axes.size() > 1 ? 1 : 0);
}

std::vector<std::size_t> SweepWindow::metrics() const
{
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < m_metrics.size(); ++i) {
        if (m_metrics[i]->isChecked())
            shown.push_back(i);
    }
    return shown;
}

std::size_t SweepWindow::leadingMetric() const
{
    const auto shown = metrics();
    return shown.empty() ? 0 : shown.front();
}

void SweepWindow::showSweep()
{
    const SweepPointer &result = m_session.result();
    if (!result)
        return;
    const bool another = m_shown != result->header();
    if (another) {
        m_shown = result->header();
        m_chosen.reset();
        m_form = formOf(*result);
        makeMetrics();
        makeAxes();
        QString knobs;
        for (const SweepAxis &axis : result->axes)
            knobs += (knobs.isEmpty() ? QString{} : tr(" and ")) + QString::fromStdString(axis.name);
        const QString scenario = QFileInfo{QString::fromStdString(result->header().file)}.completeBaseName();
        m_headline->setText(tr("%1 of %2").arg(knobs, scenario));
        setWindowTitle(tr("Sweep of %1 – Throttlescope").arg(m_headline->text()));
        m_command->setText(sweepCommandLine(*result));
        m_command->setToolTip(m_command->text());
        say(m_session.scenarioRemark());
    }
    if (m_chosen && *m_chosen >= result->points.size()) // the same sweep from its start
        m_chosen.reset();
    m_model.setResult(result);
    if (another) {
        applyLook();
        m_view->setFocus();
    }
    showScene();
    showState();
}

void SweepWindow::showState()
{
    const SweepPointer &result = m_session.result();
    m_run->setVisible(m_session.isRunning() || m_session.canGoOn());
    m_run->setText(m_session.isRunning() ? tr("Stop") : tr("Go on"));
    if (!result)
        return m_progress->clear();
    const QLocale locale{QLocale::English};
    const QString runs = locale.toString(static_cast<qulonglong>(result->runs)),
                  done = locale.toString(static_cast<qulonglong>(result->file.rows.size()));
    m_progress->setText(result->isWhole()
            ? (m_session.isRunning() ? tr("%1 runs, looking for tipping points").arg(runs) : tr("%1 runs").arg(runs))
            : tr("%1 of %2 runs").arg(done, runs));
    if (!m_session.failure().isEmpty())
        say(m_session.failure(), true);
}

void SweepWindow::setForm(SweepForm form)
{
    m_form = form;
    showScene();
}

void SweepWindow::showScene()
{
    const SweepPointer &result = m_session.result();
    if (!result)
        return;
    const bool isMap = m_form == SweepForm::Maps;
    m_curves->setVisible(result->axes.size() == 1);
    m_maps->setVisible(result->axes.size() > 1 && result->isGrid());
    m_curves->setChecked(m_form == SweepForm::Curves);
    m_maps->setChecked(isMap);
    m_pareto->setChecked(m_form == SweepForm::Pareto);
    for (QPushButton *each : m_metrics)
        each->setVisible(m_form != SweepForm::Pareto);
    m_axes->setVisible(isMap && result->axes.size() > 2);
    if (m_across->currentIndex() == m_up->currentIndex() && m_up->count() > 1)
        m_up->setCurrentIndex((m_across->currentIndex() + 1) % m_up->count());
    m_view->setScene({result, m_form, metrics(), static_cast<std::size_t>(std::max(0, m_across->currentIndex())),
        static_cast<std::size_t>(std::max(0, m_up->currentIndex())), m_chosen, true});
    m_point->show(result, m_chosen, leadingMetric(), !m_session.scenarioFile().isEmpty());
}

void SweepWindow::choose(std::optional<std::size_t> point)
{
    if (m_chosen == point)
        return;
    m_chosen = point;
    if (point) {
        const QModelIndex row = m_sorted.mapFromSource(m_model.index(static_cast<int>(*point), 0));
        m_table->setCurrentIndex(row);
        m_table->scrollTo(row);
    } else {
        m_table->clearSelection();
        m_table->setCurrentIndex({});
    }
    showScene();
}

void SweepWindow::open(std::size_t point)
{
    choose(point);
    const SweepPointer &result = m_session.result();
    if (m_session.scenarioFile().isEmpty())
        return say(m_session.scenarioRemark(), true);
    const SweepRow &run = runOf(*result, point, leadingMetric(), m_point->seedChoice());
    Q_EMIT runAsked(m_session.scenarioFile(), optionsOf(result->header(), run));
}

void SweepWindow::copyPoint()
{
    if (!m_chosen)
        return;
    const SweepRow &run = runOf(*m_session.result(), *m_chosen, leadingMetric(), m_point->seedChoice());
    QString words;
    for (const std::string &set : optionsOf(m_session.result()->header(), run).set)
        words += QStringLiteral("--set %1 ").arg(QString::fromStdString(shellWord(set)));
    words += QStringLiteral("--seed %1").arg(run.seed);
    QApplication::clipboard()->setText(words);
    say(tr("copied: %1").arg(words));
}

void SweepWindow::copyCommand()
{
    QApplication::clipboard()->setText(m_command->text());
    say(tr("copied: %1").arg(m_command->text()));
}

void SweepWindow::askForSave()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Save sweep"), {}, tr("Sweeps (*.sweep *.jsonl *.json)"));
    if (file.isEmpty())
        return;
    const QString problem = m_session.saveTo(file);
    say(problem.isEmpty() ? tr("saved to %1").arg(QFileInfo{file}.fileName()) : problem, !problem.isEmpty());
}

void SweepWindow::askForExport()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Export"), {}, tr("Page (*.html);;Pictures (*.png *.svg *.pdf)"));
    if (file.isEmpty())
        return;
    const QString problem = exportTo(file);
    say(problem.isEmpty() ? tr("exported to %1").arg(QFileInfo{file}.fileName()) : problem, !problem.isEmpty());
}

QString SweepWindow::exportTo(const QString &file)
{
    return m_session.result() ? writeSweepReport(file, m_session.result()) : tr("no sweep is open");
}

void SweepWindow::say(const QString &words, bool alarm)
{
    m_said->setText(words);
    m_said->setVisible(!words.isEmpty());
    m_said->setToolTip(words);
    restyle(m_said, "alarm", alarm);
}

void SweepWindow::applyLook()
{
    m_table->verticalHeader()->setDefaultSectionSize(qRound(22 * textScale()));
    auto *header = m_table->horizontalHeader();
    header->setMinimumSectionSize(qRound(28 * textScale()));
    for (int column = 0; column < m_sorted.columnCount(); ++column)
        header->setSectionResizeMode(column, column == 0 ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
    m_view->update();
}

void SweepWindow::closeEvent(QCloseEvent *event)
{
    m_session.cancel();
    QMainWindow::closeEvent(event);
}

} // namespace throttlescope::dashboard
