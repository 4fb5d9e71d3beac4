// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/elided_label.h"

#include <QPainter>
#include <QStyle>

namespace throttlescope::dashboard {

QSize ElidedLabel::minimumSizeHint() const
{
    return {1, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent *)
{
    QPainter painter{this};
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, width());
    style()->drawItemText(&painter, rect(), static_cast<int>(alignment()), palette(), isEnabled(), shown, foregroundRole());
}

} // namespace throttlescope::dashboard
