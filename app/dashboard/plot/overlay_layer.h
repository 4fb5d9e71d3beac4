// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/plot_layer.h"

#include <array>

namespace throttlescope::dashboard {

/// What goes through all four plots: resets, labels of the timeline, policy changes, the selected moment and span; and the
/// titles with the legend.
class OverlayLayer final : public QCPLayerable {
public:
    struct Pane {
        QCPAxisRect *rect;
        QString title;
    };

    /// Under what the plots draw, or over it.
    enum class Part { Below, Above };

    OverlayLayer(QCustomPlot *plot, Part part, std::vector<Pane> panes, const PlotData &data, const PlotSelection &selection)
        : QCPLayerable(plot, part == Part::Below ? QStringLiteral("grid") : QStringLiteral("overlay"))
        , m_part(part)
        , m_panes(std::move(panes))
        , m_data(data)
        , m_selection(selection)
    {
    }
    /// The span that is being drawn with the mouse.
    void setRubber(std::optional<std::pair<double, double>> seconds) { m_rubber = seconds; }
    void setLanesTitle(const QString &title) { m_panes.front().title = title; }
    void setHideNames(bool hide) { m_hideNames = hide; }

protected:
    void draw(QCPPainter *painter) override;
    void applyDefaultAntialiasingHint(QCPPainter *painter) const override { applyAntialiasingHint(painter, true, QCP::aeAll); }

private:
    double x(double seconds) const { return m_panes.front().rect->axis(QCPAxis::atBottom)->coordToPixel(seconds); }
    double x(MonotonicTime time) const { return x(secondsAt(time)); }
    QRectF whole() const { return QRectF{m_panes.front().rect->rect().topLeft(), m_panes.back().rect->rect().bottomRight()}; }
    bool isInside(double at) const { return at >= whole().left() && at <= whole().right(); }
    void drawThrough(QCPPainter *painter, double at, const QPen &pen) const;
    void drawResets(QCPPainter *painter) const;
    void drawLabels(QCPPainter *painter) const;
    void drawSpan(QCPPainter *painter, double from, double to) const;
    void drawTitles(QCPPainter *painter) const;
    void drawLegend(QCPPainter *painter, double top) const;

    Part m_part;
    std::vector<Pane> m_panes;
    const PlotData &m_data;
    const PlotSelection &m_selection;
    std::optional<std::pair<double, double>> m_rubber;
    bool m_hideNames = false;
};

} // namespace throttlescope::dashboard
