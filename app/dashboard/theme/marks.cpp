// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/theme/marks.h"

#include <QPen>
#include <QPixmap>
#include <QPolygonF>

namespace throttlescope::dashboard {

void drawOutcome(QPainter &painter, const QPointF &centre, double size, AttemptOutcome outcome, const Tokens &tokens)
{
    const double r = size / 2;
    const QColor colour = colourOf(outcome, tokens);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    switch (outcome) {
    case AttemptOutcome::Success: painter.drawRect(QRectF{centre.x() - r * 0.8, centre.y() - r * 0.8, r * 1.6, r * 1.6}); break;
    case AttemptOutcome::RateLimited:
        painter.drawPolygon(
            QPolygonF{{centre.x(), centre.y() - r}, {centre.x() + r, centre.y() + r * 0.8}, {centre.x() - r, centre.y() + r * 0.8}});
        break;
    case AttemptOutcome::Ambiguous:
        painter.drawPolygon(QPolygonF{
            {centre.x(), centre.y() - r}, {centre.x() + r, centre.y()}, {centre.x(), centre.y() + r}, {centre.x() - r, centre.y()}});
        break;
    case AttemptOutcome::Transport:
        painter.setPen(QPen{colour, std::max(1.5, size / 5)});
        painter.drawLine(QPointF{centre.x() - r, centre.y()}, QPointF{centre.x() + r, centre.y()});
        painter.drawLine(QPointF{centre.x(), centre.y() - r}, QPointF{centre.x(), centre.y() + r});
        break;
    case AttemptOutcome::Interrupted:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen{colour, std::max(1.5, size / 5)});
        painter.drawEllipse(centre, r * 0.8, r * 0.8);
        break;
    case AttemptOutcome::Permanent: painter.drawRect(QRectF{centre.x() - r * 0.3, centre.y() - r, r * 0.6, size}); break;
    case AttemptOutcome::Cancelled: painter.drawEllipse(centre, r * 0.6, r * 0.6); break;
    }
}

void drawRefusal(QPainter &painter, const QPointF &centre, double size, const Tokens &tokens)
{
    const double r = size / 2;
    painter.setPen(QPen{tokens.text, std::max(1.2, size / 5), Qt::SolidLine, Qt::RoundCap});
    painter.drawLine(QPointF{centre.x() - r, centre.y() - r}, QPointF{centre.x() + r, centre.y() + r});
    painter.drawLine(QPointF{centre.x() - r, centre.y() + r}, QPointF{centre.x() + r, centre.y() - r});
}

void drawTick(QPainter &painter, const QPointF &centre, double height, const QColor &colour)
{
    painter.setPen(QPen{colour, 2});
    painter.drawLine(QPointF{centre.x(), centre.y() - height / 2}, QPointF{centre.x(), centre.y() + height / 2});
}

QBrush hatch(const QColor &colour, const QColor &background, bool vector)
{
    if (vector)
        return {colour, Qt::BDiagPattern};
    QPixmap tile{6, 6};
    QColor light = colour;
    light.setAlphaF(0.35F);
    tile.fill(background);
    QPainter painter{&tile};
    painter.fillRect(tile.rect(), light);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen{colour, 1.4});
    for (int x = -6; x <= 6; x += 6)
        painter.drawLine(QPointF(x, 6), QPointF(x + 6, 0));
    painter.end();
    return QBrush{tile};
}

} // namespace throttlescope::dashboard
