// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/lanes_layer.h"

#include "app/dashboard/plot/stamp.h"
#include "app/dashboard/theme/marks.h"

#include <array>

namespace throttlescope::dashboard {

namespace {

constexpr int kBin = 4; ///< pixels of one bar of the stack
constexpr double kThinLane = 4;
constexpr double kMarksApart = 9; ///< pixels between two marks of thin lanes
constexpr std::array kStacked{AttemptOutcome::Success, AttemptOutcome::RateLimited, AttemptOutcome::Ambiguous, AttemptOutcome::Transport,
    AttemptOutcome::Interrupted, AttemptOutcome::Permanent, AttemptOutcome::Cancelled};

struct Bar {
    ClassCounts counts{};
    std::uint32_t total = 0;
};

std::vector<Bar> barsOf(const LodSeries &attempts, const PixelRange &pixels)
{
    std::vector<LodColumn> columns;
    attempts.read(pixels, columns);
    std::vector<Bar> bars(columns.size() / kBin + 1);
    for (std::size_t column = 0; column < columns.size(); ++column) {
        Bar &bar = bars[column / kBin];
        bar.total += columns[column].count;
        for (std::size_t i = 0; i < kLodClasses; ++i)
            bar.counts[i] += columns[column].byClass[i];
    }
    return bars;
}

} // namespace

/// All operations that have anything in the time in view, or their number a second.
void LanesLayer::fitValueAxis()
{
    const PixelRange range = pixels();
    const auto inView = operationsBetween(*m_data.store, range.from, range.to, kMostLanes + 1);
    m_lanes = inView.size() <= kMostLanes;
    if (m_lanes) {
        m_first = inView.empty() ? 0 : *std::min_element(inView.begin(), inView.end());
        m_last = inView.empty() ? 0 : *std::max_element(inView.begin(), inView.end());
        const double room = std::max(0.5, (m_last - m_first) * 0.02);
        valueAxis()->setRange(m_first + 1 - room, std::max(m_last + 1 + room, m_first + 5.0));
        valueAxis()->setRangeReversed(true);
        return;
    }
    double most = 1;
    const double seconds = keyAxis()->range().size() / std::max(1, range.width) * kBin;
    for (const Bar &bar : barsOf(m_data.series->attempts(), range))
        most = std::max(most, bar.total / seconds);
    valueAxis()->setRangeReversed(false);
    valueAxis()->setRange(0, most * 1.05);
}

double LanesLayer::laneHeight() const
{
    return std::abs(y(1) - y(2));
}

void LanesLayer::draw(QCPPainter *painter)
{
    if (m_data.store->rowCount() == 0)
        return;
    if (m_lanes) {
        drawLanes(painter);
    } else {
        drawStack(painter);
        if (m_data.ghost)
            drawGhostStack(painter);
        drawRefusals(painter);
    }
}

void LanesLayer::drawLanes(QCPPainter *painter) const
{
    const PixelRange range = pixels();
    const double height = std::clamp(laneHeight() * 0.7, 5.0, 16.0);
    const auto inView = operationsBetween(*m_data.store, range.from, range.to, kMostLanes);
    if (m_data.ghostStore)
        drawGhostLanes(painter, height);
    const QBrush waits = hatch(tokens().wait, tokens().panel, painter->modes().testFlag(QCPPainter::pmVectorized));
    LastMarks last;
    for (const OperationIndex index : inView)
        drawLane(painter, laneOf(*m_data.store, index, m_data.now), height, waits, last);
    if (!m_selection.operation)
        return;
    const Lane selected = laneOf(*m_data.store, *m_selection.operation, m_data.now);
    const double half = height / 2 + 4;
    const double centre = y(selected.index + 1.0);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen{tokens().accent, 1.5});
    painter->drawRoundedRect(QRectF{QPointF{x(selected.begin) - 6, centre - half}, QPointF{x(selected.end) + 6, centre + half}}, 4, 4);
}

