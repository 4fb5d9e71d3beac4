// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/event_panel.h"

#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/elided_label.h"
#include "app/dashboard/window/widgets.h"

#include <QHeaderView>
#include <QLocale>
#include <QPushButton>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <array>

namespace throttlescope::dashboard {

namespace {

/// Under their headings, which stand at the left.
class LeftAligned final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->displayAlignment = Qt::AlignLeft | Qt::AlignVCenter;
    }
};

} // namespace

EventPanel::EventPanel(QWidget *parent)
    : QWidget(parent)
    , m_box(new QLineEdit)
    , m_head(new QHBoxLayout)
    , m_secondRow(new QHBoxLayout)
    , m_chips(new QHBoxLayout)
    , m_chipBox(new QWidget)
    , m_count(label({}, "label"))
    , m_error(new ElidedLabel)
    , m_table(new QTableView)
{
    setObjectName("Panel");
    setAttribute(Qt::WA_StyledBackground);
    auto *column = new QVBoxLayout{this};
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(6);
    m_head->setSpacing(8);
    m_box->setPlaceholderText(tr("op:31 or event:rate_limit wait>30s"));
    m_box->setAccessibleName(tr("Filter"));
    m_box->setClearButtonEnabled(true);
    m_box->setMinimumWidth(300);
    m_chips->setContentsMargins(0, 0, 0, 0);
    m_chipBox->setLayout(m_chips);
    m_error->setProperty("role", "alarm");
    m_head->addWidget(m_box, 2);
    m_head->addWidget(m_chipBox);
    m_head->addStretch(1);
    m_head->addWidget(m_count);
    column->addLayout(m_head);
    column->addLayout(m_secondRow);
    column->addWidget(m_error);
    m_error->hide();
    m_table->setModel(&m_model);
    m_table->setItemDelegate(new LeftAligned{m_table});
    m_table->setAccessibleName(tr("Events"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setHighlightSections(false);
    column->addWidget(m_table, 1);
    applyLook();
    resetColumns();

    connect(m_box, &QLineEdit::textEdited, this, [this] { restyle(m_box, "wrong", false); });
    connect(m_box, &QLineEdit::returnPressed, this, &EventPanel::applyFilter);
    connect(m_box, &QLineEdit::textChanged, this, [this](const QString &text) {
        if (text.isEmpty())
            applyFilter();
    });
    // Not the current row: a table that gets the focus has one, without anybody's choice.
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this](const QItemSelection &selected) {
        if (!selected.isEmpty() && !m_choosing)
            Q_EMIT rowChosen(m_model.eventAt(selected.first().top()));
    });
    connect(&m_model, &EventTableModel::completed, this, &EventPanel::showCount);
    connect(&m_model, &QAbstractItemModel::modelReset, this, &EventPanel::showCount);
    connect(&m_model, &QAbstractItemModel::rowsInserted, this, &EventPanel::showCount);
}

void EventPanel::applyLook()
{
    m_table->verticalHeader()->setDefaultSectionSize(qRound(22 * textScale()));
}

void EventPanel::resetColumns()
{
    constexpr std::array<int, EventTableModel::ColumnCount - 1> widths{84, 176, 56, 110, 90, 72};
    for (std::size_t i = 0; i < widths.size(); ++i)
        m_table->setColumnWidth(static_cast<int>(i), qRound(widths.at(i) * textScale()));
}

void EventPanel::setHideNames(bool hide)
{
    m_model.setHideNames(hide);
    m_table->setColumnHidden(EventTableModel::Operation, hide);
    m_table->setColumnHidden(EventTableModel::Server, hide);
}

void EventPanel::setStore(const EventStore *store)
{
    m_store = store;
    m_model.setStore(store);
    m_isFresh = true;
    showCount();
}

void EventPanel::setWall(bool wall)
{
    m_model.setClock(wall ? EventTableModel::Clock::Wall : EventTableModel::Clock::SinceStart);
    const int before = m_table->columnWidth(EventTableModel::Time);
    m_table->resizeColumnToContents(EventTableModel::Time);
    m_table->setColumnWidth(EventTableModel::Time, std::max(before, m_table->columnWidth(EventTableModel::Time)));
}

void EventPanel::follow(bool toTheEnd)
{
    const QScrollBar *bar = m_table->verticalScrollBar();
    const bool wasThere = m_isFresh || bar->value() >= bar->maximum();
    m_model.follow();
    m_isFresh = m_isFresh && !toTheEnd;
    if (toTheEnd && wasThere)
        m_table->scrollToBottom();
    showCount();
}

void EventPanel::applyFilter()
{
    const auto filter = parseFilter(m_box->text().toStdString());
    restyle(m_box, "wrong", !filter);
    m_error->setVisible(!filter);
    m_error->setText(
        filter ? QString{} : tr("column %1: %2").arg(filter.error().column).arg(QString::fromStdString(filter.error().message)));
    m_error->setToolTip(m_error->text());
    if (!filter)
        return;
    m_model.setFilter(*filter);
    showChips();
    showCount();
}

void EventPanel::showChips()
{
    while (QLayoutItem *item = m_chips->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    const auto &terms = m_model.filter().terms;
    QWidget *last = m_box;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        auto *chip = new QPushButton{QString::fromStdString(terms[i].text) + "  ✕"};
        chip->setProperty("role", "chip");
        chip->setAccessibleName(tr("Remove %1").arg(QString::fromStdString(terms[i].text)));
        connect(
            chip, &QPushButton::clicked, this, [this, i] { setFilterText(QString::fromStdString(m_model.filter().without(i).text())); });
        m_chips->addWidget(chip);
        tabAfter(last, {chip});
        last = chip;
    }
    m_chipBox->setVisible(!terms.empty());
    arrange();
}

/// Chips are beside the box, or under it where there is no room.
void EventPanel::arrange()
{
    const int beside = m_box->minimumWidth() + m_chipBox->sizeHint().width() + m_count->sizeHint().width() + 28 + 3 * 8;
    const bool under = beside > width();
    if (under == (m_secondRow->indexOf(m_chipBox) >= 0))
        return;
    if (under)
        m_secondRow->addWidget(m_chipBox, 0, Qt::AlignLeft);
    else
        m_head->insertWidget(1, m_chipBox);
}

void EventPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void EventPanel::setFilterText(const QString &text)
{
    m_box->setText(text);
    applyFilter();
}

void EventPanel::showCount()
{
    const QLocale locale{QLocale::English};
    const int all = m_store ? static_cast<int>(m_store->rowCount()) : 0;
    m_count->setText(m_model.filter().isEmpty() ? tr("%1 events").arg(locale.toString(all))
                                                : tr("%1 of %2 events").arg(locale.toString(m_model.rowCount()), locale.toString(all)));
}

void EventPanel::choose(Row row)
{
    const auto shown = m_model.nearestRowOf(row);
    if (!shown)
        return;
    m_choosing = true;
    m_table->setCurrentIndex(m_model.index(*shown, 0));
    m_table->scrollTo(m_model.index(*shown, 0), QAbstractItemView::PositionAtCenter);
    m_choosing = false;
}

void EventPanel::move(int by)
{
    const int rows = m_model.rowCount();
    if (rows == 0)
        return;
    const QModelIndex current = m_table->currentIndex();
    const int row = m_table->selectionModel()->isSelected(current) ? std::clamp(current.row() + by, 0, rows - 1) : (by > 0 ? 0 : rows - 1);
    m_table->setCurrentIndex(m_model.index(row, 0));
}

void EventPanel::focusFilter()
{
    m_box->setFocus();
    m_box->selectAll();
}

} // namespace throttlescope::dashboard
