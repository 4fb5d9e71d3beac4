// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/sweep/sweep_table_model.h"

#include "simulator/sweep/sweep_words.h"

namespace throttlescope::dashboard {

namespace {

constexpr std::size_t kPareto = 0; ///< then a column an axis, the verdict, a column a metric

} // namespace

void SweepTableModel::setResult(const SweepPointer &result)
{
    const bool grows = m_result && result && result->header() == m_result->header() && result->points.size() >= m_result->points.size();
    if (!grows) {
        beginResetModel();
        m_result = result;
        m_rows = result ? static_cast<int>(result->points.size()) : 0;
        endResetModel();
        return;
    }
    m_result = result;
    if (m_rows > 0) // another seed of the last one, and who is in the Pareto set
        Q_EMIT dataChanged(index(0, 0), index(m_rows - 1, columnCount() - 1));
    if (const int rows = static_cast<int>(result->points.size()); rows > m_rows) {
        beginInsertRows({}, m_rows, rows - 1);
        m_rows = rows;
        endInsertRows();
    }
}

int SweepTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int SweepTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_result ? 0 : static_cast<int>(axes() + 2 + m_result->header().metrics.size());
}

QString SweepTableModel::text(std::size_t point, std::size_t column) const
{
    const PointSummary &at = m_result->points[point];
    if (column == kPareto)
        return at.pareto ? QStringLiteral("★") : QString{};
    if (column <= axes())
        return QString::fromStdString(m_result->axes[column - 1].shortValue(at.at[column - 1]));
    if (column == axes() + 1)
        return QString::fromStdString(verdictText(*m_result, at));
    const std::size_t metric = column - axes() - 2;
    return QString::fromStdString(spreadText(m_result->header().metrics[metric], at.metrics[metric], m_result->plan.seeds > 1));
}

QVariant SweepTableModel::order(std::size_t point, std::size_t column) const
{
    const PointSummary &at = m_result->points[point];
    if (column == kPareto)
        return at.pareto ? 0 : 1;
    if (column <= axes())
        return m_result->axes[column - 1].placeOf(at.at[column - 1]).value_or(0);
    if (column == axes() + 1)
        return static_cast<double>(at.passed) / static_cast<double>(at.runs);
    return at.metrics[column - axes() - 2].median;
}

/// Numbers at the right, words at the left.
QVariant SweepTableModel::alignment(std::size_t column) const
{
    const Qt::AlignmentFlag side = column == kPareto ? Qt::AlignHCenter : column == axes() + 1 ? Qt::AlignLeft : Qt::AlignRight;
    return QVariant::fromValue(Qt::AlignVCenter | side);
}

QVariant SweepTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !m_result)
        return {};
    const auto point = static_cast<std::size_t>(index.row()), column = static_cast<std::size_t>(index.column());
    if (role == Qt::DisplayRole)
        return text(point, column);
    if (role == SortRole)
        return order(point, column);
    if (role == Qt::AccessibleTextRole)
        return column == kPareto ? QString{m_result->points[point].pareto ? tr("in the Pareto set") : tr("not in the Pareto set")}
                                 : text(point, column);
    if (role == Qt::ToolTipRole && column > kPareto && column <= axes())
        return QString::fromStdString(m_result->points[point].at[column - 1]);
    if (role == Qt::TextAlignmentRole)
        return alignment(column);
    return {};
}

QVariant SweepTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || !m_result || section < 0 || section >= columnCount())
        return {};
    const auto column = static_cast<std::size_t>(section);
    if (role == Qt::TextAlignmentRole)
        return alignment(column);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole && role != Qt::ToolTipRole)
        return {};
    if (column == kPareto)
        return role == Qt::DisplayRole ? QStringLiteral("★") : tr("Pareto set");
    if (column <= axes())
        return QString::fromStdString(role == Qt::ToolTipRole ? m_result->axes[column - 1].axis.path : m_result->axes[column - 1].name);
    if (column == axes() + 1)
        return tr("verdict");
    return QString::fromStdString(metricName(m_result->header().metrics[column - axes() - 2]));
}

} // namespace throttlescope::dashboard
