// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_result.h"

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QString>
#include <memory>
#include <vector>

namespace throttlescope::dashboard {

class RunPlot;
class SvgPages;

/// The pages of a report, in the form that the file's ending says: sections of one HTML page, pictures, or one drawing.
class ReportPages {
public:
    /// `count` pages of that size will come.
    ReportPages(QString out, const QSize &size, int count);
    ~ReportPages();

    bool isKnown() const; ///< the ending
    bool isText() const { return m_suffix == "html"; }
    bool isDrawing() const { return m_suffix == "svg"; }
    double scale() const { return m_suffix == "pdf" ? 2 : 1; } ///< of pictures

    void add(const QByteArray &section) { m_sections += section; }
    void add(const QImage &page) { m_pages.push_back(page); }
    void add(RunPlot &plot, const QString &heading);
    void add(const SweepPointer &sweep);

    /// Empty: done, else why not.
    QString write();

private:
    SvgPages &drawing();

    QString m_out, m_suffix;
    QSize m_size;
    int m_count;
    QByteArray m_sections;
    std::vector<QImage> m_pages;
    std::unique_ptr<SvgPages> m_drawing;
};

/// One sweep, by the file's ending. Empty: done, else why not.
QString writeSweepReport(const QString &file, const SweepPointer &result);

} // namespace throttlescope::dashboard
