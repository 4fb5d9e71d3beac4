// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_charts.h"

#include <QPainter>
#include <QRectF>
#include <optional>
#include <vector>

/// The charts of a sweep on any painter: a widget's, a picture's, an SVG's.
namespace throttlescope::dashboard {

enum class SweepForm { Curves, Maps, Pareto };
/// What suits it: curves over one knob, maps over several, the Pareto set where points are drawn at random.
SweepForm formOf(const SweepResult &result);

/// What is drawn of it.
struct SweepScene {
    SweepPointer result;
    SweepForm form = SweepForm::Curves;
    std::vector<std::size_t> metrics; ///< a curve or a map each
    std::size_t across = 0, up = 1; ///< axes of the maps
    std::optional<std::size_t> chosen; ///< a point
    bool speaks = true; ///< says in words what it comes to; a page says it itself
};

/// Where a point can be clicked.
struct SweepPlace {
    QRectF area;
    std::size_t point = 0;
};
using SweepPlaces = std::vector<SweepPlace>;

/// A line of words and legend, then the charts, as many beside one another as there is room for.
void paintSweep(QPainter &painter, const QRectF &room, const SweepScene &scene, SweepPlaces *places = nullptr);

void paintCurve(QPainter &painter, const QRectF &room, const SweepScene &scene, std::size_t metric, SweepPlaces *places);
void paintMap(QPainter &painter, const QRectF &room, const SweepScene &scene, std::size_t metric, SweepPlaces *places);
void paintPareto(QPainter &painter, const QRectF &room, const SweepScene &scene, SweepPlaces *places);
void paintLegend(QPainter &painter, const QRectF &line, const SweepScene &scene);

} // namespace throttlescope::dashboard
