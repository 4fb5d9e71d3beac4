// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/figures_bar.h"

#include "app/dashboard/window/widgets.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace throttlescope::dashboard {

namespace {

QString shortName(QString name)
{
    if (name == "attempts_per_operation")
        return QObject::tr("attempts / op");
    if (name.startsWith("waits."))
        return name.mid(6) + ' ' + QObject::tr("wait");
    return name.replace('_', ' ');
}

} // namespace

FiguresBar::FiguresBar(QWidget *parent)
    : QWidget(parent)
    , m_said(label({}, "said"))
    , m_note(label({}, "label"))
{
    auto *column = new QVBoxLayout{this};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *bar = new QWidget;
    bar->setObjectName("Bar");
    bar->setAttribute(Qt::WA_StyledBackground);
    auto *row = new QHBoxLayout{bar};
    row->setContentsMargins(16, 8, 16, 8);
    row->setSpacing(0);
    for (const FigureValue &figure : figureValues({})) {
        auto *cell = new QVBoxLayout;
        cell->setSpacing(0);
        auto *values = new QHBoxLayout;
        values->setSpacing(6);
        m_cells.push_back({label(shortName(text(figure.name)), "label"), label({}, "figure"), label({}, "label")});
        const Cell &made = m_cells.back();
        values->addWidget(made.value);
        values->addWidget(made.difference, 0, Qt::AlignBottom);
        values->addStretch();
        cell->addWidget(made.name);
        cell->addLayout(values);
        made.name->setMinimumWidth(1); // gives way in a narrow window
        row->addLayout(cell, 1);
    }
    auto *notes = new QHBoxLayout;
    notes->setContentsMargins(16, 3, 16, 0);
    m_said->setMinimumWidth(1);
    notes->addWidget(m_said, 1);
    notes->addWidget(m_note);
    column->addWidget(bar);
    column->addLayout(notes);
}

void FiguresBar::show(const Figures &figures, const Figures *baseline)
{
    const auto values = figureValues(figures, baseline);
    for (std::size_t i = 0; i < values.size() && i < m_cells.size(); ++i) {
        const Cell &cell = m_cells[i];
        const QString value = QString::fromStdString(figureText(values[i]));
        const QString difference = QString::fromStdString(differenceText(values[i]));
        cell.value->setText(value);
        cell.difference->setText(difference);
        cell.value->setAccessibleName(cell.name->text());
        cell.value->setAccessibleDescription(difference.isEmpty() ? value : tr("%1, %2 against the baseline").arg(value, difference));
    }
}

void FiguresBar::say(const QString &words, bool alarm)
{
    m_said->setText(words);
    m_said->setToolTip(words);
    restyle(m_said, "alarm", alarm);
}

void FiguresBar::setNote(const QString &note)
{
    m_note->setText(note);
}

} // namespace throttlescope::dashboard
