// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/switch.h"

#include "app/dashboard/theme/tokens.h"

#include <QPainter>

namespace throttlescope::dashboard {

namespace {

constexpr int kBeside = 8;
constexpr int kAround = 3;

} // namespace

QSizeF Switch::track() const
{
    return QSizeF{26, 14} * textScale();
}

QSize Switch::sizeHint() const
{
    const QFontMetrics metrics{font()};
    return {qRound(track().width()) + kBeside + metrics.horizontalAdvance(text()) + 2 * kAround,
        std::max(qRound(track().height()), metrics.height()) + 2 * kAround};
}

void Switch::paintEvent(QPaintEvent *)
{
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens &colours = tokens();
    const QRectF bed{QPointF{kAround + 0.5, (height() - track().height()) / 2}, track()};
    const double radius = bed.height() / 2;
    painter.setPen(Qt::NoPen);
    painter.setBrush(isChecked() && isEnabled() ? colours.accent : colours.muted);
    painter.drawRoundedRect(bed, radius, radius);
    const double at = isChecked() ? bed.right() - radius : bed.left() + radius;
    painter.setBrush(colours.panel);
    painter.drawEllipse(QPointF{at, bed.center().y()}, radius - 2, radius - 2);
    painter.setPen(isEnabled() ? colours.text : colours.muted);
    painter.drawText(rect().adjusted(qRound(bed.right()) + kBeside, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(colours.accent);
        painter.drawRoundedRect(QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
}

} // namespace throttlescope::dashboard
