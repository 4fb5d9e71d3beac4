// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/render.h"

#include "app/dashboard/plot/run_plot.h"
#include "app/dashboard/plot/svg_pages.h"
#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/report_html.h"
#include "app/dashboard/window/whole_file.h"
#include "app/dashboard/window/widgets.h"
#include "app/dashboard/window/workspace.h"

#include <QBuffer>
#include <QEventLoop>
#include <QFileInfo>
#include <QPainter>
#include <QPdfWriter>
#include <QVBoxLayout>

namespace throttlescope::dashboard {

namespace {

bool isJournal(const QString &file)
{
    const QString suffix = QFileInfo{file}.suffix().toLower();
    return suffix == "jsonl" || suffix == "ndjson";
}

/// Opens the file and goes on until all of it is there.
RenderResult load(Workspace &workspace, const QString &file, const QStringList &set)
{
    if (!QFileInfo{file}.isReadable())
        return {3, QObject::tr("%1: cannot be read").arg(file)};
    QEventLoop loop;
    QObject::connect(&workspace, &Workspace::stateChanged, &loop, [&] {
        const bool over = workspace.state() == Workspace::State::Finished || !workspace.failure().isEmpty();
        if (over || (isJournal(file) && workspace.journalState().bytes > 0))
            loop.quit();
    });
    if (isJournal(file)) {
        workspace.openJournal(file);
    } else {
        LoadOptions options;
        for (const QString &each : set)
            options.set.push_back(each.toStdString());
        if (const LoadErrors errors = workspace.openScenario(file, options); !errors.empty())
            return {2, QString::fromStdString(errors.front().format())};
        workspace.run();
    }
    if (QFileInfo{file}.size() > 0)
        loop.exec();
    if (!workspace.failure().isEmpty())
        return {3, file + ": " + workspace.failure()};
    if (workspace.record().store.rowCount() == 0)
        return {2, QObject::tr("%1: holds no event").arg(file)};
    const auto &report = workspace.record().report;
    return {report && !report->passed() ? 1 : 0, {}};
}

/// A page as it is painted: name, figures, plots.
class RunSheet final : public QWidget {
public:
    RunSheet(const Workspace &workspace, const QSize &size)
    {
        setAttribute(Qt::WA_DontShowOnScreen);
        auto *column = new QVBoxLayout{this};
        column->setContentsMargins(0, 0, 0, 12);
        column->setSpacing(0);
        QWidget *head = new QWidget;
        head->setObjectName("Bar");
        head->setAttribute(Qt::WA_StyledBackground);
        auto *line = new QHBoxLayout{head};
        line->setContentsMargins(16, 10, 16, 10);
        line->addWidget(label(workspace.name(), "headline"));
        line->addWidget(label(workspace.file(), "label"));
        line->addStretch();
        column->addWidget(head);
        auto *figures = new FiguresBar;
        figures->show(workspace.record().figures.figures(), nullptr);
        column->addWidget(figures);
        QWidget *frame = panel();
        auto *inside = new QVBoxLayout{frame};
        inside->setContentsMargins(14, 10, 14, 10);
        m_plot = new RunPlot;
        m_plot->setData(workspace.plotData());
        inside->addWidget(m_plot);
        auto *margins = new QVBoxLayout;
        margins->setContentsMargins(12, 8, 12, 0);
        margins->addWidget(frame);
        column->addLayout(margins, 1);
        resize(size);
        show(); // off every screen: lays it out
        m_plot->showAll();
    }
    QImage picture(double scale = 1)
    {
        m_plot->picture({10, 10}); // draws what is new
        QImage image{(QSizeF{size()} * scale).toSize(), QImage::Format_ARGB32_Premultiplied};
        image.setDevicePixelRatio(scale);
        image.fill(tokens().window);
        QWidget::render(&image);
        return image;
    }
    RunPlot &plot() { return *m_plot; }
    QImage plots()
    {
        m_plot->picture({10, 10});
        return m_plot->picture(m_plot->size(), 2);
    }

private:
    RunPlot *m_plot;
};

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

RenderResult render(const RenderOrder &order)
{
    const QString suffix = QFileInfo{order.out}.suffix().toLower();
    if (!QStringList{"png", "svg", "pdf", "html"}.contains(suffix))
        return {2, QObject::tr("%1: expected a name that ends in .png, .svg, .pdf or .html").arg(order.out)};
    if (order.files.isEmpty())
        return {2, QObject::tr("--render: expected a journal or a scenario to draw")};
    RenderResult result;
    std::vector<QImage> pages;
    QByteArray sections;
    std::optional<SvgPages> drawing;
    for (const QString &file : order.files) {
        Workspace workspace;
        RenderResult loaded = load(workspace, file, order.set);
        if (loaded.exitCode > 1)
            return loaded;
        result.exitCode = std::max(result.exitCode, loaded.exitCode);
        RunSheet sheet{workspace, order.size};
        if (suffix == "svg") {
            if (!drawing)
                drawing.emplace(order.size, static_cast<int>(order.files.size()));
            drawing->add(sheet.plot(), workspace.name());
        } else if (suffix == "html")
            sections += htmlSection(workspace, sheet.plots());
        else
            pages.push_back(sheet.picture(suffix == "pdf" ? 2 : 1));
    }
    result.problem = suffix == "html" ? writeWhole(order.out, htmlPage(sections))
        : suffix == "svg"             ? writeWhole(order.out, drawing->finished())
        : suffix == "png"             ? writePicture(order.out, pages)
                                      : writeDocument(order.out, pages);
    if (!result.problem.isEmpty())
        result.exitCode = 3;
    return result;
}

} // namespace throttlescope::dashboard
