// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/chart_frame.h"

#include "app/dashboard/theme/tokens.h"

#include <QFontMetricsF>
#include <algorithm>

namespace throttlescope::dashboard {

QString words(const std::string &text)
{
    return QString::fromStdString(text);
}

double widthOf(const QPainter &painter, const QString &text)
{
    return QFontMetricsF{painter.font()}.horizontalAdvance(text);
}

ChartFrame::ChartFrame(
    QPainter &painter, const QRectF &room, const ScaleRange &across, const ScaleRange &up, const std::vector<Tick> &ticks)
    : m_painter(painter)
    , m_room(room)
    , m_across(across)
    , m_up(up)
{
    painter.setFont(textFont(TextSize::Label));
    double left = 24 * textScale();
    for (const Tick &tick : ticks)
        left = std::max(left, widthOf(painter, words(tick.text)) + 8);
    m_plot = room.adjusted(left, kTitle * textScale(), -10, -kBelow * textScale());
}

void ChartFrame::title(const QString &name, const QString &remark) const
{
    const QRectF line{m_room.left(), m_room.top(), m_room.width(), 16 * textScale()};
    m_painter.setFont(textFont(TextSize::Body, QFont::DemiBold));
    m_painter.setPen(tokens().text);
    m_painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, name);
    const double used = widthOf(m_painter, name) + 8;
    m_painter.setFont(textFont(TextSize::Label));
    m_painter.setPen(tokens().muted);
    const QString fitting = QFontMetricsF{m_painter.font()}.elidedText(remark, Qt::ElideRight, line.width() - used);
    m_painter.drawText(line.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, fitting);
}

void ChartFrame::gridUp(const std::vector<Tick> &ticks) const
{
    m_painter.setFont(textFont(TextSize::Label));
    const double half = 8 * textScale();
    double last = m_plot.bottom() + 4 * half;
    for (const Tick &tick : ticks) {
        const double at = y(tick.at);
        m_painter.setPen(tokens().grid);
        m_painter.drawLine(QPointF{m_plot.left(), at}, QPointF{m_plot.right(), at});
        if (last - at < 2 * half)
            continue;
        last = at;
        m_painter.setPen(tokens().muted);
        m_painter.drawText(QRectF{m_room.left(), at - half, m_plot.left() - m_room.left() - 8, 2 * half}, Qt::AlignRight | Qt::AlignVCenter,
            words(tick.text));
    }
}

void ChartFrame::ticksAcross(const std::vector<Tick> &ticks, const QString &name) const
{
    m_painter.setFont(textFont(TextSize::Label));
    const double top = m_plot.bottom() + 4, height = 16 * textScale();
    double limit = m_room.right();
    if (!name.isEmpty()) {
        const double wide = widthOf(m_painter, name);
        m_painter.setPen(tokens().muted);
        m_painter.drawText(QRectF{m_room.right() - wide - 2, top, wide + 2, height}, Qt::AlignRight | Qt::AlignVCenter, name);
        limit = m_room.right() - wide - 12;
    }
    double end = m_room.left() - 8;
    m_painter.setPen(tokens().muted);
    for (const Tick &tick : ticks) {
        const double wide = widthOf(m_painter, words(tick.text)) + 2, begin = std::min(x(tick.at) - wide / 2, limit - wide);
        if (begin < end + 8 || x(tick.at) > limit + 8)
            continue;
        m_painter.drawText(QRectF{begin, top, wide, height}, Qt::AlignCenter, words(tick.text));
        end = begin + wide;
    }
}

} // namespace throttlescope::dashboard
