// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>
#include <functional>
#include <memory>

class QPainter;

namespace throttlescope::dashboard {

class RunPlot;

/// Plots of whole runs, one below another in one SVG file, as vectors and text. (Qt's writer of SVG cannot clip: what is out of
/// view would be drawn beside the plots.)
class SvgPages {
public:
    /// `count` pages of that size will come.
    SvgPages(const QSize &page, int count);
    ~SvgPages();

    void add(RunPlot &plot, const QString &heading);
    /// A page that is painted by somebody else.
    void add(const std::function<void(QPainter &painter, const QSize &page)> &paint);
    QByteArray finished();

private:
    struct Sheet;
    std::unique_ptr<Sheet> m_sheet;
};

} // namespace throttlescope::dashboard
