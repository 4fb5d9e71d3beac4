// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_charts.h"

#include <QPainter>
#include <QRectF>
#include <QString>
#include <vector>

namespace throttlescope::dashboard {

/// The place of one small chart, its scales and what is written around it: name, ticks, the horizontal grid.
class ChartFrame {
public:
    static constexpr double kTitle = 22, kBelow = 20; ///< at 100 % text

    /// `up` is scaled bottom to top; `ticks` are written at the left, which makes the room that they need.
    ChartFrame(QPainter &painter, const QRectF &room, const ScaleRange &across, const ScaleRange &up, const std::vector<Tick> &ticks);

    const QRectF &plot() const { return m_plot; }
    double x(double value) const { return m_plot.left() + m_plot.width() * m_across.shareOf(value); }
    double y(double value) const { return m_plot.bottom() - m_plot.height() * m_up.shareOf(value); }

    /// "succeeded" in ink, then muted words.
    void title(const QString &name, const QString &remark) const;
    void gridUp(const std::vector<Tick> &ticks) const;
    /// Those for which there is room, and `name` at the right end under them.
    void ticksAcross(const std::vector<Tick> &ticks, const QString &name) const;

private:
    QPainter &m_painter;
    QRectF m_room, m_plot;
    ScaleRange m_across, m_up;
};

QString words(const std::string &text);
/// As wide as it is drawn with the painter's font.
double widthOf(const QPainter &painter, const QString &text);

} // namespace throttlescope::dashboard
