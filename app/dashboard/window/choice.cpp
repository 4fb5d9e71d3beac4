// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/choice.h"

#include "app/dashboard/theme/tokens.h"

#include <QPainter>
#include <QWheelEvent>

namespace throttlescope::dashboard {

void Choice::paintEvent(QPaintEvent *event)
{
    QComboBox::paintEvent(event);
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen{tokens().muted, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin});
    const QPointF tip{width() - 9.0, height() / 2.0 + 2};
    painter.drawPolyline(QPolygonF{{tip + QPointF{-3.5, -3.5}, tip, tip + QPointF{3.5, -3.5}}});
}

void Choice::wheelEvent(QWheelEvent *event)
{
    event->ignore();
}

} // namespace throttlescope::dashboard
