// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/waits_layer.h"

#include "app/dashboard/data/spoken_time.h"
#include "app/dashboard/plot/stack_paint.h"
#include "app/dashboard/plot/stamp.h"
#include "app/dashboard/theme/marks.h"

namespace throttlescope::dashboard {

namespace {

constexpr double kLeast = 0.1; ///< seconds; what is shorter is drawn at it
constexpr double kReach = 5;
constexpr double kHead = 3.5;
constexpr double kApart = 7; ///< pixels between two ✕

double drawnSeconds(Duration duration)
{
    return std::max(kLeast, static_cast<double>(duration.count()) / 1e6);
}

} // namespace

void WaitsLayer::fitValueAxis()
{
    if (m_held)
        return;
    const LodSeries &waits = m_data.series->waits();
    LodColumn all = waits.summary(0, waits.size());
    if (m_data.ghost) {
        const LodColumn before = m_data.ghost->waits().summary(0, m_data.ghost->waits().size());
        all.count += before.count;
        all.least = std::min(all.least, before.least);
        all.most = std::max(all.most, before.most);
    }
    double most = all.count > 0 ? std::max(kLeast, static_cast<double>(all.most)) : 1;
    double least = all.count > 0 ? std::max(kLeast, static_cast<double>(all.least)) : 1;
    for (const auto &limit : {m_data.maxWait, m_data.ghostMaxWait}) {
        if (limit) {
            most = std::max(most, drawnSeconds(*limit));
            least = std::min(least, drawnSeconds(*limit));
        }
    }
    least = std::min({1.0, least});
    valueAxis()->setRange(least, most * 2.2);
}

void WaitsLayer::draw(QCPPainter *painter)
{
    if (m_data.ghost)
        drawGhost(painter);
    drawWaits(painter);
    drawLimit(painter);
    if (m_data.series->waits().size() == 0 && m_data.series->attempts().size() > 0) {
        painter->setPen(tokens().muted);
        painter->setFont(textFont(TextSize::Body));
        painter->drawText(area(), Qt::AlignCenter,
            m_data.nothingThrottled() ? QObject::tr("Nothing throttled: no call was told to wait.")
                                      : QObject::tr("No call waited before a retry."));
    }
}

void WaitsLayer::drawWaits(QCPPainter *painter) const
{
    const Tokens &colours = tokens();
    std::vector<LodColumn> columns;
    m_data.series->waits().read(pixels(), columns);
    const double bottom = area().bottom();
    QPointF lastRefusal{-100, 0};
    const bool copies = pixelsAreTheDevices(*painter);
    const auto headOf = [&](const QColor &colour) {
        return Stamp{*painter, kHead, copies, [colour](QPainter &on, const QPointF &centre) {
                         on.setPen(Qt::NoPen);
                         on.setBrush(colour);
                         on.drawEllipse(centre, kHead, kHead);
                     }};
    };
    auto providers = headOf(colours.wait), others = headOf(colours.muted);
    Stamp refusals{*painter, 4, copies, [&colours](QPainter &on, const QPointF &centre) { drawRefusal(on, centre, 7, colours); }};
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (columns[column].count == 0)
            continue;
        const double at = area().left() + static_cast<double>(column);
        const double top = y(std::max(kLeast, static_cast<double>(columns[column].most)));
        const auto count = [&](WaitClass which) { return columns[column].byClass[static_cast<std::size_t>(which)]; };
        const bool slept = columns[column].count > count(WaitClass::Exceeded);
        const QColor colour = !slept ? colours.line : count(WaitClass::Provider) > 0 ? colours.wait : colours.muted;
        const double half = slept ? 1.0 : 0.5;
        painter->fillRect(QRectF{at - half, top, 2 * half, bottom - top}, colour);
        if (count(WaitClass::Exceeded) > 0) {
            if (std::abs(at - lastRefusal.x()) + std::abs(top - lastRefusal.y()) < kApart)
                continue; // one ✕ says it for its neighbours
            lastRefusal = {at, top};
            refusals.at(lastRefusal);
            continue;
        }
        (colour == colours.wait ? providers : others).at({at, top});
    }
}

/// Each wait of the baseline as an empty head on a dashed stem.
void WaitsLayer::drawGhost(QCPPainter *painter) const
{
    std::vector<LodColumn> columns;
    m_data.ghost->waits().read(pixels(), columns);
    painter->setBrush(Qt::NoBrush);
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (columns[column].count == 0)
            continue;
        const double at = area().left() + static_cast<double>(column);
        const double top = y(std::max(kLeast, static_cast<double>(columns[column].most)));
        painter->setPen(ghostPen());
        painter->drawLine(QPointF{at, area().bottom()}, QPointF{at, top + 4});
        painter->setPen(QPen{tokens().muted, 1});
        painter->drawEllipse(QPointF{at, top}, 3.5, 3.5);
    }
}

