// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

namespace throttlescope::dashboard {

/// What `--render` is to do.
struct RenderOrder {
    QString out; ///< png, svg, pdf or html
    QStringList files; ///< journals, scenarios and sweeps
    QStringList set; ///< of scenarios
    QSize size{1600, 1000};
};

struct RenderResult {
    int exitCode = 0; ///< 0, 1 an expectation failed, 2 an invalid file, 3 it could not be done
    QString problem; ///< for stderr
};

/// Draws runs without anybody who looks: figures, plots, failed expectations and the story of the first call that was given up;
/// an SVG has the plots alone. Of a sweep its charts, the Pareto set and, in HTML, the table of its points.
/// The HTML is one file that needs nothing else.
RenderResult render(const RenderOrder &order);

} // namespace throttlescope::dashboard
