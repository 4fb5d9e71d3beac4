// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/plot_canvas.h"

#include "app/dashboard/plot/breaker_layer.h"

#include <cmath>

namespace throttlescope::dashboard {

namespace {

constexpr double kClick = 4; ///< pixels that a click may move
constexpr double kShortestRange = 1e-4; ///< seconds
constexpr int kLeftMargin = 64;

} // namespace

PlotCanvas::PlotCanvas(QWidget *parent)
    : QCustomPlot(parent)
{
    setObjectName("canvas");
    setFocusPolicy(Qt::NoFocus);
    setMouseTracking(true);
    setNoAntialiasingOnDrag(true);
    layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmLogical); // nothing is drawn there: no second picture to clear and lay over
    plotLayout()->clear();
    plotLayout()->setRowSpacing(2);
    const std::array<double, 4> stretches{3.2, 1.5, 1.4, 0.9};
    for (int row = 0; row < 4; ++row)
        m_panes.push_back(addPane(row, stretches.at(static_cast<std::size_t>(row)), row == 3));
    static const EventStore nothing;
    static const PlotSeries noSeries;
    data.store = &nothing;
    data.series = &noSeries;
    m_lanes = addLayer<LanesLayer>(m_panes[0]);
    m_waits = addLayer<WaitsLayer>(m_panes[1]);
    m_windows = addLayer<WindowsLayer>(m_panes[2]);
    addLayer<BreakerLayer>(m_panes[3]);
    const std::vector<OverlayLayer::Pane> panes{
        {m_panes[0], "Operations"}, {m_panes[1], "Waits"}, {m_panes[2], "Windows"}, {m_panes[3], "Breaker · budget"}};
    new OverlayLayer{this, OverlayLayer::Part::Below, panes, data, selection}; // the plot owns its layers
    m_overlay = new OverlayLayer{this, OverlayLayer::Part::Above, panes, data, selection};
    m_frame.setSingleShot(true);
    connect(&m_frame, &QTimer::timeout, this, &PlotCanvas::replotNow);
    applyLook();
    setTimeRange(0, 60);
}

QCPAxisRect *PlotCanvas::addPane(int row, double stretch, bool last)
{
    auto *rect = new QCPAxisRect{this, true};
    plotLayout()->addElement(row, 0, rect);
    plotLayout()->setRowStretchFactor(row, stretch);
    rect->setAutoMargins(QCP::msNone);
    rect->axis(QCPAxis::atTop)->setVisible(false);
    rect->axis(QCPAxis::atRight)->setVisible(false);
    QCPAxis *time = rect->axis(QCPAxis::atBottom);
    time->setTicker(m_ticker);
    time->setTickLabels(last);
    time->grid()->setVisible(false);
    if (row == 0)
        rect->axis(QCPAxis::atLeft)->setTicker(m_counts);
    if (row == 1) {
        rect->axis(QCPAxis::atLeft)->setScaleType(QCPAxis::stLogarithmic);
        rect->axis(QCPAxis::atLeft)->setTicker(QSharedPointer<WaitTicker>{new WaitTicker});
    }
    if (row == 2)
        rect->axis(QCPAxis::atLeft)->setTicker(QSharedPointer<PercentTicker>{new PercentTicker});
    rect->axis(QCPAxis::atLeft)->grid()->setVisible(row == 1 || row == 2);
    rect->axis(QCPAxis::atLeft)->setVisible(row != 3);
    return rect;
}

template <typename Layer>
Layer *PlotCanvas::addLayer(QCPAxisRect *rect)
{
    auto *layer = new Layer{rect, data, selection};
    m_plotLayers.push_back(layer);
    return layer;
}

void PlotCanvas::applyLook()
{
    const Tokens &colours = tokens();
    setBackground(colours.panel);
    for (QCPAxisRect *rect : m_panes) {
        const auto scaled = [](int pixels) { return qRound(pixels * textScale()); };
        rect->setMargins(QMargins{scaled(kLeftMargin), scaled(20), 16, rect == m_panes.back() ? scaled(26) : 4});
        if (rect == m_panes.back())
            rect->setMinimumSize(QSize{50, scaled(46)}); // of two rows
        for (QCPAxis *axis : {rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft)}) {
            axis->setBasePen(axis->axisType() == QCPAxis::atBottom ? QPen{colours.line} : QPen{Qt::NoPen});
            axis->setTickPen(Qt::NoPen);
            axis->setSubTickPen(Qt::NoPen);
            axis->setTickLabelColor(colours.muted);
            axis->setTickLabelFont(textFont(TextSize::Label));
            axis->setTickLabelPadding(6);
            axis->grid()->setPen(QPen{colours.grid});
            axis->grid()->setZeroLinePen(Qt::NoPen);
            axis->grid()->setSubGridVisible(false);
        }
    }
    changed();
}

