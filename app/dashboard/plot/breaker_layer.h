// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/plot_layer.h"

namespace throttlescope::dashboard {

/// The state of the breaker as a band, and the tokens of the budget under it, of the first scope that has one.
class BreakerLayer final : public PlotLayer {
public:
    using PlotLayer::PlotLayer;

    Row rowAt(const QPointF &position) const override;
    void fitValueAxis() override { valueAxis()->setRange(0, 1); }

protected:
    void draw(QCPPainter *painter) override;

private:
    QRectF band() const;
    void drawState(QCPPainter *painter) const;
    void drawTokens(QCPPainter *painter) const;
    void drawWord(QCPPainter *painter, double top, const QString &word) const;
};

} // namespace throttlescope::dashboard
