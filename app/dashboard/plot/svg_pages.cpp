// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/svg_pages.h"

#include "app/dashboard/plot/plot_canvas.h"
#include "app/dashboard/plot/run_plot.h"
#include "app/dashboard/theme/tokens.h"

#include <QBuffer>
#include <QSvgGenerator>

namespace throttlescope::dashboard {

namespace {

constexpr int kHeading = 36;

} // namespace

struct SvgPages::Sheet {
    QByteArray bytes;
    QBuffer buffer{&bytes};
    QSvgGenerator generator;
    QCPPainter painter;
    QSize page;
    int top = 0;
};

SvgPages::SvgPages(const QSize &page, int count)
    : m_sheet(std::make_unique<Sheet>())
{
    m_sheet->page = page;
    m_sheet->buffer.open(QIODevice::WriteOnly);
    const QRect whole{0, 0, page.width(), page.height() * count};
    m_sheet->generator.setOutputDevice(&m_sheet->buffer);
    m_sheet->generator.setSize(whole.size());
    m_sheet->generator.setViewBox(whole);
    m_sheet->generator.setTitle(QStringLiteral("Throttlescope"));
    if (m_sheet->painter.begin(&m_sheet->generator))
        m_sheet->painter.fillRect(whole, tokens().panel);
}

SvgPages::~SvgPages() = default;

void SvgPages::add(RunPlot &plot, const QString &heading)
{
    QCPPainter &painter = m_sheet->painter;
    if (!painter.isActive())
        return;
    painter.save();
    painter.translate(0, m_sheet->top);
    painter.setFont(textFont(TextSize::Headline, QFont::DemiBold));
    painter.setPen(tokens().text);
    painter.drawText(QRectF{16, 0, m_sheet->page.width() - 32.0, kHeading}, Qt::AlignVCenter | Qt::AlignLeft, heading);
    painter.translate(0, kHeading);
    painter.setMode(QCPPainter::pmVectorized);
    const auto [from, to] = plot.timeRange();
    plot.showAll();
    plot.canvas().replotNow(); // so that the axes know what is new
    plot.canvas().toPainter(&painter, m_sheet->page.width(), m_sheet->page.height() - kHeading);
    painter.restore();
    plot.setTimeRange(from, to);
    plot.canvas().replotNow(); // laid out for the screen again
    m_sheet->top += m_sheet->page.height();
}

void SvgPages::add(const std::function<void(QPainter &painter, const QSize &page)> &paint)
{
    QCPPainter &painter = m_sheet->painter;
    if (!painter.isActive())
        return;
    painter.save();
    painter.translate(0, m_sheet->top);
    paint(painter, m_sheet->page);
    painter.restore();
    m_sheet->top += m_sheet->page.height();
}

QByteArray SvgPages::finished()
{
    m_sheet->painter.end();
    return m_sheet->bytes;
}

} // namespace throttlescope::dashboard