void PlotCanvas::changed()
{
    if (!m_frame.isActive())
        m_frame.start(m_sinceReplot.isValid() ? std::max(kFrame - std::chrono::milliseconds{m_sinceReplot.elapsed()}, 0ms) : 0ms);
}

void PlotCanvas::replotNow()
{
    m_frame.stop();
    plotLayout()->update(QCPLayoutElement::upLayout); // pixels are counted by the layers before they are drawn
    for (PlotLayer *layer : m_plotLayers) {
        layer->fitValueAxis();
        QCPAxisRect *rect = layer->axisRect();
        rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(std::clamp(qRound(rect->height() / (20 * textScale())), 1, 5));
    }
    m_counts->setLeast(m_lanes->showsLanes() ? 1 : 0);
    m_overlay->setLanesTitle(m_lanes->showsLanes() ? "Operations" : "Attempts a second");
    replot(QCustomPlot::rpImmediateRefresh);
    m_sinceReplot.start();
}

void PlotCanvas::setTimeRange(double from, double to)
{
    if (!std::isfinite(from) || !std::isfinite(to) || to - from < kShortestRange)
        return;
    for (QCPAxisRect *rect : m_panes)
        rect->axis(QCPAxis::atBottom)->setRange(from, to);
    changed();
}

QCPRange PlotCanvas::wholeRun() const
{
    const double end = secondsAt(std::max({data.now, data.store->end(), data.ghostEnd()}));
    const double begin = std::min(0.0, secondsAt(data.store->begin()));
    const double size = std::max(1e-3, end - begin);
    return {begin - size * 0.005, end + size * 0.03};
}

void PlotCanvas::zoom(double factor, double about)
{
    const QCPRange range = timeRange();
    const QCPRange whole = wholeRun();
    const double size = std::clamp(range.size() * factor, kShortestRange, std::max(whole.size() * 4, 1.0));
    const double share = (about - range.lower) / range.size();
    setTimeRange(about - size * share, about + size * (1 - share));
}

void PlotCanvas::setWallZero(std::optional<WallTime> zero)
{
    m_ticker->setWallZero(zero);
    changed();
}

void PlotCanvas::setHideNames(bool hide)
{
    m_overlay->setHideNames(hide);
    m_windows->setHideNames(hide);
    changed();
}

double PlotCanvas::secondsUnder(const QPointF &position) const
{
    return m_panes.front()->axis(QCPAxis::atBottom)->pixelToCoord(position.x());
}

void PlotCanvas::wheelEvent(QWheelEvent *event)
{
    const double steps = event->angleDelta().y() / 120.0;
    if (steps != 0) {
        zoom(std::pow(0.8, steps), secondsUnder(event->position()));
        Q_EMIT viewMoved();
    }
    event->accept();
}

void PlotCanvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = event->position();
    m_pressedRange = timeRange();
    m_moved = false;
    if (event->modifiers().testFlag(Qt::ShiftModifier))
        m_drag = Drag::Span;
    else
        m_drag = m_waits->isOnMaxWait(m_pressed) ? Drag::MaxWait : Drag::Pan;
    m_waits->setMaxWaitHeld(m_drag == Drag::MaxWait);
}

void PlotCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF position = event->position();
    m_moved = m_moved || (position - m_pressed).manhattanLength() > kClick;
    switch (m_drag) {
    case Drag::None: setCursor(m_waits->isOnMaxWait(position) ? Qt::SizeVerCursor : Qt::ArrowCursor); return;
    case Drag::MaxWait: Q_EMIT maxWaitMoved(m_waits->maxWaitAt(position), false); return;
    case Drag::Span:
        m_overlay->setRubber(std::pair{secondsUnder(m_pressed), secondsUnder(position)});
        changed();
        return;
    case Drag::Pan: break;
    }
    if (!m_moved)
        return;
    const double perPixel = m_pressedRange.size() / std::max(1, m_panes.front()->rect().width());
    const double by = (m_pressed.x() - position.x()) * perPixel;
    setTimeRange(m_pressedRange.lower + by, m_pressedRange.upper + by);
    Q_EMIT viewMoved();
}

void PlotCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    m_waits->setMaxWaitHeld(false);
    const QPointF position = event->position();
    if (drag == Drag::MaxWait)
        Q_EMIT maxWaitMoved(m_waits->maxWaitAt(position), true);
    if (drag == Drag::Span) {
        m_overlay->setRubber(std::nullopt);
        const double from = std::min(secondsUnder(m_pressed), secondsUnder(position));
        const double to = std::max(secondsUnder(m_pressed), secondsUnder(position));
        if (m_moved)
            Q_EMIT spanChosen(from, to);
        else
            Q_EMIT spanCleared();
        changed();
    }
    if (drag != Drag::Pan || m_moved)
        return;
    for (const PlotLayer *layer : m_plotLayers) {
        if (layer->axisRect()->rect().contains(position.toPoint()))
            Q_EMIT rowChosen(layer->rowAt(position));
    }
}

} // namespace throttlescope::dashboard
