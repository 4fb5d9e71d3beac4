// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/sweep_paint.h"

#include <QWidget>

namespace throttlescope::dashboard {

/// The charts of a sweep. A click opens the run of a point, the arrow keys go from one to the next, Enter opens it.
class SweepView final : public QWidget {
    Q_OBJECT

public:
    explicit SweepView(QWidget *parent = nullptr);

    void setScene(const SweepScene &scene);
    const SweepScene &scene() const { return m_scene; }
    /// Where a point is drawn now, in the widget's own pixels; null: nowhere.
    QRectF placeOf(std::size_t point);
    QSize sizeHint() const override { return {820, 460}; }
    QSize minimumSizeHint() const override { return {320, 200}; }

Q_SIGNALS:
    void pointChosen(std::size_t point);
    void openAsked(std::size_t point);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    QRectF area() const { return QRectF{rect()}.adjusted(8, 6, -6, -6); }
    std::optional<std::size_t> pointAt(const QPointF &at) const;
    std::optional<std::size_t> moved(int columns, int rows) const;

    SweepScene m_scene;
    SweepPlaces m_places; ///< as they were painted last
};

} // namespace throttlescope::dashboard
