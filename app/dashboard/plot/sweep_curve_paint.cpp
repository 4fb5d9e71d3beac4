// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/chart_frame.h"
#include "app/dashboard/plot/sweep_paint.h"
#include "app/dashboard/theme/tokens.h"
#include "simulator/scenario/text_values.h"
#include "simulator/sweep/sweep_words.h"

#include <QLineF>
#include <QObject>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

/// What succeeds is green as everywhere; nothing else has a colour of its own.
QColor lineColour(const std::string &metric)
{
    return metric == "operations.succeeded" ? tokens().success : tokens().text;
}

class CurvePainting {
public:
    CurvePainting(QPainter &painter, const QRectF &room, const SweepScene &scene, std::size_t metric)
        : m_painter(painter)
        , m_scene(scene)
        , m_metric(scene.result->header().metrics[metric])
        , m_curve(sweepCurve(*scene.result, metric))
        , m_ticks(valueTicks(m_curve.up, m_metric))
        , m_frame(painter, room, m_curve.across, m_curve.up, m_ticks)
    {
    }

    void paint()
    {
        const SweepAxis &axis = m_scene.result->axes.front();
        m_frame.title(words(metricName(m_metric)), QObject::tr("over %1").arg(words(axis.name)));
        m_frame.gridUp(m_ticks);
        m_frame.ticksAcross(axisTicks(axis), {});
        noteLines();
        known();
        if (axis.isAmount())
            lines();
        else
            ranges();
        dots();
        tips();
    }

    void places(SweepPlaces &places) const
    {
        const QRectF &plot = m_frame.plot();
        for (std::size_t i = 0; i < m_curve.points.size(); ++i) {
            const double here = m_frame.x(m_curve.points[i].at);
            const double left = i == 0 ? plot.left() - 4 : (here + m_frame.x(m_curve.points[i - 1].at)) / 2;
            const double right = i + 1 == m_curve.points.size() ? plot.right() + 4 : (here + m_frame.x(m_curve.points[i + 1].at)) / 2;
            places.push_back({QRectF{left, plot.top(), right - left, plot.height()}, m_curve.points[i].point});
        }
    }

private:
    QPolygonF along(double Spread::*value) const
    {
        QPolygonF line;
        for (const CurvePoint &point : m_curve.points)
            line << QPointF{m_frame.x(point.at), m_frame.y(point.spread.*value)};
        return line;
    }

