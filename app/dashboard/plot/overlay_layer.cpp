// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/overlay_layer.h"

#include "app/dashboard/theme/marks.h"

namespace throttlescope::dashboard {

namespace {

double titleHeight()
{
    return 18 * textScale();
}

} // namespace

void OverlayLayer::draw(QCPPainter *painter)
{
    painter->setClipping(false);
    if (m_part == Part::Below)
        return drawResets(painter);
    drawTitles(painter);
    if (m_data.store->rowCount() == 0)
        return;
    drawLabels(painter);
    for (const Row row : m_data.series->policyChanges())
        drawThrough(painter, x(m_data.store->at(row)), QPen{tokens().accent, 1, Qt::DashDotLine});
    if (m_rubber)
        drawSpan(painter, x(m_rubber->first), x(m_rubber->second));
    else if (m_selection.span)
        drawSpan(painter, x(m_selection.span->first), x(m_selection.span->second));
    if (m_selection.row != kNoRow && m_selection.row < m_data.store->rowCount())
        drawThrough(painter, x(m_data.store->at(m_selection.row)), QPen{tokens().text, 1, Qt::DotLine});
}

void OverlayLayer::drawThrough(QCPPainter *painter, double at, const QPen &pen) const
{
    if (!isInside(at))
        return;
    painter->setPen(pen);
    for (const Pane &pane : m_panes)
        painter->drawLine(QPointF{at, double(pane.rect->rect().top())}, QPointF{at, double(pane.rect->rect().bottom())});
}

void OverlayLayer::drawResets(QCPPainter *painter) const
{
    if (m_data.series->windows().empty())
        return;
    const auto &resets = m_data.series->windows().front().resets;
    const QCPRange range = m_panes.front().rect->axis(QCPAxis::atBottom)->range();
    const auto begin = std::lower_bound(resets.begin(), resets.end(), momentAt(range.lower));
    const auto end = std::lower_bound(begin, resets.end(), momentAt(range.upper));
    if (static_cast<double>(end - begin) > whole().width() / 24)
        return;
    for (auto each = begin; each != end; ++each)
        drawThrough(painter, x(*each), QPen{tokens().grid, 1});
}

void OverlayLayer::drawLabels(QCPPainter *painter) const
{
    painter->setFont(textFont(TextSize::Label, QFont::DemiBold));
    for (const LabelSpan &label : m_data.series->labels()) {
        const double from = std::max(whole().left(), x(label.begin));
        const double to = std::min(whole().right(), label.end ? x(*label.end) : x(m_data.now));
        if (to < whole().left() || from > whole().right())
            continue;
        QColor ground = tokens().ambiguous;
        ground.setAlphaF(0.08F);
        for (const Pane &pane : m_panes)
            painter->fillRect(
                QRectF{QPointF{from, double(pane.rect->rect().top())}, QPointF{to, double(pane.rect->rect().bottom())}}, ground);
        drawThrough(painter, x(label.begin), QPen{tokens().ambiguous, 1});
        if (label.end)
            drawThrough(painter, x(*label.end), QPen{tokens().ambiguous, 1, Qt::DashLine});
        if (m_hideNames)
            continue;
        painter->setPen(tokens().text);
        const std::string_view text = m_data.store->text(label.label);
        painter->drawText(QPointF{from + 5, m_panes.front().rect->rect().bottom() - 6.0},
            QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())));
    }
}

void OverlayLayer::drawSpan(QCPPainter *painter, double from, double to) const
{
    QColor ground = tokens().accent;
    ground.setAlphaF(0.12F);
    const double left = std::max(whole().left(), std::min(from, to));
    const double right = std::min(whole().right(), std::max(from, to));
    if (right <= left)
        return;
    painter->fillRect(QRectF{QPointF{left, whole().top()}, QPointF{right, whole().bottom()}}, ground);
    painter->setPen(QPen{tokens().accent, 1});
    painter->drawLine(QPointF{left, whole().top()}, QPointF{left, whole().bottom()});
    painter->drawLine(QPointF{right, whole().top()}, QPointF{right, whole().bottom()});
}

void OverlayLayer::drawTitles(QCPPainter *painter) const
{
    for (const Pane &pane : m_panes) {
        painter->setFont(textFont(TextSize::Body, QFont::DemiBold));
        painter->setPen(tokens().muted);
        const QRectF outer = pane.rect->outerRect();
        painter->drawText(QRectF{outer.left(), outer.top(), outer.width(), titleHeight()}, Qt::AlignLeft | Qt::AlignVCenter, pane.title);
    }
    drawLegend(painter, m_panes.front().rect->outerRect().top());
}

/// Inside, top right, in one line; what does not fit is left out from the end.
void OverlayLayer::drawLegend(QCPPainter *painter, double top) const
{
    struct Entry {
        QString text;
        std::function<void(const QPointF &)> mark;
    };
    const Tokens &colours = tokens();
    const auto outcome = [&](const QString &text, AttemptOutcome which) {
        return Entry{text, [=, &colours](const QPointF &centre) { drawOutcome(*painter, centre, 9, which, colours); }};
    };
    const std::vector<Entry> entries{outcome("2xx", AttemptOutcome::Success), outcome("429", AttemptOutcome::RateLimited),
        outcome("5xx", AttemptOutcome::Ambiguous), outcome("lost", AttemptOutcome::Transport),
        {"wait",
            [&](const QPointF &centre) {
                painter->setPen(Qt::NoPen);
                painter->setBrush(hatch(colours.wait, colours.panel, painter->modes().testFlag(QCPPainter::pmVectorized)));
                painter->drawRect(QRectF{centre.x() - 8, centre.y() - 4, 16, 8});
            }},
        {"asked-for moment", [&](const QPointF &centre) { drawTick(*painter, centre, 11, colours.rateLimited); }},
        {"given up", [&](const QPointF &centre) { drawRefusal(*painter, centre, 8, colours); }}};
    painter->setFont(textFont(TextSize::Label));
    const QFontMetricsF metrics{painter->font()};
    double width = 0;
    for (const Entry &entry : entries)
        width += metrics.horizontalAdvance(entry.text) + 30;
    double left = std::max(whole().left() + 90, whole().right() - width + 10);
    for (const Entry &entry : entries) {
        const double advance = metrics.horizontalAdvance(entry.text) + 30;
        if (left + advance > whole().right() + 12)
            return;
        entry.mark(QPointF{left + 9, top + titleHeight() / 2});
        painter->setPen(colours.muted);
        painter->drawText(QRectF{left + 20, top, advance, titleHeight()}, Qt::AlignLeft | Qt::AlignVCenter, entry.text);
        left += advance;
    }
}

} // namespace throttlescope::dashboard
