// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/event_csv.h"

namespace throttlescope::dashboard {

namespace {

/// In quotes where it must be; what a spreadsheet would run as a formula is made text.
QByteArray field(QString text)
{
    constexpr QLatin1String formula{"=+-@\t\r"};
    if (!text.isEmpty() && formula.contains(text.front()))
        text.prepend('\'');
    if (text.contains(',') || text.contains('"') || text.contains('\n') || text.contains('\r'))
        text = '"' + text.replace('"', "\"\"") + '"';
    return text.toUtf8();
}

} // namespace

QByteArray eventCsv(const EventTableModel &model)
{
    QByteArray out;
    for (int column = 0; column < EventTableModel::ColumnCount; ++column) {
        out += (column > 0 ? "," : "") + field(model.headerData(column, Qt::Horizontal).toString());
    }
    out += "\r\n";
    for (int row = 0; row < model.rowCount(); ++row) {
        for (int column = 0; column < EventTableModel::ColumnCount; ++column)
            out += (column > 0 ? "," : "") + field(model.index(row, column).data().toString());
        out += "\r\n";
    }
    return out;
}

} // namespace throttlescope::dashboard
