// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/cliff_view.h"

#include "app/dashboard/data/spoken_time.h"
#include "app/dashboard/theme/tokens.h"

#include <QPainter>
#include <algorithm>
#include <tuple>

namespace throttlescope::dashboard {

QString shortNumber(double number)
{
    if (number >= 1e6)
        return QString::number(number / 1e6, 'g', 3) + 'M';
    return number >= 1e4 ? QString::number(number / 1e3, 'g', 3) + 'k' : QString::number(number, 'g', 4);
}

QString cliffSentence(const CliffCurve &curve)
{
    if (curve.points.empty())
        return {};
    if (curve.points.back().waitExceeded > 0)
        return QObject::tr("%1 calls are given up even at %2.")
            .arg(curve.points.back().waitExceeded)
            .arg(QString::fromStdString(spokenExactly(curve.points.back().at)));
    // From where on a longer wait changes nothing any more.
    auto enough = curve.points.end() - 1;
    while (enough != curve.points.begin() && std::prev(enough)->sameResults(curve.points.back()))
        --enough;
    if (enough == curve.points.begin())
        return QObject::tr("Nothing is given up, whatever max_wait is.");
    return QObject::tr("%1 is enough: nothing is given up from there on.").arg(QString::fromStdString(spokenExactly(enough->at)));
}

CliffView::CliffView(QWidget *parent)
    : QWidget(parent)
{
    setMinimumHeight(130);
    setAccessibleName(tr("Succeeded and wait exceeded over max_wait"));
}

void CliffView::show(const CurvePointer &curve, std::optional<Duration> present)
{
    m_curve = curve;
    m_present = present;
    m_mostSeconds = 1;
    m_mostCount = 1;
    if (curve) {
        for (const CliffPoint &point : curve->points) {
            m_mostSeconds = std::max(m_mostSeconds, secondsOf(point.at));
            m_mostCount = std::max({m_mostCount, static_cast<double>(point.succeeded), static_cast<double>(point.waitExceeded)});
        }
        setAccessibleDescription(cliffSentence(*curve));
    }
    update();
}

QRectF CliffView::area() const
{
    return QRectF{rect()}.adjusted(30 * textScale(), 24 * textScale(), -8, -20 * textScale());
}

double CliffView::xOf(double seconds) const
{
    return area().left() + area().width() * seconds / m_mostSeconds;
}

double CliffView::yOf(double count) const
{
    return area().bottom() - area().height() * count / m_mostCount;
}

QPolygonF CliffView::steps(std::uint64_t CliffPoint::*count) const
{
    QPolygonF line;
    for (const CliffPoint &point : m_curve->points) {
        const QPointF at{xOf(secondsOf(point.at)), yOf(static_cast<double>(point.*count))};
        if (!line.isEmpty())
            line << QPointF{at.x(), line.back().y()};
        line << at;
    }
    return line;
}

void CliffView::paintEvent(QPaintEvent *)
{
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens &colours = tokens();
    painter.setFont(textFont(TextSize::Label));
    painter.setPen(colours.muted);
    if (!m_curve || m_curve->points.empty()) {
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
            m_curve ? QString::fromStdString(m_curve->failure) : tr("No curve: there is no max_wait here."));
        return;
    }
    const auto write = [&](const QRectF &place, Qt::Alignment alignment, double number) {
        painter.drawText(place, static_cast<int>(alignment), shortNumber(number));
    };
    for (const double share : {0.0, 0.5, 1.0}) {
        const double height = yOf(m_mostCount * share);
        painter.setPen(colours.grid);
        painter.drawLine(QPointF{area().left(), height}, QPointF{area().right(), height});
        painter.setPen(colours.muted);
        write(QRectF{0, height - 12, area().left() - 4, 24}, Qt::AlignRight | Qt::AlignVCenter, std::round(m_mostCount * share));
        write(QRectF{xOf(m_mostSeconds * share) - 40, area().bottom() + 3, share == 1 ? 46.0 : 80.0, 14 * textScale()},
            share == 1 ? Qt::AlignRight : Qt::AlignHCenter, m_mostSeconds * share);
    }
    double legend = 0;
    for (const auto &[words, pen, count] : {std::tuple{tr("exceeded"), QPen{colours.text, 1.5, Qt::DashLine}, &CliffPoint::waitExceeded},
             {tr("succeeded"), QPen{colours.success, 2}, &CliffPoint::succeeded}}) {
        painter.setPen(pen);
        painter.drawPolyline(steps(count));
        painter.drawLine(QPointF{legend, 9 * textScale()}, QPointF{legend + 18, 9 * textScale()});
        painter.setPen(colours.muted);
        painter.drawText(QRectF{legend + 23, 0, 100 * textScale(), 18 * textScale()}, Qt::AlignVCenter | Qt::AlignLeft, words);
        legend += 23 + painter.fontMetrics().horizontalAdvance(words) + 14;
    }
    if (!m_present || secondsOf(*m_present) > m_mostSeconds)
        return;
    const double at = xOf(secondsOf(*m_present));
    painter.setPen(QPen{colours.accent, 2});
    painter.drawLine(QPointF{at, area().top()}, QPointF{at, area().bottom()});
    const bool left = at > area().center().x();
    painter.setFont(textFont(TextSize::Label, QFont::DemiBold));
    const QString words = QString::fromStdString(spokenExactly(*m_present));
    const double wide = painter.fontMetrics().horizontalAdvance(words) + 6;
    const QRectF place{left ? at - 2 - wide : at + 2, area().top() + area().height() * 0.45, wide, 14 * textScale()};
    painter.fillRect(place, colours.panel); // the curves run behind it
    painter.drawText(place, Qt::AlignCenter, words);
}

} // namespace throttlescope::dashboard
