// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/plot_data.h"

#include <QImage>
#include <QWidget>
#include <optional>

namespace throttlescope::dashboard {

class PlotCanvas;

/// The four plots of a run over one time axis: lanes, waits, windows, breaker and budget. The wheel zooms time, a drag pans,
/// Shift+drag selects a span, a click chooses an event, the max_wait line can be dragged. Zoom never filters.
class RunPlot final : public QWidget {
    Q_OBJECT

public:
    explicit RunPlot(QWidget *parent = nullptr);

    /// The run from here on; what it points to outlives the plot.
    void setData(const PlotData &data);
    const PlotData &data() const;
    void setSelection(const PlotSelection &selection);
    const PlotSelection &selection() const;

    /// Many changes make one replot, at most thirty a second.
    void changed();
    void applyLook();
    void setFollow(bool follow);
    bool follows() const { return m_follow; }
    void setWallZero(std::optional<WallTime> zero);

    void setHideNames(bool hide);

    void showAll();
    void zoomIn();
    void zoomOut();
    /// Moves the view, as little as it takes, so that the moment is seen.
    void reveal(MonotonicTime time);
    std::pair<double, double> timeRange() const;
    void setTimeRange(double from, double to);

    /// As it stands, in this size.
    QImage picture(const QSize &size, double scale = 1);
    PlotCanvas &canvas() { return *m_canvas; }
    QByteArray pdf(const QSize &size);

Q_SIGNALS:
    void rowChosen(throttlescope::dashboard::Row row);
    void spanChosen(throttlescope::MonotonicTime from, throttlescope::MonotonicTime to);
    void spanCleared();
    void maxWaitMoved(throttlescope::Duration wait, bool released);
    void followChanged(bool follow);

private:
    PlotCanvas *m_canvas;
    bool m_follow = true;
};

} // namespace throttlescope::dashboard
