// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/report_pages.h"

#include "app/dashboard/data/whole_file.h"
#include "app/dashboard/plot/svg_pages.h"
#include "app/dashboard/window/png.h"
#include "app/dashboard/window/report_html.h"
#include "app/dashboard/window/sweep_report.h"

#include <QBuffer>
#include <QFileInfo>
#include <QObject>
#include <QPageLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <utility>

namespace throttlescope::dashboard {

namespace {

QString writePicture(const QString &out, const std::vector<QImage> &pages)
{
    int height = 0;
    for (const QImage &page : pages)
        height += page.height();
    QImage all{pages.front().width(), height, QImage::Format_RGB32};
    QPainter painter{&all};
    int top = 0;
    for (const QImage &page : pages) {
        painter.drawImage(0, top, page);
        top += page.height();
    }
    painter.end();
    return writeWhole(out, pngOf(all));
}

QString writeDocument(const QString &out, const std::vector<QImage> &pages)
{
    QByteArray bytes;
    QBuffer buffer{&bytes};
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer{&buffer}; // which tells of no full disk
    writer.setCreator("Throttlescope");
    writer.setPageSize(QPageSize{QPageSize::A4});
    writer.setPageOrientation(QPageLayout::Landscape);
    writer.setPageMargins({8, 8, 8, 8}, QPageLayout::Millimeter);
    QPainter painter;
    if (!painter.begin(&writer))
        return QObject::tr("%1: could not be written").arg(out);
    bool first = true;
    for (const QImage &page : pages) {
        if (!std::exchange(first, false))
            writer.newPage();
        const QRect room = painter.viewport();
        const QSize size = page.size().scaled(room.size(), Qt::KeepAspectRatio);
        painter.drawImage(QRect{QPoint{(room.width() - size.width()) / 2, 0}, size}, page);
    }
    painter.end();
    return writeWhole(out, bytes);
}

} // namespace

ReportPages::ReportPages(QString out, const QSize &size, int count)
    : m_out(std::move(out))
    , m_suffix(QFileInfo{m_out}.suffix().toLower())
    , m_size(size)
    , m_count(count)
{
}

ReportPages::~ReportPages() = default;

bool ReportPages::isKnown() const
{
    return isDrawing() || isText() || m_suffix == "png" || m_suffix == "pdf";
}

SvgPages &ReportPages::drawing()
{
    if (!m_drawing)
        m_drawing = std::make_unique<SvgPages>(m_size, m_count);
    return *m_drawing;
}

void ReportPages::add(RunPlot &plot, const QString &heading)
{
    drawing().add(plot, heading);
}

void ReportPages::add(const SweepPointer &sweep)
{
    if (isDrawing())
        drawing().add([&sweep](QPainter &painter, const QSize &size) { paintSweepSheet(painter, size, sweep); });
    else if (isText())
        add(sweepSection(sweep));
    else
        add(sweepPicture(m_size, scale(), sweep));
}

QString ReportPages::write()
{
    if (isText())
        return writeWhole(m_out, htmlPage(m_sections));
    if (isDrawing())
        return writeWhole(m_out, drawing().finished());
    return m_suffix == "png" ? writePicture(m_out, m_pages) : writeDocument(m_out, m_pages);
}

QString writeSweepReport(const QString &file, const SweepPointer &result)
{
    ReportPages pages{file, {1600, 1000}, 1};
    if (!pages.isKnown())
        return QObject::tr("%1: expected a name that ends in html, svg, png or pdf").arg(QFileInfo{file}.fileName());
    pages.add(result);
    return pages.write();
}

} // namespace throttlescope::dashboard