    void lines()
    {
        const QColor colour = lineColour(m_metric);
        if (m_curve.isSpread) {
            QPolygonF band = along(&Spread::low);
            const QPolygonF upper = along(&Spread::high);
            std::copy(upper.rbegin(), upper.rend(), std::back_inserter(band));
            QColor faint = colour;
            faint.setAlphaF(0.18F);
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(faint);
            m_painter.drawPolygon(band);
            m_painter.setBrush(Qt::NoBrush);
            m_painter.setPen(QPen{colour, 1, Qt::DotLine});
            m_painter.drawPolyline(along(&Spread::worst));
        }
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen{colour, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin});
        m_painter.drawPolyline(along(&Spread::median));
    }

    /// Between words there is nothing.
    void ranges()
    {
        if (!m_curve.isSpread)
            return;
        QColor faint = lineColour(m_metric);
        faint.setAlphaF(0.4F);
        m_painter.setPen(QPen{faint, 5});
        for (const CurvePoint &point : m_curve.points)
            m_painter.drawLine(
                QPointF{m_frame.x(point.at), m_frame.y(point.spread.low)}, QPointF{m_frame.x(point.at), m_frame.y(point.spread.high)});
    }

    /// Hollow where it fails; so many that they would touch are left out.
    void dots()
    {
        const double apart = m_frame.plot().width() / static_cast<double>(std::max<std::size_t>(1, m_curve.points.size()));
        const double radius = apart >= 8 ? 3 : 1.5;
        for (const CurvePoint &point : m_curve.points) {
            const QPointF at{m_frame.x(point.at), m_frame.y(point.spread.median)};
            const bool chosen = m_scene.chosen == point.point;
            if (chosen) {
                m_painter.setPen(QPen{tokens().muted, 1});
                m_painter.drawLine(QPointF{at.x(), m_frame.plot().top()}, QPointF{at.x(), m_frame.plot().bottom()});
            }
            if (apart < 4 && !chosen)
                continue;
            m_painter.setPen(QPen{chosen ? tokens().accent : lineColour(m_metric), chosen ? 2.0 : 1.5});
            m_painter.setBrush(isFailed(m_scene.result->points[point.point]) ? tokens().panel : lineColour(m_metric));
            m_painter.drawEllipse(at, chosen ? 5 : radius, chosen ? 5 : radius);
        }
        m_painter.setBrush(Qt::NoBrush);
    }

    bool meetsCurve(const QRectF &place) const
    {
        const QPolygonF line = along(&Spread::median);
        const QLineF edges[]{{place.topLeft(), place.bottomRight()}, {place.bottomLeft(), place.topRight()}};
        for (qsizetype i = 0; i < line.size(); ++i) {
            const bool crossed = i > 0 && std::any_of(std::begin(edges), std::end(edges), [&](const QLineF &edge) {
                return edge.intersects(QLineF{line[i - 1], line[i]}, nullptr) == QLineF::BoundedIntersection;
            });
            if (crossed || place.adjusted(-4, -4, 4, 4).contains(line[i]))
                return true;
        }
        return false;
    }

    enum class Lines { Avoid, Cross };

    bool isClear(const QRectF &place, Lines lines) const
    {
        const auto meets = [&place](const QRectF &other) { return other.intersects(place); };
        const auto cuts = [&place](double line) { return line > place.left() - 3 && line < place.right() + 3; };
        return place.left() > m_frame.plot().left() && place.right() < m_frame.plot().right() + 8 && !meetsCurve(place)
            && std::none_of(m_notes.begin(), m_notes.end(), meets)
            && (lines == Lines::Cross || std::none_of(m_lines.begin(), m_lines.end(), cuts));
    }

    /// Beside a vertical line, from the top or from the bottom on, where the curve, other notes and, if it can be, other lines
    /// leave room.
    QRectF placeFor(double at, bool fromTop, const QSizeF &size) const
    {
        const QRectF &plot = m_frame.plot();
        const double top = fromTop ? plot.top() + 2 : plot.bottom() - size.height() - 3;
        const QRectF right{QPointF{at + 5, top}, size}, left{QPointF{at - 5 - size.width(), top}, size};
        for (const Lines lines : {Lines::Avoid, Lines::Cross}) {
            for (const QRectF &side : {right, left}) {
                for (double moved = 0; moved <= plot.height() - size.height() - 6; moved += 4) {
                    if (const QRectF tried = side.translated(0, fromTop ? moved : -moved); isClear(tried, lines))
                        return tried;
                }
            }
        }
        return right.right() > plot.right() + 8 ? left : right;
    }

    void note(double at, bool fromTop, const QString &text, const QColor &colour, QFont::Weight weight)
    {
        m_painter.setFont(textFont(TextSize::Label, weight));
        const QRectF place = placeFor(at, fromTop, {widthOf(m_painter, text) + 6, 15 * textScale()});
        m_notes.push_back(place);
        QColor ground = tokens().panel;
        ground.setAlphaF(0.85F);
        m_painter.fillRect(place, ground);
        m_painter.setPen(colour);
        m_painter.drawText(place, Qt::AlignCenter, text);
    }

    /// Before any note is placed.
    void noteLines()
    {
        const SweepAxis &axis = m_scene.result->axes.front();
        std::vector<std::string> values{axis.present, axis.standard};
        for (const TippingPoint &tip : m_scene.result->tips())
            values.push_back(tip.below);
        for (const std::string &value : values) {
            if (const auto place = value.empty() ? std::nullopt : axis.placeOf(value))
                m_lines.push_back(m_frame.x(*place));
        }
        for (const CurvePoint &point : m_curve.points) {
            if (m_scene.chosen == point.point)
                m_lines.push_back(m_frame.x(point.at));
        }
    }

    void known()
    {
        const SweepAxis &axis = m_scene.result->axes.front();
        const QRectF &plot = m_frame.plot();
        const auto mark = [&](const std::string &value, const QString &name, const QPen &pen, QFont::Weight weight) {
            const auto place = value.empty() ? std::nullopt : axis.placeOf(value);
            if (!place || *place < m_curve.across.least || *place > m_curve.across.most)
                return;
            const double at = m_frame.x(*place);
            m_painter.setPen(pen);
            m_painter.drawLine(QPointF{at, plot.top()}, QPointF{at, plot.bottom()});
            note(at, false, name, pen.color(), weight);
        };
        const bool same = axis.present == axis.standard;
        if (!same)
            mark(
                axis.standard, QObject::tr("%1 by default").arg(words(axis.standard)), QPen{tokens().muted, 1, Qt::DotLine}, QFont::Normal);
        mark(axis.present, (same ? QObject::tr("%1 now, the default") : QObject::tr("%1 now")).arg(words(axis.present)),
            QPen{tokens().accent, 2}, QFont::DemiBold);
    }

    void tips()
    {
        const SweepAxis &axis = m_scene.result->axes.front();
        const QRectF &plot = m_frame.plot();
        for (const TippingPoint &tip : m_scene.result->tips()) {
            const auto below = axis.placeOf(tip.below), above = axis.placeOf(tip.above);
            if (!below || !above)
                continue;
            const double from = m_frame.x(*below), to = m_frame.x(*above);
            QColor faint = tokens().text;
            faint.setAlphaF(0.10F);
            m_painter.fillRect(QRectF{from, plot.top(), to - from, plot.height()}, faint);
            m_painter.setPen(QPen{tokens().text, 1, Qt::DashLine});
            const double at = (from + to) / 2;
            m_painter.drawLine(QPointF{at, plot.top()}, QPointF{at, plot.bottom()});
            const QString shares = m_scene.result->plan.seeds > 1
                ? QObject::tr("%1 | %2").arg(words(percentText(tip.passedBelow)), words(percentText(tip.passedAbove)))
                : tip.passedAbove > tip.passedBelow ? QObject::tr("fails | passes")
                                                    : QObject::tr("passes | fails");
            note(at, true, shares, tokens().text, QFont::Normal);
        }
    }

    QPainter &m_painter;
    const SweepScene &m_scene;
    const std::string &m_metric;
    SweepCurve m_curve;
    std::vector<Tick> m_ticks;
    ChartFrame m_frame;
    std::vector<QRectF> m_notes;
    std::vector<double> m_lines; ///< vertical ones
};

} // namespace

void paintCurve(QPainter &painter, const QRectF &room, const SweepScene &scene, std::size_t metric, SweepPlaces *places)
{
    CurvePainting painting{painter, room, scene, metric};
    painting.paint();
    if (places)
        painting.places(*places);
}

} // namespace throttlescope::dashboard
