// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/lanes_layer.h"
#include "app/dashboard/plot/overlay_layer.h"
#include "app/dashboard/plot/time_ticker.h"
#include "app/dashboard/plot/value_tickers.h"
#include "app/dashboard/plot/waits_layer.h"
#include "app/dashboard/plot/windows_layer.h"

#include <QElapsedTimer>
#include <QTimer>
#include <functional>

namespace throttlescope::dashboard {

/// The four plots over one time axis, and what the mouse does to them. RunPlot is its face.
class PlotCanvas final : public QCustomPlot {
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds kFrame{33};

    explicit PlotCanvas(QWidget *parent = nullptr);

    PlotData data;
    PlotSelection selection;

    /// Draws anew in the next turn of the event loop, but no sooner than a frame after the last time: many changes, one replot.
    void changed();
    void replotNow();
    void applyLook();
    void setTimeRange(double from, double to);
    QCPRange timeRange() const { return m_panes.front()->axis(QCPAxis::atBottom)->range(); }
    /// The run from its beginning to now, with a little room.
    QCPRange wholeRun() const;
    void zoom(double factor, double about);
    void setWallZero(std::optional<WallTime> zero);
    void setHideNames(bool hide);
    bool showsLanes() const { return m_lanes->showsLanes(); }

Q_SIGNALS:
    void rowChosen(throttlescope::dashboard::Row row);
    void spanChosen(double from, double to);
    void spanCleared();
    void maxWaitMoved(throttlescope::Duration wait, bool released);
    /// By the user, not by Follow.
    void viewMoved();

protected:
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

private:
    enum class Drag { None, Pan, Span, MaxWait };

    QCPAxisRect *addPane(int row, double stretch, bool last);
    template <typename Layer>
    Layer *addLayer(QCPAxisRect *rect);
    double secondsUnder(const QPointF &position) const;

    std::vector<QCPAxisRect *> m_panes;
    std::vector<PlotLayer *> m_plotLayers;
    LanesLayer *m_lanes = nullptr;
    WaitsLayer *m_waits = nullptr;
    WindowsLayer *m_windows = nullptr;
    OverlayLayer *m_overlay = nullptr;
    QSharedPointer<TimeTicker> m_ticker{new TimeTicker};
    QSharedPointer<CountTicker> m_counts{new CountTicker};
    QTimer m_frame;
    QElapsedTimer m_sinceReplot;
    Drag m_drag = Drag::None;
    QPointF m_pressed;
    QCPRange m_pressedRange;
    bool m_moved = false;
};

} // namespace throttlescope::dashboard
