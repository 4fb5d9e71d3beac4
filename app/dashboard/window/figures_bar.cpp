// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/figures_bar.h"

#include "app/dashboard/window/elided_label.h"
#include "app/dashboard/window/widgets.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

namespace throttlescope::dashboard {

namespace {

constexpr int kBarMargin = 16, kCellMargin = 12, kCellGap = 6;

QString shortName(QString name)
{
    if (name == "attempts_per_operation")
        return QObject::tr("attempts / op");
    if (name.startsWith("waits."))
        name.replace(4, 1, QString{}); // "p50 wait"
    if (const qsizetype dot = name.indexOf('.'); dot >= 0)
        name = name.mid(dot + 1) + ' ' + name.left(dot);
    return name.replace('_', ' ');
}

} // namespace

FiguresBar::FiguresBar(QWidget *parent)
    : QWidget(parent)
    , m_said(new ElidedLabel)
    , m_note(new ElidedLabel)
{
    auto *column = new QVBoxLayout{this};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *bar = new QWidget;
    bar->setObjectName("Bar");
    bar->setAttribute(Qt::WA_StyledBackground);
    m_grid = new QGridLayout{bar};
    m_grid->setContentsMargins(kBarMargin, 8, kBarMargin, 8);
    m_grid->setHorizontalSpacing(0);
    m_grid->setVerticalSpacing(6);
    for (const FigureValue &figure : figureValues({})) {
        auto *cell = new QWidget;
        cell->setAttribute(Qt::WA_StyledBackground);
        auto *lines = new QVBoxLayout{cell};
        lines->setSpacing(0);
        auto *values = new QHBoxLayout;
        values->setSpacing(kCellGap);
        m_cells.push_back({cell, label(shortName(text(figure.name)), "label"), label({}, "figure"), label({}, "label")});
        const Cell &made = m_cells.back();
        values->addWidget(made.value);
        values->addWidget(made.difference, 0, Qt::AlignBottom);
        values->addStretch();
        lines->addWidget(made.name);
        lines->addLayout(values);
    }
    arrange();
    auto *notes = new QHBoxLayout;
    notes->setContentsMargins(16, 3, 16, 0);
    m_said->setProperty("role", "said");
    m_note->setProperty("role", "label");
    m_note->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    notes->addWidget(m_said, 1);
    notes->addWidget(m_note);
    column->addWidget(bar);
    column->addLayout(notes);
}

int FiguresBar::widthOf(const Cell &cell)
{
    for (QLabel *each : {cell.name, cell.value, cell.difference})
        each->ensurePolished(); // the style sheet says how large they are
    const int values = cell.value->sizeHint().width() + kCellGap + cell.difference->sizeHint().width();
    return std::max(values, cell.name->sizeHint().width()) + kCellMargin + kCellGap + 2;
}

/// By column, where there are so many.
std::vector<int> FiguresBar::widths(int columns) const
{
    std::vector<int> widest(static_cast<std::size_t>(columns), 0);
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        int &column = widest[i % widest.size()];
        column = std::max(column, widthOf(m_cells[i]));
    }
    return widest;
}

/// In as few rows as they fit into. Once they are in several, they stay so for as long as the bar is as wide.
void FiguresBar::arrange()
{
    const int count = static_cast<int>(m_cells.size());
    const auto columnsOf = [count](int rows) { return (count + rows - 1) / rows; };
    const auto fits = [this](int columns) {
        const auto each = widths(columns);
        return std::accumulate(each.begin(), each.end(), 2 * kBarMargin) <= width();
    };
    while (isVisible() && m_rows < count && !fits(columnsOf(m_rows)))
        ++m_rows;
    const int columns = columnsOf(m_rows);
    const auto widest = widths(columns);
    for (int column = 0; column < count; ++column) { // who says more has more, and keeps it
        const int most = column < columns ? widest[static_cast<std::size_t>(column)] : 0;
        m_grid->setColumnStretch(column, columns == m_columns ? std::max(most, m_grid->columnStretch(column)) : most);
        m_grid->setColumnMinimumWidth(column, most);
    }
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        const int at = static_cast<int>(i);
        m_cells[i].box->layout()->setContentsMargins(at % columns == 0 ? 0 : kCellMargin, 0, kCellGap, 0);
        m_cells[i].box->setObjectName(at % columns == 0 ? QString{} : QStringLiteral("Figure"));
        m_grid->addWidget(m_cells[i].box, at / columns, at % columns);
    }
    ensureCells();
}

/// The style sheet looks at their names.
void FiguresBar::ensureCells()
{
    for (const Cell &cell : m_cells) {
        cell.box->style()->unpolish(cell.box);
        cell.box->style()->polish(cell.box);
    }
}

void FiguresBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (event->oldSize().width() != width())
        m_rows = 1;
    arrange();
}

/// What does not fit in one row is no reason for a wider window.
QSize FiguresBar::minimumSizeHint() const
{
    return {320, QWidget::minimumSizeHint().height()};
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
        cell.box->setMinimumWidth(1);
        cell.value->setAccessibleName(cell.name->text());
        cell.value->setAccessibleDescription(difference.isEmpty() ? value : tr("%1, %2 against the baseline").arg(value, difference));
    }
    const int before = m_columns;
    arrange();
    if (m_columns != before)
        makeRoom();
}

/// Now: a layout asks its parent only in the next turn, and until then two rows would be drawn in the height of one.
void FiguresBar::makeRoom()
{
    for (QWidget *each = m_grid->parentWidget(); each; each = each->isWindow() ? nullptr : each->parentWidget()) {
        if (each->layout())
            each->layout()->activate();
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
    m_note->setToolTip(note);
}

} // namespace throttlescope::dashboard
