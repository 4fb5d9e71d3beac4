// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/plot_data.h"
#include "app/dashboard/theme/tokens.h"

#include "app/dashboard/plot/qcp.h"

namespace throttlescope::dashboard {

/// Draws one plot into its axis rect, from the level of detail that its pixels need. Picks what is under the mouse.
class PlotLayer : public QCPLayerable {
public:
    PlotLayer(QCPAxisRect *rect, const PlotData &data, const PlotSelection &selection)
        : QCPLayerable(rect->parentPlot(), QStringLiteral("main"))
        , m_rect(rect)
        , m_data(data)
        , m_selection(selection)
    {
    }

    /// The row that a click there means; kNoRow: none.
    virtual Row rowAt(const QPointF &position) const = 0;
    /// Before a replot: what the value axis must show.
    virtual void fitValueAxis() { }
    QCPAxisRect *axisRect() const { return m_rect; }

protected:
    QRect clipRect() const override { return m_rect->rect(); }
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override { applyAntialiasingHint(painter, true, QCP::aeAll); }

    QCPAxis *keyAxis() const { return m_rect->axis(QCPAxis::atBottom); }
    QCPAxis *valueAxis() const { return m_rect->axis(QCPAxis::atLeft); }
    double x(MonotonicTime time) const { return keyAxis()->coordToPixel(secondsAt(time)); }
    double y(double value) const { return valueAxis()->coordToPixel(value); }
    QRectF area() const { return m_rect->rect(); }
    /// A column a pixel; the first at area().left().
    PixelRange pixels() const
    {
        const QCPRange range = keyAxis()->range();
        return {momentAt(range.lower), momentAt(range.upper), m_rect->rect().width()};
    }
    /// What the baseline did, behind what this run does.
    QPen ghostPen() const { return {tokens().muted, 1, Qt::DashLine}; }
    /// The rare event of these kinds that is drawn nearest, within a few pixels.
    Row nearestRare(const QPointF &position, RareSet wanted) const
    {
        std::vector<RareMark> marks;
        m_data.series->rareEvents().read(pixels(), marks);
        constexpr double reach = 6;
        Row found = kNoRow;
        double nearest = reach;
        for (const RareMark &mark : marks) {
            const double distance = std::abs(area().left() + mark.column - position.x());
            if (wanted.has(mark.rare) && distance <= nearest) {
                nearest = distance;
                found = mark.first;
            }
        }
        return found;
    }

    QCPAxisRect *m_rect;
    const PlotData &m_data;
    const PlotSelection &m_selection;
};

} // namespace throttlescope::dashboard
