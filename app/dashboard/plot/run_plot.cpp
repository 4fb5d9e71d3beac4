// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/run_plot.h"

#include "app/dashboard/plot/plot_canvas.h"

#include <QBuffer>
#include <QPdfWriter>
#include <QVBoxLayout>

namespace throttlescope::dashboard {

namespace {

constexpr double kStep = 0.6; ///< of a zoom by key

} // namespace

RunPlot::RunPlot(QWidget *parent)
    : QWidget(parent)
    , m_canvas(new PlotCanvas{this})
{
    auto *layout = new QVBoxLayout{this};
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_canvas);
    setAccessibleName(tr("Plots of the run"));
    connect(m_canvas, &PlotCanvas::rowChosen, this, &RunPlot::rowChosen);
    connect(m_canvas, &PlotCanvas::spanChosen, this, [this](double from, double to) { Q_EMIT spanChosen(momentAt(from), momentAt(to)); });
    connect(m_canvas, &PlotCanvas::spanCleared, this, &RunPlot::spanCleared);
    connect(m_canvas, &PlotCanvas::maxWaitMoved, this, &RunPlot::maxWaitMoved);
    connect(m_canvas, &PlotCanvas::viewMoved, this, [this] {
        setFollow(false);
        Q_EMIT followChanged(false);
    });
}

void RunPlot::setData(const PlotData &data)
{
    m_canvas->data = data;
    const QString all = tr("Operations, waits, windows, breaker and budget over time; the event table below tells the same.");
    setAccessibleDescription(data.nothingThrottled() ? tr("Nothing throttled: no call was told to wait.") + ' ' + all : all);
    changed();
}

const PlotData &RunPlot::data() const
{
    return m_canvas->data;
}

void RunPlot::setSelection(const PlotSelection &selection)
{
    m_canvas->selection = selection;
    m_canvas->changed();
}

const PlotSelection &RunPlot::selection() const
{
    return m_canvas->selection;
}

void RunPlot::changed()
{
    if (m_follow) {
        const QCPRange whole = m_canvas->wholeRun();
        m_canvas->setTimeRange(whole.lower, whole.upper);
    }
    m_canvas->changed();
}

void RunPlot::applyLook()
{
    m_canvas->applyLook();
}

void RunPlot::setFollow(bool follow)
{
    m_follow = follow;
    if (follow)
        changed();
}

void RunPlot::setWallZero(std::optional<WallTime> zero)
{
    m_canvas->setWallZero(zero);
}

void RunPlot::setHideNames(bool hide)
{
    m_canvas->setHideNames(hide);
}

void RunPlot::showAll()
{
    const QCPRange whole = m_canvas->wholeRun();
    m_canvas->setTimeRange(whole.lower, whole.upper);
}

void RunPlot::zoomIn()
{
    m_canvas->zoom(kStep, m_canvas->timeRange().center());
    setFollow(false);
    Q_EMIT followChanged(false);
}

void RunPlot::zoomOut()
{
    m_canvas->zoom(1 / kStep, m_canvas->timeRange().center());
    setFollow(false);
    Q_EMIT followChanged(false);
}

void RunPlot::reveal(MonotonicTime time)
{
    const QCPRange range = m_canvas->timeRange();
    const double at = secondsAt(time);
    if (range.contains(at))
        return;
    m_canvas->setTimeRange(at - range.size() / 2, at + range.size() / 2);
    setFollow(false);
    Q_EMIT followChanged(false);
}

std::pair<double, double> RunPlot::timeRange() const
{
    return {m_canvas->timeRange().lower, m_canvas->timeRange().upper};
}

void RunPlot::setTimeRange(double from, double to)
{
    m_canvas->setTimeRange(from, to);
}

QImage RunPlot::picture(const QSize &size, double scale)
{
    m_canvas->replotNow();
    QImage made = m_canvas->toPixmap(size.width(), size.height(), scale).toImage();
    m_canvas->replotNow(); // laid out for the screen again
    return made;
}

QByteArray RunPlot::pdf(const QSize &size)
{
    constexpr int pointsAnInch = 72; // a pixel is a point
    QByteArray bytes;
    QBuffer buffer{&bytes};
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer{&buffer};
    writer.setCreator(QStringLiteral("Throttlescope"));
    writer.setResolution(pointsAnInch);
    writer.setPageMargins({});
    writer.setPageSize(QPageSize{QSizeF{size}, QPageSize::Point, {}, QPageSize::ExactMatch});
    m_canvas->replotNow();
    QCPPainter painter;
    if (!painter.begin(&writer))
        return {};
    painter.setMode(QCPPainter::pmVectorized);
    m_canvas->toPainter(&painter, size.width(), size.height());
    painter.end();
    m_canvas->replotNow(); // laid out for the screen again
    return bytes;
}

} // namespace throttlescope::dashboard
