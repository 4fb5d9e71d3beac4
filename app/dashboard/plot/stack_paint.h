// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_kind.h"
#include "app/dashboard/theme/tokens.h"

#include <QImage>
#include <QPainter>
#include <QRect>
#include <vector>

namespace throttlescope::dashboard {

/// One outcome's part of one bar of the stack, in pixels of the plot.
struct StackBox {
    QRectF place;
    AttemptOutcome outcome;
};

/// What colour says, said again by a pattern.
QBrush stackBrush(AttemptOutcome outcome, const Tokens &tokens);

/// Box by box, in any scale and as a drawing.
void paintStack(QPainter &painter, const std::vector<StackBox> &boxes, const Tokens &tokens);

/// A pixel of the plot is one of the device, or a whole number of them.
bool pixelsAreTheDevices(const QPainter &painter);

/// The same pixels, for a painter of which pixelsAreTheDevices(). Qt makes a pattern anew for each box and hands a box's lines to
/// other threads, which are waited for: that is most of a frame. Here a box is a copy of a tile.
class StackPixels {
public:
    void paint(QPainter &painter, const QRect &area, const std::vector<StackBox> &boxes, const Tokens &tokens);

private:
    QImage m_image; ///< kept: its memory is a good part of what a frame would ask for
};

} // namespace throttlescope::dashboard
