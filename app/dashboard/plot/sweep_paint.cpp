// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/sweep_paint.h"

#include "app/dashboard/plot/chart_frame.h"
#include "app/dashboard/theme/tokens.h"
#include "simulator/sweep/sweep_words.h"

#include <QFontMetricsF>
#include <QObject>
#include <algorithm>
#include <cmath>

namespace throttlescope::dashboard {

namespace {

constexpr double kBetweenCharts = 24, kLegendHeight = 26;
constexpr double kLeastWidth = 380; ///< of a chart beside another

/// Which knobs the maps are over, and where they are cut through the others.
QString mapSentence(const SweepScene &scene)
{
    const SweepResult &result = *scene.result;
    QString sentence = QObject::tr("across %1, up %2").arg(words(result.axes[scene.across].name), words(result.axes[scene.up].name));
    for (std::size_t axis = 0; axis < result.axes.size(); ++axis) {
        if (axis == scene.across || axis == scene.up)
            continue;
        const std::string &value = scene.chosen ? result.points[*scene.chosen].at[axis] : result.axes[axis].axis.values.front();
        sentence += QObject::tr(", at %1 %2").arg(words(result.axes[axis].name), words(result.axes[axis].shortValue(value)));
    }
    return sentence;
}

QString sentenceOf(const SweepScene &scene)
{
    const SweepResult &result = *scene.result;
    if (scene.form == SweepForm::Maps)
        return mapSentence(scene);
    if (!scene.speaks)
        return {};
    if (scene.form == SweepForm::Pareto)
        return words(paretoText(result.header(), result.points));
    QString sentence;
    for (const TippingPoint &tip : result.tips())
        sentence += (sentence.isEmpty() ? QString{} : QStringLiteral("; ")) + words(tipText(result.header(), tip));
    if (result.file.tips && result.tips().empty() && !result.points.empty() && result.axes.front().axis.scale != Axis::Scale::List)
        sentence = QObject::tr("no tipping point: every value has the same verdict");
    return sentence;
}

/// A sample of a line, then its word; returns where the next one ends.
class SweepLegend {
public:
    SweepLegend(QPainter &painter, const QRectF &line)
        : m_painter(painter)
        , m_line(line)
        , m_right(line.right() - 10)
    {
        painter.setFont(textFont(TextSize::Label));
    }
    template <typename Draw>
    void entry(const QString &word, Draw draw)
    {
        const double wide = widthOf(m_painter, word) + 2, middle = m_line.top() + 8 * textScale();
        m_painter.setPen(tokens().muted);
        m_painter.drawText(QRectF{m_right - wide, middle - 10, wide, 20}, Qt::AlignRight | Qt::AlignVCenter, word);
        const QRectF sample{m_right - wide - 24, middle - 5, 18, 10};
        draw(m_painter, sample);
        m_painter.setBrush(Qt::NoBrush);
        m_right = sample.left() - 14;
    }
    double left() const { return m_right; }

private:
    QPainter &m_painter;
    QRectF m_line;
    double m_right;
};

void lineSample(QPainter &painter, const QRectF &sample, const QPen &pen)
{
    painter.setPen(pen);
    painter.drawLine(QPointF{sample.left(), sample.center().y()}, QPointF{sample.right(), sample.center().y()});
}

void dotSample(QPainter &painter, const QRectF &sample, const QColor &fill)
{
    painter.setPen(QPen{tokens().text, 1.5});
    painter.setBrush(fill);
    painter.drawEllipse(sample.center() + QPointF{4, 0}, 3.5, 3.5);
}

double drawEntries(QPainter &painter, const QRectF &line, const SweepScene &scene)
{
    SweepLegend legend{painter, line};
    const QColor text = tokens().text;
    if (scene.form == SweepForm::Maps) {
        legend.entry(QObject::tr("fails"), [&](QPainter &at, const QRectF &sample) {
            at.setPen(QPen{text, 1});
            at.drawRect(sample);
            for (double x = sample.left(); x + sample.height() <= sample.right(); x += 4)
                at.drawLine(QPointF{x, sample.bottom()}, QPointF{x + sample.height(), sample.top()});
        });
        return legend.left();
    }
    const bool pareto = scene.form == SweepForm::Pareto;
    legend.entry(pareto ? QObject::tr("another is better") : QObject::tr("fails"),
        [&](QPainter &at, const QRectF &sample) { dotSample(at, sample, tokens().panel); });
    legend.entry(pareto ? QObject::tr("in the set") : QObject::tr("passes"),
        [&](QPainter &at, const QRectF &sample) { dotSample(at, sample, text); });
    if (!pareto && scene.result->plan.seeds > 1) {
        legend.entry(QObject::tr("worst"), [&](QPainter &at, const QRectF &sample) { lineSample(at, sample, QPen{text, 1, Qt::DotLine}); });
        legend.entry(QObject::tr("5–95 %"), [&](QPainter &at, const QRectF &sample) {
            QColor faint = text;
            faint.setAlphaF(0.18F);
            at.fillRect(sample, faint);
        });
        legend.entry(QObject::tr("median"), [&](QPainter &at, const QRectF &sample) { lineSample(at, sample, QPen{text, 2}); });
    }
    return legend.left();
}

} // namespace

SweepForm formOf(const SweepResult &result)
{
    return result.axes.size() == 1 ? SweepForm::Curves : result.isGrid() ? SweepForm::Maps : SweepForm::Pareto;
}

void paintLegend(QPainter &painter, const QRectF &line, const SweepScene &scene)
{
    const double left = drawEntries(painter, line, scene);
    painter.setFont(textFont(TextSize::Body));
    painter.setPen(tokens().text);
    const QRectF room{line.left(), line.top(), left - line.left() - 12, 16 * textScale()};
    painter.drawText(
        room, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF{painter.font()}.elidedText(sentenceOf(scene), Qt::ElideRight, room.width()));
}

void paintSweep(QPainter &painter, const QRectF &room, const SweepScene &scene, SweepPlaces *places)
{
    painter.setRenderHint(QPainter::Antialiasing);
    if (!scene.result || scene.result->points.empty() || (scene.metrics.empty() && scene.form != SweepForm::Pareto)) {
        painter.setFont(textFont(TextSize::Body));
        painter.setPen(tokens().muted);
        painter.drawText(room, Qt::AlignCenter,
            !scene.result || scene.result->points.empty() ? QObject::tr("No run has come to its end yet.")
                                                          : QObject::tr("No metric is chosen."));
        return;
    }
    paintLegend(painter, QRectF{room.left(), room.top(), room.width(), kLegendHeight * textScale()}, scene);
    const QRectF below = room.adjusted(0, kLegendHeight * textScale(), 0, 0);
    if (scene.form == SweepForm::Pareto)
        return paintPareto(painter, below, scene, places);
    const auto count = static_cast<int>(scene.metrics.size());
    const bool beside = count > 1 && below.width() >= 2 * kLeastWidth * textScale();
    const int columns = beside ? 2 : 1, rows = (count + columns - 1) / columns;
    const double wide = (below.width() - (columns - 1) * kBetweenCharts) / columns,
                 high = (below.height() - (rows - 1) * kBetweenCharts / 2) / rows;
    for (int i = 0; i < count; ++i) {
        const int column = i % columns, row = i / columns;
        const QRectF place{below.left() + column * (wide + kBetweenCharts), below.top() + row * (high + kBetweenCharts / 2), wide, high};
        const std::size_t metric = scene.metrics[static_cast<std::size_t>(i)];
        if (scene.form == SweepForm::Curves)
            paintCurve(painter, place, scene, metric, places);
        else
            paintMap(painter, place, scene, metric, places);
    }
}

} // namespace throttlescope::dashboard