/// How long the same operations took in the baseline: a dashed line that ends in a bar, or in a grey ✕ where it was given up.
void LanesLayer::drawGhostLanes(QCPPainter *painter, double height) const
{
    const PixelRange range = pixels();
    Tokens colours = tokens();
    colours.text = colours.muted; // of the ✕
    LastMark lastRefusal;
    for (const OperationIndex index : operationsBetween(*m_data.ghostStore, range.from, range.to, kMostLanes)) {
        const Lane lane = laneOf(*m_data.ghostStore, index);
        const auto here = m_data.store->indexOf(lane.op);
        if (!here)
            continue;
        const QPointF end{x(lane.end), y(*here + 1.0)};
        painter->setPen(ghostPen());
        painter->drawLine(QPointF{x(lane.begin), end.y()}, end);
        painter->setPen(QPen{colours.muted, 1});
        if (lane.refusals.empty())
            painter->drawLine(end - QPointF{0, height / 2}, end + QPointF{0, height / 2});
        else if (hasRoom(end, lastRefusal))
            drawRefusal(*painter, end, laneHeight() < kThinLane ? 5.0 : std::max(7.0, height * 0.8), colours);
    }
}

/// The outline of all attempts of the baseline.
void LanesLayer::drawGhostStack(QCPPainter *painter) const
{
    const PixelRange range = pixels();
    const double seconds = keyAxis()->range().size() / std::max(1, range.width) * kBin;
    QPolygonF outline;
    double left = area().left();
    for (const Bar &bar : barsOf(m_data.ghost->attempts(), range)) {
        outline << QPointF{left, y(bar.total / seconds)} << QPointF{left + kBin, y(bar.total / seconds)};
        left += kBin;
    }
    painter->setPen(ghostPen());
    painter->setBrush(Qt::NoBrush);
    painter->drawPolyline(outline);
}

/// Where lanes are thin, one mark says it for its neighbours.
bool LanesLayer::hasRoom(const QPointF &at, LastMark &last) const
{
    if (last && laneHeight() < kThinLane && (at - *last).manhattanLength() < kMarksApart)
        return false;
    last = at;
    return true;
}

void LanesLayer::drawLane(QCPPainter *painter, const Lane &lane, double height, const QBrush &waits, LastMarks &last) const
{
    const Tokens &colours = tokens();
    const double centre = y(lane.index + 1.0);
    const auto bar = [&](MonotonicTime from, MonotonicTime to, double thick) {
        return QRectF{QPointF{x(from), centre - thick / 2}, QPointF{std::max(x(to), x(from) + 2.5), centre + thick / 2}};
    };
    painter->setPen(Qt::NoPen);
    for (const WaitSpan &wait : lane.waits) {
        painter->setBrush(waits);
        painter->setBrushOrigin(QPointF{area().left(), centre});
        painter->drawRect(bar(wait.begin, wait.end, height * 0.8));
    }
    for (const PacingSpan &pacing : lane.pacings) {
        painter->setPen(QPen{colours.muted, 1.5, Qt::DotLine});
        painter->drawLine(QPointF{x(pacing.begin), centre}, QPointF{x(pacing.end), centre});
    }
    for (const AttemptSpan &attempt : lane.attempts) {
        const QColor colour = attempt.outcome ? colourOf(*attempt.outcome, colours) : colours.accent;
        painter->setPen(Qt::NoPen);
        painter->setBrush(colour);
        const QRectF span = bar(attempt.begin, attempt.end, std::min(height * 0.8, 6.0));
        painter->drawRect(span);
        const bool marked = attempt.outcome && (*attempt.outcome != AttemptOutcome::Success || laneHeight() >= 6);
        if (marked && hasRoom({span.right(), centre}, last.outcome[static_cast<std::size_t>(*attempt.outcome)]))
            drawOutcome(*painter, QPointF{span.right(), centre}, std::max(8.0, height), *attempt.outcome, colours);
    }
    for (const WaitSpan &wait : lane.waits) {
        if (wait.asked)
            drawTick(*painter, QPointF{x(*wait.asked), centre}, height + 4, colours.rateLimited);
    }
    for (const Refusal &refusal : lane.refusals) {
        if (hasRoom({x(refusal.at), centre}, last.refusal))
            drawRefusal(*painter, QPointF{x(refusal.at), centre}, laneHeight() < kThinLane ? 6.0 : std::max(8.0, height), colours);
    }
}

