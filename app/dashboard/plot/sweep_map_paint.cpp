// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/chart_frame.h"
#include "app/dashboard/plot/sweep_paint.h"
#include "app/dashboard/theme/heat_scale.h"
#include "app/dashboard/theme/look.h"
#include "app/dashboard/theme/tokens.h"
#include "core/engine/words.h"
#include "simulator/sweep/sweep_words.h"

#include <QLinearGradient>
#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace throttlescope::dashboard {

namespace {

constexpr double kBetweenCells = 1.5; ///< between cells

/// The places of a scale's values, one a step.
std::vector<Tick> stepsOf(const SweepAxis &axis)
{
    std::vector<Tick> steps;
    for (const std::string &value : axis.axis.values)
        steps.push_back({static_cast<double>(steps.size()), axis.shortValue(value)});
    return steps;
}

ScaleRange placesFor(std::size_t count)
{
    return {-0.5, static_cast<double>(count) - 0.5, false};
}

/// Lines, not a brush: a brush's pattern is of pixels, and lost in a vector drawing.
void hatchCell(QPainter &painter, const QRectF &cell, const QColor &colour)
{
    painter.save();
    painter.setClipRect(cell, Qt::IntersectClip);
    painter.setPen(QPen{colour, 1});
    for (double x = cell.left() - cell.height(); x < cell.right(); x += 7) {
        // Cut by hand as well: Qt's writer of SVG knows no clip.
        const double from = std::max(x, cell.left()), to = std::min(x + cell.height(), cell.right());
        if (from < to)
            painter.drawLine(QPointF{from, cell.bottom() - (from - x)}, QPointF{to, cell.bottom() - (to - x)});
    }
    painter.restore();
}

/// Faint to strong, with the ends as numbers.
void scaleLegend(QPainter &painter, const QRectF &room, const std::string &metric, const HeatMap &map)
{
    painter.setFont(textFont(TextSize::Label));
    const QString least = words(metricText(metric, map.least)), most = words(metricText(metric, map.most));
    const double bar = 90 * textScale(), high = 10 * textScale(), middle = room.top() + 8 * textScale();
    double right = room.right() - 10;
    painter.setPen(tokens().muted);
    painter.drawText(
        QRectF{right - widthOf(painter, most) - 2, middle - 10, widthOf(painter, most) + 2, 20}, Qt::AlignRight | Qt::AlignVCenter, most);
    right -= widthOf(painter, most) + 8;
    QLinearGradient gradient{QPointF{right - bar, 0}, QPointF{right, 0}};
    for (const double stop : {0.0, 0.25, 0.5, 0.75, 1.0})
        gradient.setColorAt(stop, heatColour(stop, shownLook()));
    painter.setPen(QPen{tokens().line, 1});
    painter.setBrush(gradient);
    painter.drawRect(QRectF{right - bar, middle - high / 2, bar, high});
    painter.setBrush(Qt::NoBrush);
    painter.setPen(tokens().muted);
    const double wide = widthOf(painter, least) + 2;
    painter.drawText(QRectF{right - bar - 6 - wide, middle - 10, wide, 20}, Qt::AlignRight | Qt::AlignVCenter, least);
}

/// As exact as it can be, and shorter where that does not fit.
QStringList numbersOf(const std::string &metric, double value)
{
    QStringList numbers{words(metricText(metric, value))};
    if (isDurationMetric(metric))
        numbers << words(durationText(durationFromSeconds(std::round(value))))
                << (value < 3600 ? QStringLiteral("%1m").arg(QString::number(value / 60, 'g', 2))
                                 : QStringLiteral("%1h").arg(QString::number(value / 3600, 'g', 2)));
    else if (value >= 1000)
        numbers << QStringLiteral("%1k").arg(QString::number(value / 1000, 'g', 3));
    return numbers;
}

void paintCell(QPainter &painter, const QRectF &place, const SweepScene &scene, const HeatCell &heat, const QStringList &numbers)
{
    if (!heat.point) {
        painter.setPen(QPen{tokens().line, 1, Qt::DotLine});
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(place.adjusted(0.5, 0.5, -0.5, -0.5));
        return;
    }
    const QColor colour = heatColour(heat.shade, shownLook()), ink = inkOn(colour);
    painter.fillRect(place, colour);
    if (heat.failed) {
        QColor lines = ink;
        lines.setAlphaF(0.30F);
        hatchCell(painter, place, lines);
    }
    painter.setFont(textFont(TextSize::Label, QFont::DemiBold));
    const double high = 15 * textScale();
    for (const QString &number : numbers) {
        const double wide = widthOf(painter, number) + 6;
        if (wide > place.width() - 2 || high > place.height() - 2)
            continue;
        const QRectF middle{place.center().x() - wide / 2, place.center().y() - high / 2, wide, high};
        painter.fillRect(middle, colour); // no hatch behind a number
        painter.setPen(ink);
        painter.drawText(middle, Qt::AlignCenter, number);
        break;
    }
    if (scene.chosen == heat.point) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen{ink, 1});
        painter.drawRect(place.adjusted(2.5, 2.5, -2.5, -2.5));
        painter.setPen(QPen{tokens().text, 2});
        painter.drawRect(place.adjusted(0, 0, 0, 0));
    }
}

} // namespace

void paintMap(QPainter &painter, const QRectF &room, const SweepScene &scene, std::size_t metric, SweepPlaces *places)
{
    const SweepResult &result = *scene.result;
    const std::string &name = result.header().metrics[metric];
    const HeatMap map = heatMap(result, metric, scene.across, scene.up, scene.chosen);
    const auto across = stepsOf(result.axes[scene.across]), up = stepsOf(result.axes[scene.up]);
    const ChartFrame frame{painter, room, placesFor(map.columns), placesFor(map.rows), up};
    frame.title(words(metricName(name)), {});
    scaleLegend(painter, room, name, map);
    frame.gridUp(up);
    frame.ticksAcross(across, {});
    std::optional<std::pair<QRectF, const HeatCell *>> chosen;
    for (std::size_t row = 0; row < map.rows; ++row) {
        for (std::size_t column = 0; column < map.columns; ++column) {
            const HeatCell &heat = map.at(column, row);
            const double x = static_cast<double>(column), y = static_cast<double>(row);
            const QRectF whole{QPointF{frame.x(x - 0.5), frame.y(y + 0.5)}, QPointF{frame.x(x + 0.5), frame.y(y - 0.5)}};
            const double gap = std::min({kBetweenCells, whole.width() / 6, whole.height() / 6});
            const QRectF place = whole.adjusted(gap / 2, gap / 2, -gap / 2, -gap / 2);
            if (heat.point && scene.chosen == heat.point)
                chosen = std::pair{place, &heat};
            paintCell(painter, place, scene, heat, numbersOf(name, heat.value));
            if (places && heat.point)
                places->push_back({whole, *heat.point});
        }
    }
    if (chosen) // its frame over its neighbours
        paintCell(painter, chosen->first, scene, *chosen->second, numbersOf(name, chosen->second->value));
}

} // namespace throttlescope::dashboard
