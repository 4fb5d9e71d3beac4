// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_result.h"

#include <QAbstractTableModel>

namespace throttlescope::dashboard {

/// A row a point: whether it is in the Pareto set, its values as a scale has them, its verdict, and of each metric the median and where
/// seeds differ their spread. Grows with the sweep.
class SweepTableModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role { SortRole = Qt::UserRole }; ///< amounts as numbers

    using QAbstractTableModel::QAbstractTableModel;

    void setResult(const SweepPointer &result);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::size_t axes() const { return m_result ? m_result->axes.size() : 0; }
    QString text(std::size_t point, std::size_t column) const;
    QVariant alignment(std::size_t column) const;
    QVariant order(std::size_t point, std::size_t column) const;

    SweepPointer m_result;
    int m_rows = 0; ///< that views know of
};

} // namespace throttlescope::dashboard
