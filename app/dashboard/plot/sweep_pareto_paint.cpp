// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/chart_frame.h"
#include "app/dashboard/plot/sweep_paint.h"
#include "app/dashboard/theme/heat_scale.h"
#include "app/dashboard/theme/look.h"
#include "app/dashboard/theme/tokens.h"
#include "simulator/sweep/sweep_words.h"

#include <QObject>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

double radiusOf(const ParetoDot &dot)
{
    return (4 + 7 * dot.size) * textScale();
}

void paintDot(QPainter &painter, const QPointF &at, const ParetoDot &dot, bool chosen)
{
    const double radius = radiusOf(dot);
    painter.setPen(QPen{dot.inSet ? tokens().text : tokens().muted, dot.inSet ? 2.0 : 1.0});
    painter.setBrush(dot.inSet ? heatColour(0.35 + 0.65 * dot.size, shownLook()) : tokens().panel);
    painter.drawEllipse(at, radius, radius);
    painter.setBrush(Qt::NoBrush);
    if (chosen) {
        painter.setPen(QPen{tokens().accent, 2});
        painter.drawEllipse(at, radius + 4, radius + 4);
    }
}

/// "30s · 2": the values alone, for the axes are named once.
QString valuesOf(const SweepResult &result, std::size_t point)
{
    QString text;
    for (std::size_t i = 0; i < result.axes.size(); ++i)
        text += (text.isEmpty() ? QString{} : QStringLiteral(" · ")) + words(result.axes[i].shortValue(result.points[point].at[i]));
    return text;
}

/// Beside its dot, where no other label is and no dot, or at least none of the set.
class DotLabels {
public:
    DotLabels(QPainter &painter, const QRectF &room)
        : m_painter(painter)
        , m_room(room)
    {
    }
    void keepClear(const QRectF &place, bool always) { (always ? m_taken : m_better).push_back(place); }
    void write(const QPointF &at, double radius, const QString &text)
    {
        if (!tried(at, radius, text, true))
            tried(at, radius, text, false);
    }

private:
    bool tried(const QPointF &at, double radius, const QString &text, bool strict)
    {
        const double wide = widthOf(m_painter, text) + 4, high = 15 * textScale();
        for (const QPointF corner :
            {QPointF{at.x() + radius + 4, at.y() - high / 2}, QPointF{at.x() - radius - 4 - wide, at.y() - high / 2},
                QPointF{at.x() - wide / 2, at.y() - radius - 3 - high}, QPointF{at.x() - wide / 2, at.y() + radius + 3}}) {
            const QRectF place{corner, QSizeF{wide, high}};
            const auto meets = [&place](const QRectF &other) { return other.intersects(place); };
            const bool taken
                = std::any_of(m_taken.begin(), m_taken.end(), meets) || (strict && std::any_of(m_better.begin(), m_better.end(), meets));
            if (taken || !m_room.contains(place))
                continue;
            m_painter.setPen(tokens().text);
            m_painter.drawText(place, Qt::AlignCenter, text);
            m_taken.push_back(place);
            return true;
        }
        return false;
    }

    QPainter &m_painter;
    QRectF m_room;
    std::vector<QRectF> m_taken, m_better;
};

} // namespace

void paintPareto(QPainter &painter, const QRectF &room, const SweepScene &scene, SweepPlaces *places)
{
    const ParetoChart chart = paretoChart(*scene.result);
    if (chart.dots.empty()) {
        painter.setFont(textFont(TextSize::Body));
        painter.setPen(tokens().muted);
        painter.drawText(room, Qt::AlignCenter | Qt::TextWordWrap,
            QObject::tr("Nothing to choose from: succeeded, finish and attempts were not all measured."));
        return;
    }
    const auto ticks = valueTicks(chart.up, "operations.succeeded");
    // Room at the edges, so that a large dot stays whole.
    ScaleRange across = chart.across, up = chart.up;
    across.most *= 1.04;
    up.least -= chart.up.most * 0.04;
    up.most *= 1.06;
    const ChartFrame frame{painter, room, across, up, ticks};
    const QString attempts
        = words(metricText("attempts", chart.leastAttempts)) + QStringLiteral("–") + words(metricText("attempts", chart.mostAttempts));
    frame.title(QObject::tr("succeeded"),
        QObject::tr("over finish, attempts (%1) as size and shade: the best are top left and small").arg(attempts));
    frame.gridUp(ticks);
    frame.ticksAcross(valueTicks(chart.across, "finish"), QObject::tr("finish"));
    const auto placeOf = [&frame](const ParetoDot &each) { return QPointF{frame.x(each.finish), frame.y(each.succeeded)}; };
    DotLabels labels{painter, room.adjusted(0, ChartFrame::kTitle * textScale(), 0, -ChartFrame::kBelow * textScale())};
    for (const ParetoDot &each : chart.dots) {
        paintDot(painter, placeOf(each), each, scene.chosen == each.point);
        const double radius = radiusOf(each);
        const QRectF around{placeOf(each) - QPointF{radius, radius}, QSizeF{2 * radius, 2 * radius}};
        labels.keepClear(around, each.inSet);
        if (places)
            places->push_back({around.adjusted(-3, -3, 3, 3), each.point});
    }
    painter.setFont(textFont(TextSize::Label, QFont::DemiBold));
    for (const ParetoDot &each : chart.dots) {
        if (each.inSet || scene.chosen == each.point)
            labels.write(placeOf(each), radiusOf(each) + 2, valuesOf(*scene.result, each.point));
    }
}

} // namespace throttlescope::dashboard
