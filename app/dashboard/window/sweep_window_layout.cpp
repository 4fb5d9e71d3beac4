// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/elided_label.h"
#include "app/dashboard/window/sweep_window.h"
#include "app/dashboard/window/widgets.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <tuple>

/// The parts of the window, before there is a sweep in it.
namespace throttlescope::dashboard {

QWidget *SweepWindow::makeBar()
{
    auto *bar = new QWidget;
    auto *column = new QVBoxLayout{bar};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *line = new QWidget;
    line->setObjectName("Bar");
    line->setAttribute(Qt::WA_StyledBackground);
    auto *row = new QHBoxLayout{line};
    row->setContentsMargins(16, 10, 16, 10);
    row->setSpacing(8);
    auto *names = new QVBoxLayout;
    names->setSpacing(2);
    names->addWidget(m_headline = label({}, "headline"));
    names->addWidget(m_command = new ElidedLabel);
    m_command->setProperty("role", "label");
    row->addLayout(names, 1);
    row->addWidget(m_progress = label({}, "label"));
    row->addWidget(m_run = new QPushButton);
    connect(m_run, &QPushButton::clicked, this, [this] { m_session.isRunning() ? m_session.cancel() : m_session.goOn(); });
    for (const auto &[words, action] : {std::pair{tr("Copy command"), &SweepWindow::copyCommand},
             {tr("Save as…"), &SweepWindow::askForSave}, {tr("Export…"), &SweepWindow::askForExport}}) {
        auto *button = new QPushButton{words};
        connect(button, &QPushButton::clicked, this, action);
        row->addWidget(button);
    }
    column->addWidget(line);
    column->addWidget(m_said = new ElidedLabel);
    m_said->setContentsMargins(16, 6, 16, 0);
    m_said->setProperty("role", "said");
    m_said->hide();
    return bar;
}

QWidget *SweepWindow::makeCharts()
{
    QWidget *frame = panel();
    auto *column = new QVBoxLayout{frame};
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(8);
    auto *row = new QHBoxLayout;
    row->setSpacing(6);
    for (const auto &[button, words, form] : {std::tuple{&m_curves, tr("Curves"), SweepForm::Curves},
             {&m_maps, tr("Maps"), SweepForm::Maps}, {&m_pareto, tr("Pareto set"), SweepForm::Pareto}}) {
        *button = new QPushButton{words};
        (*button)->setCheckable(true);
        (*button)->setProperty("role", "choice");
        connect(*button, &QPushButton::clicked, this, [this, chosen = form] { setForm(chosen); });
        row->addWidget(*button);
    }
    row->addSpacing(12);
    m_chips = new QHBoxLayout;
    m_chips->setSpacing(6);
    row->addLayout(m_chips);
    row->addStretch();
    m_axes = new QWidget;
    auto *axes = new QHBoxLayout{m_axes};
    axes->setContentsMargins(0, 0, 0, 0);
    axes->setSpacing(6);
    for (const auto &[box, words, name] : {std::tuple{&m_across, tr("across"), tr("Axis across")}, {&m_up, tr("up"), tr("Axis up")}}) {
        *box = new Choice;
        (*box)->setAccessibleName(name);
        connect(*box, &QComboBox::activated, this, &SweepWindow::showScene);
        axes->addWidget(label(words, "label"));
        axes->addWidget(*box);
    }
    row->addWidget(m_axes);
    column->addLayout(row);
    column->addWidget(m_view = new SweepView, 1);
    return frame;
}

QWidget *SweepWindow::makeTable()
{
    QWidget *frame = panel();
    auto *column = new QVBoxLayout{frame};
    column->setContentsMargins(6, 6, 6, 6);
    m_sorted.setSourceModel(&m_model);
    m_sorted.setSortRole(SweepTableModel::SortRole);
    m_table = new QTableView;
    m_table->setModel(&m_sorted);
    m_table->setAccessibleName(tr("All points of the sweep"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setTabKeyNavigation(false);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setFocusPolicy(Qt::NoFocus);
    column->addWidget(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &current) {
        if (current.isValid())
            choose(static_cast<std::size_t>(m_sorted.mapToSource(current).row()));
    });
    connect(m_table, &QTableView::activated, this,
        [this](const QModelIndex &index) { open(static_cast<std::size_t>(m_sorted.mapToSource(index).row())); });
    return frame;
}

} // namespace throttlescope::dashboard
