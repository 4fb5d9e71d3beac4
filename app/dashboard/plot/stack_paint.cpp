// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/stack_paint.h"

#include "app/dashboard/theme/marks.h"

#include <QPaintDevice>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace throttlescope::dashboard {

namespace {

constexpr int kTile = 8; ///< pixels after which a pattern of Qt's begins anew
constexpr int kWhole = 256; ///< of a pixel, covered

/// A pattern as Qt paints it, at any pixel.
class Tile {
public:
    explicit Tile(const QBrush &brush)
    {
        QImage image{kTile, kTile, QImage::Format_ARGB32_Premultiplied};
        image.fill(Qt::transparent);
        QPainter{&image}.fillRect(image.rect(), brush);
        for (int y = 0; y < kTile; ++y) {
            for (int x = 0; x < kTile; ++x)
                m_pixels[placeOf(x, y)] = reinterpret_cast<const QRgb *>(image.constScanLine(y))[x];
        }
    }
    QRgb at(int x, int y) const { return m_pixels[placeOf(x & (kTile - 1), y & (kTile - 1))]; }

private:
    static std::size_t placeOf(int x, int y) { return static_cast<std::size_t>(y) * kTile + static_cast<std::size_t>(x); }

    std::array<QRgb, kTile * kTile> m_pixels{};
};

QRgb times(QRgb colour, int share)
{
    const quint32 odd = (((colour >> 8) & 0xff00ffU) * static_cast<quint32>(share)) & 0xff00ff00U;
    const quint32 even = (((colour & 0xff00ffU) * static_cast<quint32>(share)) >> 8) & 0xff00ffU;
    return odd | even;
}

void blend(QRgb &below, QRgb colour, int share)
{
    const QRgb above = times(colour, share);
    below = above + times(below, kWhole - qAlpha(above) - (qAlpha(above) >> 7));
}

/// How much of that pixel lies between two edges.
int covered(int pixel, double from, double to)
{
    return static_cast<int>(std::lround(std::max(0.0, std::min(to, pixel + 1.0) - std::max(from, double(pixel))) * kWhole));
}

} // namespace

QBrush stackBrush(AttemptOutcome outcome, const Tokens &tokens)
{
    const QColor colour = colourOf(outcome, tokens);
    switch (outcome) {
    case AttemptOutcome::RateLimited: return QBrush{colour, Qt::Dense2Pattern};
    case AttemptOutcome::Ambiguous: return QBrush{colour, Qt::BDiagPattern};
    case AttemptOutcome::Transport:
    case AttemptOutcome::Interrupted: return QBrush{colour, Qt::CrossPattern};
    case AttemptOutcome::Success:
    case AttemptOutcome::Permanent:
    case AttemptOutcome::Cancelled: break;
    }
    return colour;
}

void paintStack(QPainter &painter, const std::vector<StackBox> &boxes, const Tokens &tokens)
{
    painter.setPen(Qt::NoPen);
    for (const StackBox &box : boxes) {
        painter.setBrush(stackBrush(box.outcome, tokens));
        painter.drawRect(box.place);
    }
}

bool pixelsAreTheDevices(const QPainter &painter)
{
    const QTransform transform = painter.deviceTransform();
    const double scale = painter.device()->devicePixelRatioF();
    return scale == std::floor(scale) && transform.type() <= QTransform::TxScale && transform.m11() == scale && transform.m22() == scale;
}

void StackPixels::paint(QPainter &painter, const QRect &area, const std::vector<StackBox> &boxes, const Tokens &tokens)
{
    const int scale = qRound(painter.device()->devicePixelRatioF());
    const QRect room{area.topLeft() * scale, area.size() * scale};
    const QPointF shift{painter.deviceTransform().dx(), painter.deviceTransform().dy()}; // QCustomPlot's, by half a pixel
    if (m_image.size() != room.size())
        m_image = QImage{room.size(), QImage::Format_ARGB32_Premultiplied};
    m_image.setDevicePixelRatio(scale);
    m_image.fill(Qt::transparent);
    const QPoint begin{qRound(shift.x()), qRound(shift.y())}; // of the patterns
    std::array<std::optional<Tile>, kAttemptOutcomes> tiles;
    std::vector<int> across;
    for (const StackBox &box : boxes) {
        std::optional<Tile> &tile = tiles[static_cast<std::size_t>(box.outcome)];
        if (!tile)
            tile.emplace(stackBrush(box.outcome, tokens));
        const QRectF place{box.place.topLeft() * scale + shift, box.place.size() * scale};
        const QRect within = place.toAlignedRect() & room;
        across.clear();
        for (int x = within.left(); x <= within.right(); ++x)
            across.push_back(covered(x, place.left(), place.right()));
        for (int y = within.top(); y <= within.bottom(); ++y) {
            const int down = covered(y, place.top(), place.bottom());
            auto *pixel = reinterpret_cast<QRgb *>(m_image.scanLine(y - room.top())) + (within.left() - room.left());
            for (int x = within.left(); x <= within.right(); ++x, ++pixel) {
                const QRgb colour = tile->at(x - begin.x(), y - begin.y());
                const int share = across[static_cast<std::size_t>(x - within.left())] * down / kWhole;
                if (qAlpha(colour) != 0) // a gap of the pattern
                    share == kWhole ? void(*pixel = colour) : blend(*pixel, colour, share);
            }
        }
    }
    painter.save();
    painter.resetTransform();
    painter.drawImage(area.topLeft(), m_image);
    painter.restore();
}

} // namespace throttlescope::dashboard
