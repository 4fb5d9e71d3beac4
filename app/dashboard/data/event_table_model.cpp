// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/event_table_model.h"

#include "app/dashboard/data/event_words.h"
#include "core/journal/printable.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QTimeZone>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

constexpr qint64 kSliceMilliseconds = 8; ///< of a frame's 16
constexpr Row kRowsBetweenLooks = 256; ///< at the clock

QString printed(std::string_view text)
{
    return QString::fromStdString(journal::printable(text));
}

} // namespace

EventTableModel::EventTableModel(QObject *parent)
    : QAbstractTableModel(parent)
{
    m_slices.setSingleShot(true);
    m_slices.setInterval(0);
    connect(&m_slices, &QTimer::timeout, this, &EventTableModel::testSlice);
}

void EventTableModel::setStore(const EventStore *store)
{
    m_store = store;
    restart();
}

void EventTableModel::setFilter(Filter filter)
{
    if (m_filter == filter)
        return;
    m_filter = std::move(filter);
    restart();
}

void EventTableModel::setClock(Clock clock)
{
    if (m_clock == clock)
        return;
    m_clock = clock;
    if (m_shown > 0)
        Q_EMIT dataChanged(index(0, Time), index(m_shown - 1, Time), {Qt::DisplayRole});
    Q_EMIT headerDataChanged(Qt::Horizontal, Time, Time);
}

void EventTableModel::setHideNames(bool hide)
{
    m_hideNames = hide;
    if (m_shown > 0)
        Q_EMIT dataChanged(index(0, Operation), index(m_shown - 1, What));
}

/// Nothing is shown until it was tested; without a filter that is at once.
void EventTableModel::restart()
{
    beginResetModel();
    m_rows.clear();
    m_rows.shrink_to_fit();
    m_shown = 0;
    m_tested = 0;
    m_matcher.reset();
    if (m_store && !m_filter.isEmpty())
        m_matcher.emplace(m_filter, *m_store);
    else if (m_store)
        m_shown = static_cast<int>(m_tested = m_store->rowCount());
    endResetModel();
    if (isComplete()) {
        m_slices.stop();
        Q_EMIT completed(m_shown);
    } else {
        m_slices.start();
    }
}

void EventTableModel::follow()
{
    if (isComplete())
        return;
    if (m_matcher) {
        if (!m_slices.isActive())
            m_slices.start();
        return;
    }
    beginInsertRows({}, m_shown, static_cast<int>(m_store->rowCount()) - 1);
    m_shown = static_cast<int>(m_tested = m_store->rowCount());
    endInsertRows();
    Q_EMIT completed(m_shown);
}

void EventTableModel::testSlice()
{
    QElapsedTimer clock;
    clock.start();
    std::vector<Row> found;
    while (!isComplete() && clock.elapsed() < kSliceMilliseconds) {
        const Row end = std::min(m_store->rowCount(), m_tested + kRowsBetweenLooks);
        for (; m_tested < end; ++m_tested) {
            if (m_matcher->matches(m_tested))
                found.push_back(m_tested);
        }
    }
    if (!found.empty()) {
        beginInsertRows({}, m_shown, m_shown + static_cast<int>(found.size()) - 1);
        m_rows.insert(m_rows.end(), found.begin(), found.end());
        m_shown = static_cast<int>(m_rows.size());
        endInsertRows();
    }
    if (isComplete())
        Q_EMIT completed(m_shown);
    else
        m_slices.start();
}

Row EventTableModel::eventAt(int row) const
{
    return m_matcher ? m_rows[static_cast<std::size_t>(row)] : static_cast<Row>(row);
}

std::optional<int> EventTableModel::nearestRowOf(Row event) const
{
    if (m_shown == 0)
        return std::nullopt;
    const auto place = m_matcher ? std::lower_bound(m_rows.begin(), m_rows.end(), event) - m_rows.begin() : std::ptrdiff_t{event};
    return static_cast<int>(std::min<std::ptrdiff_t>(place, m_shown - 1));
}

std::optional<int> EventTableModel::rowOf(Row event) const
{
    const auto row = nearestRowOf(event);
    return row && eventAt(*row) == event ? row : std::nullopt;
}

int EventTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_shown;
}

int EventTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_shown)
        return {};
    const Row event = eventAt(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(event, index.column());
    case Qt::ToolTipRole: return index.column() == What ? QVariant{text(event, What)} : QVariant{};
    case Qt::TextAlignmentRole: {
        const bool isNumber = index.column() == Time || index.column() == Op || index.column() == Attempt;
        return QVariant::fromValue((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    case kEventRole: return event;
    default: return {};
    }
}

QString EventTableModel::text(Row event, int column) const
{
    switch (column) {
    case Time: return timeText(event);
    case Event: return printed(eventName(m_store->kind(event)));
    case Op: return m_store->op(event) == 0 ? QString{} : QString::number(m_store->op(event));
    case Operation: return m_hideNames ? QString{} : printed(m_store->operation(event));
    case Server: return m_hideNames ? QString{} : printed(m_store->server(event));
    case Attempt: return m_store->attempt(event) == 0 ? QString{} : QString::number(m_store->attempt(event));
    case What: {
        const journal::Event &happened = m_store->event(event, m_buffer);
        return QString::fromStdString(whatHappened(m_hideNames ? withoutNames(happened) : happened));
    }
    default: return {};
    }
}

QString EventTableModel::timeText(Row event) const
{
    switch (m_clock) {
    case Clock::SinceStart: return QString::number(secondsOf(m_store->at(event).time_since_epoch()), 'f', 3);
    case Clock::Wall: break;
    }
    const Duration wall = m_store->event(event, m_buffer).at.wall.time_since_epoch();
    return QDateTime::fromMSecsSinceEpoch(std::chrono::floor<std::chrono::milliseconds>(wall).count(), QTimeZone::utc())
        .toString(QStringLiteral("HH:mm:ss.zzz"));
}

QVariant EventTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Time: return m_clock == Clock::Wall ? QStringLiteral("time (UTC)") : QStringLiteral("time (s)");
    case Event: return QStringLiteral("event");
    case Op: return QStringLiteral("op");
    case Operation: return QStringLiteral("operation");
    case Server: return QStringLiteral("server");
    case Attempt: return QStringLiteral("attempt");
    case What: return QStringLiteral("what");
    default: return {};
    }
}

} // namespace throttlescope::dashboard
