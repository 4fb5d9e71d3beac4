// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/windows_layer.h"

namespace throttlescope::dashboard {

namespace {

constexpr int kMostCrowded = 64; ///< pixel columns that hold several samples

/// Of a line that runs up and down in each pixel neither its width nor its gaps are seen, and Qt strokes one of a pixel many
/// times faster.
QPen thin(QPen pen)
{
    pen.setWidth(1);
    return pen;
}

} // namespace

void WindowsLayer::fitValueAxis()
{
    double most = 100;
    for (const WindowSeries &window : m_data.series->windows()) {
        const LodColumn all = window.used.summary(0, window.used.size());
        if (all.count > 0)
            most = std::max(most, static_cast<double>(all.most));
    }
    valueAxis()->setRange(0, most * 1.06);
}

/// The first is the accent's, the others are told apart by their strokes.
QPen WindowsLayer::penOf(std::size_t index) const
{
    constexpr std::array styles{Qt::SolidLine, Qt::DotLine, Qt::DashLine, Qt::DashDotLine};
    QPen pen{index == 0 ? tokens().accent : tokens().muted, index == 0 ? 1.8 : 1.4, styles[index % styles.size()]};
    if (index >= kMostLines)
        pen.setColor(tokens().line);
    return pen;
}

void WindowsLayer::draw(QCPPainter *painter)
{
    const auto &windows = m_data.series->windows();
    if (m_data.ghost && !m_data.ghost->windows().empty())
        drawWindow(painter, m_data.ghost->windows().front(), m_data.ghostEnd(), ghostPen());
    for (std::size_t i = windows.size(); i-- > 0;)
        drawWindow(painter, windows[i], m_data.now, penOf(i));
    if (!windows.empty())
        drawResets(painter, windows.front());
    drawNames(painter);
    if (windows.empty() && m_data.store->rowCount() > 0) {
        painter->setPen(tokens().muted);
        painter->setFont(textFont(TextSize::Body));
        painter->drawText(area(), Qt::AlignCenter, QObject::tr("No window: the server told of none."));
    }
}

/// Steps from sample to sample; where a pixel has several, a line from its least to its most.
void WindowsLayer::drawWindow(QCPPainter *painter, const WindowSeries &window, MonotonicTime end, const QPen &pen) const
{
    const PixelRange range = pixels();
    std::vector<LodColumn> columns;
    window.used.read(range, columns);
    const auto [first, last] = window.used.between(range.from, range.to);
    double before = first > 0 ? static_cast<double>(window.used.sample(first - 1).value) : 0;
    std::size_t next = first;
    int crowded = 0;
    QPolygonF line;
    line << QPointF{area().left(), y(before)};
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (columns[column].count == 0)
            continue;
        const double at = area().left() + static_cast<double>(column);
        line << QPointF{at, y(before)} << QPointF{at, y(columns[column].most)} << QPointF{at, y(columns[column].least)};
        next += columns[column].count;
        crowded += columns[column].count > 1 ? 1 : 0;
        before = static_cast<double>(window.used.sample(next - 1).value);
        line << QPointF{at, y(before)};
    }
    if (first < last || first > 0)
        line << QPointF{std::min(area().right(), x(end)), y(before)};
    const bool isCrowded = crowded > kMostCrowded;
    painter->setPen(isCrowded ? thin(pen) : pen);
    painter->setBrush(Qt::NoBrush);
    painter->setAntialiasing(!isCrowded); // it goes up and down along whole pixels
    painter->drawPolyline(line);
    painter->setAntialiasing(true);
}

void WindowsLayer::drawResets(QCPPainter *painter, const WindowSeries &window) const
{
    const PixelRange range = pixels();
    const auto begin = std::lower_bound(window.resets.begin(), window.resets.end(), range.from);
    const auto end = std::lower_bound(begin, window.resets.end(), range.to);
    if (end - begin > range.width / 8)
        return; // closer than they could be told apart
    painter->setPen(Qt::NoPen);
    painter->setBrush(tokens().muted);
    for (auto each = begin; each != end; ++each) {
        const QPointF tip{x(*each), area().bottom() - 7};
        painter->drawPolygon(QPolygonF{{tip, tip + QPointF{4, 7}, tip + QPointF{-4, 7}}});
    }
}

void WindowsLayer::drawNames(QCPPainter *painter) const
{
    const auto &windows = m_data.series->windows();
    painter->setFont(textFont(TextSize::Label, QFont::DemiBold));
    painter->save();
    painter->setClipping(false);
    double right = area().right();
    for (std::size_t i = std::min(windows.size(), kMostLines); i-- > 0;) {
        const std::string_view limit = m_data.store->text(windows[i].limit);
        const std::string_view key = m_data.store->text(windows[i].key);
        QString name = QString::fromUtf8(limit.data(), static_cast<qsizetype>(limit.size()));
        if (!key.empty() && !m_hideNames)
            name += ' ' + QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()));
        name += ' ' + QString::number(windows[i].quota);
        const double width = QFontMetricsF{painter->font()}.horizontalAdvance(name);
        const QRectF place{right - width - 30, double(m_rect->outerRect().top()), width + 30.0, 18 * textScale()};
        if (place.left() < area().left() + 70)
            continue; // no room beside the title
        painter->setPen(penOf(i));
        painter->drawLine(QPointF{place.left() + 4, place.center().y()}, QPointF{place.left() + 26, place.center().y()});
        painter->setPen(i == 0 ? tokens().accent : tokens().muted);
        painter->drawText(place.adjusted(30, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, name);
        right = place.left() - 14;
    }
    painter->restore();
}

/// The last change of the first window before that moment.
Row WindowsLayer::rowAt(const QPointF &position) const
{
    if (m_data.series->windows().empty())
        return kNoRow;
    const LodSeries &used = m_data.series->windows().front().used;
    const auto [begin, end] = used.between(MonotonicTime::min(), momentAt(keyAxis()->pixelToCoord(position.x() + 3)));
    return begin < end ? used.sample(end - 1).row : kNoRow;
}

} // namespace throttlescope::dashboard
