// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QPainter>
#include <array>

namespace throttlescope::dashboard {

/// A mark that stands in many places of a plot: painted once for each quarter of a pixel, then copied. Where the device is a
/// drawing or of another scale it is painted each time.
template <typename Draw>
class Stamp {
public:
    /// `draw(painter, centre)` paints nothing farther from the centre than `reach`.
    Stamp(QPainter &painter, double reach, bool copies, Draw draw)
        : m_painter(painter)
        , m_reach(static_cast<int>(reach) + 2)
        , m_copies(copies)
        , m_draw(std::move(draw))
    {
    }

    void at(const QPointF &centre)
    {
        if (!m_copies)
            return m_draw(m_painter, centre);
        const QTransform transform = m_painter.deviceTransform();
        const QPointF place = transform.map(centre);
        const int x = qRound(place.x() * kParts), y = qRound(place.y() * kParts);
        const QPoint whole{floored(x), floored(y)};
        const QImage &image = painted(x - whole.x() * kParts, y - whole.y() * kParts);
        const double scale = transform.m11();
        m_painter.drawImage((QPointF{whole} - QPointF{transform.dx(), transform.dy()}) / scale - QPointF(m_reach, m_reach), image);
    }

private:
    static constexpr int kParts = 4;
    static int floored(int quarters) { return (quarters - (quarters < 0 ? kParts - 1 : 0)) / kParts; }

    const QImage &painted(int x, int y)
    {
        QImage &image = m_images[static_cast<std::size_t>(y) * kParts + static_cast<std::size_t>(x)];
        if (!image.isNull())
            return image;
        const double scale = m_painter.device()->devicePixelRatioF();
        image = QImage{QSize{2 * m_reach + 1, 2 * m_reach + 1} * scale, QImage::Format_ARGB32_Premultiplied};
        image.setDevicePixelRatio(scale);
        image.fill(Qt::transparent);
        QPainter painter{&image};
        painter.setRenderHint(QPainter::Antialiasing);
        m_draw(painter, QPointF(m_reach, m_reach) + QPointF(x, y) / (kParts * scale));
        return image;
    }

    QPainter &m_painter;
    int m_reach;
    bool m_copies;
    Draw m_draw;
    std::array<QImage, kParts * kParts> m_images;
};

} // namespace throttlescope::dashboard
