// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/plot_layer.h"
#include "app/dashboard/plot/stack_paint.h"

#include <array>
#include <optional>

namespace throttlescope::dashboard {

/// One row an operation: attempts by colour and shape, waits hatched, pacing dotted, the moment that the server asked for as a
/// tick, ✕ where it was given up. Where they are too many for rows: attempts a second, stacked by outcome.
class LanesLayer final : public PlotLayer {
public:
    static constexpr OperationIndex kMostLanes = 1'500; ///< in view

    using PlotLayer::PlotLayer;

    Row rowAt(const QPointF &position) const override;
    void fitValueAxis() override;
    bool showsLanes() const { return m_lanes; }

protected:
    void draw(QCPPainter *painter) override;

private:
    void drawGhostLanes(QCPPainter *painter, double height) const;
    void drawGhostStack(QCPPainter *painter) const;
    void drawLanes(QCPPainter *painter) const;
    using LastMark = std::optional<QPointF>;
    struct LastMarks {
        std::array<LastMark, kAttemptOutcomes> outcome;
        LastMark refusal;
    };
    void drawLane(QCPPainter *painter, const Lane &lane, double height, const QBrush &waits, LastMarks &last) const;
    bool hasRoom(const QPointF &at, LastMark &last) const;
    void drawStack(QCPPainter *painter);
    void drawRefusals(QCPPainter *painter) const;
    double laneHeight() const;

    bool m_lanes = true;
    OperationIndex m_first = 0, m_last = 0; ///< in view
    StackPixels m_pixels;
};

} // namespace throttlescope::dashboard
