// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/sweep_view.h"

#include "app/dashboard/sweep/sweep_moves.h"
#include "app/dashboard/theme/tokens.h"
#include "simulator/sweep/sweep_words.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace throttlescope::dashboard {

namespace {

QString formName(const SweepScene &scene)
{
    switch (scene.form) {
    case SweepForm::Curves: return SweepView::tr("Curves of the sweep");
    case SweepForm::Maps: return SweepView::tr("Heat maps of the sweep");
    case SweepForm::Pareto: return SweepView::tr("Pareto set of the sweep");
    }
    return {};
}

} // namespace

SweepView::SweepView(QWidget *parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Charts of the sweep"));
}

void SweepView::setScene(const SweepScene &scene)
{
    m_scene = scene;
    setAccessibleName(formName(scene));
    setAccessibleDescription(scene.result && scene.chosen
            ? QString::fromStdString(pointSentence(*scene.result, *scene.chosen))
            : tr("Arrow keys go from point to point, Enter opens a run. The table below has the same figures."));
    update();
}

void SweepView::paintEvent(QPaintEvent *)
{
    QPainter painter{this};
    m_places.clear();
    paintSweep(painter, area(), m_scene, &m_places);
    if (hasFocus()) {
        painter.setPen(QPen{tokens().accent, 1});
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
}

/// Of the Pareto chart's dots the one on top, which was painted last.
std::optional<std::size_t> SweepView::pointAt(const QPointF &at) const
{
    for (auto place = m_places.rbegin(); place != m_places.rend(); ++place) {
        if (place->area.contains(at))
            return place->point;
    }
    return std::nullopt;
}

QRectF SweepView::placeOf(std::size_t point)
{
    grab(); // as it is painted now
    for (const SweepPlace &place : m_places) {
        if (place.point == point)
            return place.area;
    }
    return {};
}

void SweepView::mousePressEvent(QMouseEvent *event)
{
    const auto point = event->button() == Qt::LeftButton ? pointAt(event->position()) : std::nullopt;
    if (!point)
        return QWidget::mousePressEvent(event);
    Q_EMIT pointChosen(*point);
    Q_EMIT openAsked(*point);
}

void SweepView::mouseMoveEvent(QMouseEvent *event)
{
    setCursor(pointAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

bool SweepView::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const auto point = pointAt(help->pos());
    if (point && m_scene.result)
        QToolTip::showText(help->globalPos(), QString::fromStdString(pointSentence(*m_scene.result, *point)), this);
    else
        QToolTip::hideText();
    return true;
}

std::optional<std::size_t> SweepView::moved(int columns, int rows) const
{
    const SweepResult &result = *m_scene.result;
    switch (m_scene.form) {
    case SweepForm::Curves: return alongAxis(result, m_scene.chosen, columns + rows);
    case SweepForm::Maps: return inMap(result, m_scene.chosen, m_scene.across, m_scene.up, columns, rows);
    case SweepForm::Pareto: return byFinish(result, m_scene.chosen, columns + rows);
    }
    return m_scene.chosen;
}

void SweepView::keyPressEvent(QKeyEvent *event)
{
    if (!m_scene.result || m_scene.result->points.empty())
        return QWidget::keyPressEvent(event);
    std::optional<std::size_t> to;
    switch (event->key()) {
    case Qt::Key_Left: to = moved(-1, 0); break;
    case Qt::Key_Right: to = moved(1, 0); break;
    case Qt::Key_Up: to = moved(0, 1); break;
    case Qt::Key_Down: to = moved(0, -1); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_scene.chosen)
            Q_EMIT openAsked(*m_scene.chosen);
        return;
    default: return QWidget::keyPressEvent(event);
    }
    if (to)
        Q_EMIT pointChosen(*to);
}

} // namespace throttlescope::dashboard
