// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/filter.h"

#include <QAbstractTableModel>
#include <QTimer>
#include <optional>
#include <vector>

namespace throttlescope::dashboard {

/// The events of a store that pass a filter, as a table: the equivalent of the plots for whoever does not see them.
/// A filter is applied in slices of some milliseconds; a row is tested once.
class EventTableModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, Event, Op, Operation, Server, Attempt, What, ColumnCount };
    enum class Clock : std::uint8_t { SinceStart, Wall };
    static constexpr int kEventRole = Qt::UserRole; ///< the Row in the store

    explicit EventTableModel(QObject *parent = nullptr);

    /// Null: an empty table. The store outlives the model or the next call. To be called again when the store was cleared,
    /// before anything else looks at the model.
    void setStore(const EventStore *store);
    /// The store grew.
    void follow();
    void setFilter(Filter filter);
    const Filter &filter() const { return m_filter; }
    void setClock(Clock clock);
    /// Tells what happened without the names of whom it happened to.
    void setHideNames(bool hide);

    /// False while rows wait to be tested.
    bool isComplete() const { return !m_store || m_tested == m_store->rowCount(); }
    /// Rows of the store that are shown or ruled out.
    Row testedRows() const { return m_tested; }
    Row eventAt(int row) const;
    /// Where an event of the store is shown; none where the filter keeps it out.
    std::optional<int> rowOf(Row event) const;
    /// The same, or the next one that is shown, or the last; none in an empty table.
    std::optional<int> nearestRowOf(Row event) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

Q_SIGNALS:
    /// Every row that was there has been tested.
    void completed(int shownRows);

private:
    void restart();
    void testSlice();
    QString text(Row event, int column) const;
    QString timeText(Row event) const;

    const EventStore *m_store = nullptr;
    Filter m_filter;
    std::optional<RowMatcher> m_matcher; ///< none: every row is shown, and `m_rows` is not needed
    std::vector<Row> m_rows;
    int m_shown = 0;
    Row m_tested = 0;
    Clock m_clock = Clock::SinceStart;
    bool m_hideNames = false;
    QTimer m_slices;
    mutable EventBuffer m_buffer;
};

} // namespace throttlescope::dashboard
