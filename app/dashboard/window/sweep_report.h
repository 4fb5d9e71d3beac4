// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_result.h"

#include <QByteArray>
#include <QImage>
#include <QSize>

class QPainter;

namespace throttlescope::dashboard {

/// The command that makes the sweep, as a shell takes it.
QString sweepCommandLine(const SweepResult &result);

/// One sweep in a page: its command, what it comes to in words, charts as vectors, the Pareto set, the table of all points.
QByteArray sweepSection(const SweepPointer &result);
/// The same on one sheet, without the table.
void paintSweepSheet(QPainter &painter, const QSize &size, const SweepPointer &result);
QImage sweepPicture(const QSize &size, double scale, const SweepPointer &result);

} // namespace throttlescope::dashboard