void LanesLayer::drawStack(QCPPainter *painter)
{
    const PixelRange range = pixels();
    const double seconds = keyAxis()->range().size() / std::max(1, range.width) * kBin;
    const auto bars = barsOf(m_data.series->attempts(), range);
    std::vector<StackBox> boxes;
    for (std::size_t i = 0; i < bars.size(); ++i) {
        double below = 0;
        const double left = area().left() + static_cast<double>(i) * kBin;
        for (const AttemptOutcome outcome : kStacked) {
            const std::uint32_t count = bars[i].counts[static_cast<std::size_t>(outcome)];
            if (count == 0)
                continue;
            const double above = below + count / seconds;
            boxes.push_back({QRectF{QPointF{left, y(above)}, QPointF{left + kBin - 0.5, y(below)}}, outcome});
            below = above;
        }
    }
    if (pixelsAreTheDevices(*painter))
        m_pixels.paint(*painter, m_rect->rect(), boxes, tokens());
    else
        paintStack(*painter, boxes, tokens());
}

void LanesLayer::drawRefusals(QCPPainter *painter) const
{
    std::vector<RareMark> marks;
    m_data.series->rareEvents().read(pixels(), marks);
    Stamp refusals{
        *painter, 4, pixelsAreTheDevices(*painter), [](QPainter &on, const QPointF &centre) { drawRefusal(on, centre, 7, tokens()); }};
    for (const RareMark &mark : marks) {
        if (mark.rare == Rare::WaitExceeded)
            refusals.at({area().left() + mark.column, area().top() + 8});
    }
}

/// In a lane, what is nearest in time; in the stack, the nearest refusal, else the first attempt of the bar.
Row LanesLayer::rowAt(const QPointF &position) const
{
    const MonotonicTime moment = momentAt(keyAxis()->pixelToCoord(position.x()));
    if (!m_lanes) {
        if (const Row rare = nearestRare(position, {Rare::WaitExceeded, Rare::Refused}); rare != kNoRow)
            return rare;
        const auto [begin, end] = m_data.series->attempts().between(moment, MonotonicTime::max());
        return begin < end ? m_data.series->attempts().sample(begin).row : kNoRow;
    }
    const auto index = static_cast<std::int64_t>(std::llround(valueAxis()->pixelToCoord(position.y()))) - 1;
    const OperationIndex count = m_data.store->operationCount();
    constexpr double reach = 10;
    Row found = kNoRow;
    double nearest = 1e9;
    const auto reachLanes = static_cast<std::int64_t>(std::ceil(reach / std::max(0.1, laneHeight())));
    for (std::int64_t each = std::max<std::int64_t>(0, index - reachLanes); each <= index + reachLanes && each < count; ++each) {
        const Lane lane = laneOf(*m_data.store, static_cast<OperationIndex>(each), m_data.now);
        const double above = std::abs(y(static_cast<double>(each) + 1) - position.y());
        const auto consider = [&](MonotonicTime from, MonotonicTime to, Row row) {
            const double aside = std::max({0.0, x(from) - position.x(), position.x() - x(to)});
            const double distance = aside + above * 1.5;
            if (row != kNoRow && aside <= reach && above <= reach && distance < nearest) {
                nearest = distance;
                found = row;
            }
        };
        for (const Refusal &refusal : lane.refusals)
            consider(refusal.at, refusal.at, refusal.row);
        for (const AttemptSpan &attempt : lane.attempts)
            consider(attempt.begin, attempt.end, attempt.finished != kNoRow ? attempt.finished : attempt.started);
        for (const WaitSpan &wait : lane.waits)
            consider(wait.begin, wait.end, wait.row);
        for (const PacingSpan &pacing : lane.pacings)
            consider(pacing.begin, pacing.end, pacing.row);
    }
    return found;
}

} // namespace throttlescope::dashboard
