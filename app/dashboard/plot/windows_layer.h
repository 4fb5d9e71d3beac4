// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/plot_layer.h"

namespace throttlescope::dashboard {

/// How full the servers' windows are, used of quota in %; resets as triangles below.
class WindowsLayer final : public PlotLayer {
public:
    static constexpr std::size_t kMostLines = 6; ///< with a name; more are drawn faintly without

    using PlotLayer::PlotLayer;

    Row rowAt(const QPointF &position) const override;
    void fitValueAxis() override;
    /// Of clients; a window's own name is the provider's.
    void setHideNames(bool hide) { m_hideNames = hide; }

protected:
    void draw(QCPPainter *painter) override;

private:
    void drawWindow(QCPPainter *painter, const WindowSeries &window, MonotonicTime end, const QPen &pen) const;
    void drawResets(QCPPainter *painter, const WindowSeries &window) const;
    void drawNames(QCPPainter *painter) const;
    QPen penOf(std::size_t index) const;

    bool m_hideNames = false;
};

} // namespace throttlescope::dashboard