void WaitsLayer::drawLimit(QCPPainter *painter) const
{
    const Tokens &colours = tokens();
    if (m_data.ghostMaxWait && m_data.ghostMaxWait != m_data.maxWait) {
        const double at = y(drawnSeconds(*m_data.ghostMaxWait));
        painter->setPen(QPen{colours.muted, 1, Qt::DashLine});
        painter->drawLine(QPointF{area().left(), at}, QPointF{area().right(), at});
        drawGhostName(painter, at);
    }
    if (!m_data.maxWait)
        return;
    const double at = y(drawnSeconds(*m_data.maxWait));
    painter->setPen(QPen{colours.accent, m_held ? 3.0 : 2.0});
    painter->drawLine(QPointF{area().left(), at}, QPointF{area().right(), at});
    painter->setFont(textFont(TextSize::Label, QFont::DemiBold));
    const QString text = "max_wait " + QString::fromStdString(spokenExactly(*m_data.maxWait)) + (m_data.maxWaitCanBeMoved ? " ⇕" : "");
    const QSizeF size = QFontMetricsF{painter->font()}.size(Qt::TextSingleLine, text) + QSizeF{16, 4};
    const double top = std::max(area().top(), at - size.height());
    const QRectF chip{QPointF{area().right() - size.width(), top}, size};
    painter->setPen(Qt::NoPen);
    painter->setBrush(colours.accent);
    painter->drawRoundedRect(chip, 3, 3);
    painter->setPen(colours.onAccent);
    painter->drawText(chip, Qt::AlignCenter, text);
}

/// At its line, away from the other one; beside the plot's title where there is no room for it.
void WaitsLayer::drawGhostName(QCPPainter *painter, double at) const
{
    const QString name = "baseline " + QString::fromStdString(spokenExactly(*m_data.ghostMaxWait));
    painter->setFont(textFont(TextSize::Label));
    const QFontMetricsF metrics{painter->font()};
    const bool isAbove = m_data.maxWait && m_data.ghostMaxWait > m_data.maxWait;
    const bool hasRoom = (isAbove ? at - area().top() : area().bottom() - at) >= metrics.height() + 4;
    if (hasRoom) {
        const QPointF begin{area().left() + 44, isAbove ? at - 4 : at + 4 + metrics.ascent()};
        const QRectF place{begin - QPointF{3, metrics.ascent()}, QSizeF{metrics.horizontalAdvance(name) + 6, metrics.height()}};
        painter->fillRect(place, tokens().panel); // stems run behind it
        painter->drawText(begin, name);
        return;
    }
    const QRectF title{area().right() - metrics.horizontalAdvance(name), double(m_rect->outerRect().top()), metrics.horizontalAdvance(name),
        18 * textScale()};
    painter->save();
    painter->setClipping(false);
    painter->drawLine(QPointF{title.left() - 26, title.center().y()}, QPointF{title.left() - 4, title.center().y()});
    painter->drawText(title, Qt::AlignVCenter | Qt::AlignLeft, name);
    painter->restore();
}

bool WaitsLayer::isOnMaxWait(const QPointF &position) const
{
    return m_data.maxWait && m_data.maxWaitCanBeMoved && m_rect->rect().adjusted(0, -4, 0, 4).contains(position.toPoint())
        && std::abs(y(drawnSeconds(*m_data.maxWait)) - position.y()) <= kReach;
}

/// In steps that a person would write: a tenth below 10 s, whole seconds up to 2 min, then 5 s.
Duration WaitsLayer::maxWaitAt(const QPointF &position) const
{
    const double seconds = std::clamp(valueAxis()->pixelToCoord(position.y()), kLeast, 86'400.0);
    const double step = seconds < 10 ? 0.1 : seconds < 120 ? 1 : seconds < 3600 ? 5 : 60;
    return durationFromMicroseconds(std::round(seconds / step) * step * 1e6);
}

Row WaitsLayer::rowAt(const QPointF &position) const
{
    const LodSeries &waits = m_data.series->waits();
    const auto moment = [this](double pixel) { return momentAt(keyAxis()->pixelToCoord(pixel)); };
    const auto [begin, end] = waits.between(moment(position.x() - kReach), moment(position.x() + kReach));
    Row found = kNoRow;
    double nearest = 1e9;
    for (std::size_t i = begin; i < std::min(end, begin + 10'000); ++i) {
        const auto sample = waits.sample(i);
        const double aside = std::abs(x(sample.at) - position.x());
        const double above = std::max(0.0, y(std::max(kLeast, static_cast<double>(sample.value))) - position.y());
        if (aside + above < nearest) {
            nearest = aside + above;
            found = sample.row;
        }
    }
    return found;
}

} // namespace throttlescope::dashboard
