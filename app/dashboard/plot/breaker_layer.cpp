// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/breaker_layer.h"

#include "app/dashboard/theme/marks.h"

namespace throttlescope::dashboard {

namespace {

constexpr qsizetype kMostApart = 300; ///< points of a line that one tells apart

} // namespace

QRectF BreakerLayer::band() const
{
    return {area().left(), area().top() + 6, area().width(), 14 * textScale()};
}

void BreakerLayer::draw(QCPPainter *painter)
{
    if (m_data.store->rowCount() == 0)
        return;
    drawState(painter);
    drawTokens(painter);
}

void BreakerLayer::drawState(QCPPainter *painter) const
{
    const Tokens &colours = tokens();
    QColor closed = colours.success;
    closed.setAlphaF(0.45F);
    const double end = std::min(area().right(), x(m_data.now));
    painter->setPen(Qt::NoPen);
    painter->setBrush(closed);
    painter->drawRoundedRect(
        QRectF{QPointF{std::max(area().left(), x(MonotonicTime{})), band().top()}, QPointF{end, band().bottom()}}, 2, 2);
    drawWord(painter, band().top(), "state");
    bool isOpen = false;
    for (const ScopeSeries &scope : m_data.series->scopes()) {
        for (const BreakerBand &each : scope.breaker) {
            const double from = x(each.from);
            const double to = each.to ? x(*each.to) : end;
            if (to < area().left() || from > area().right())
                continue;
            painter->setPen(Qt::NoPen);
            painter->setBrush(each.halfOpen ? QBrush{colours.rateLimited, Qt::Dense4Pattern} : QBrush{colours.ambiguous});
            painter->drawRect(
                QRectF{QPointF{from, band().top()}, QPointF{std::max(to, from + 2), band().bottom()}}); // never less than is seen
            isOpen = true;
            if (!each.halfOpen && to - from > 48 * textScale()) {
                painter->setPen(colours.onAmbiguous);
                painter->setFont(textFont(TextSize::Label, QFont::DemiBold));
                painter->drawText(QRectF{QPointF{std::max(from, area().left()) + 8, band().top()}, QPointF{to, band().bottom()}},
                    Qt::AlignVCenter | Qt::AlignLeft, QObject::tr("open"));
            }
        }
    }
    if (!isOpen) {
        painter->setPen(colours.text);
        painter->setFont(textFont(TextSize::Label, QFont::DemiBold));
        const QString word = QObject::tr("closed");
        const double begin = std::max(area().left(), x(MonotonicTime{}));
        const bool fits = end - begin > QFontMetricsF{painter->font()}.horizontalAdvance(word) + 16;
        painter->drawText(
            QRectF{QPointF{(fits ? begin : end) + 8, band().top()}, band().bottomRight()}, Qt::AlignVCenter | Qt::AlignLeft, word);
    }
    std::vector<RareMark> marks;
    m_data.series->rareEvents().read(pixels(), marks);
    for (const RareMark &mark : marks) {
        if (kBreakerEvents.has(mark.rare))
            painter->fillRect(QRectF{area().left() + mark.column - 1, band().center().y() - 10, 2, 20}, colours.text);
    }
}

void BreakerLayer::drawTokens(QCPPainter *painter) const
{
    const QRectF place{area().left(), band().bottom() + 8, area().width(), std::max(8.0, area().bottom() - band().bottom() - 12)};
    drawWord(painter, place.top() + 2, "tokens");
    painter->setPen(QPen{tokens().accent, 1.6});
    for (const ScopeSeries &scope : m_data.series->scopes()) {
        const LodColumn all = scope.tokens.summary(0, scope.tokens.size());
        if (all.count == 0)
            continue;
        const double most = std::max(1.0, static_cast<double>(all.most));
        const auto height = [&](double tokensLeft) { return place.bottom() - place.height() * tokensLeft / most; };
        std::vector<LodColumn> columns;
        scope.tokens.read(pixels(), columns);
        QPolygonF line;
        for (std::size_t column = 0; column < columns.size(); ++column) {
            if (columns[column].count == 0)
                continue;
            const double at = area().left() + static_cast<double>(column);
            line << QPointF{at, height(columns[column].most)} << QPointF{at, height(columns[column].least)};
        }
        if (line.size() > kMostApart) { // along whole pixels, up and down
            painter->setPen(QPen{tokens().accent, 1});
            painter->setAntialiasing(false);
        }
        painter->drawPolyline(line);
        painter->setAntialiasing(true);
        return;
    }
    painter->setPen(tokens().muted);
    painter->setFont(textFont(TextSize::Label));
    painter->drawText(place.adjusted(8, 0, 0, 0), Qt::AlignTop | Qt::AlignLeft, "no budget");
}

/// Left of the plot, where the other plots have their numbers.
void BreakerLayer::drawWord(QCPPainter *painter, double top, const QString &word) const
{
    painter->save();
    painter->setClipping(false);
    painter->setPen(tokens().muted);
    painter->setFont(textFont(TextSize::Label));
    painter->drawText(
        QRectF{area().left() - 60 * textScale(), top, 54 * textScale(), 14 * textScale()}, Qt::AlignVCenter | Qt::AlignRight, word);
    painter->restore();
}

Row BreakerLayer::rowAt(const QPointF &position) const
{
    return nearestRare(
        position, {Rare::BreakerOpened, Rare::BreakerHalfOpen, Rare::BreakerClosed, Rare::BreakerRejected, Rare::BudgetExhausted});
}

} // namespace throttlescope::dashboard
