// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/theme/tokens.h"

#include <QBrush>
#include <QPainter>
#include <QPointF>

/// Shapes: what a colour means is told by a form, too, so that a greyscale picture says the same.
namespace throttlescope::dashboard {

/// Square, triangle, diamond, cross, ring, bar, circle, by outcome; centred, `size` pixels across.
void drawOutcome(QPainter &painter, const QPointF &centre, double size, AttemptOutcome outcome, const Tokens &tokens);
/// ✕: a wait that was too long, or another refusal.
void drawRefusal(QPainter &painter, const QPointF &centre, double size, const Tokens &tokens);
/// ▲ (opened), ◆ (half-open), ▼ (closed) at the top of a band.
void drawTick(QPainter &painter, const QPointF &centre, double height, const QColor &colour);
/// Diagonal lines on a wait's colour. `vector`: for a device that draws no pixels.
QBrush hatch(const QColor &colour, const QColor &background, bool vector = false);

} // namespace throttlescope::dashboard
