// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/plot_layer.h"

namespace throttlescope::dashboard {

/// The delays that were decided, in logarithmic seconds, and the `max_wait` they were held against: a line that can be dragged.
class WaitsLayer final : public PlotLayer {
public:
    using PlotLayer::PlotLayer;

    Row rowAt(const QPointF &position) const override;
    void fitValueAxis() override;
    bool isOnMaxWait(const QPointF &position) const;
    /// What max_wait would be, dragged there.
    Duration maxWaitAt(const QPointF &position) const;
    void setMaxWaitHeld(bool held) { m_held = held; }

protected:
    void draw(QCPPainter *painter) override;

private:
    void drawGhost(QCPPainter *painter) const;
    void drawWaits(QCPPainter *painter) const;
    void drawLimit(QCPPainter *painter) const;
    void drawGhostName(QCPPainter *painter, double at) const;

    bool m_held = false; ///< the line is being dragged: the axis stays
};

} // namespace throttlescope::dashboard
