// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/render.h"

#include "app/dashboard/plot/run_plot.h"
#include "app/dashboard/sweep/sweep_session.h"
#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/report_html.h"
#include "app/dashboard/window/report_pages.h"
#include "app/dashboard/window/widgets.h"
#include "app/dashboard/window/workspace.h"

#include <QEventLoop>
#include <QFileInfo>
#include <QVBoxLayout>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

bool isJournal(const QString &file)
{
    const QString suffix = QFileInfo{file}.suffix().toLower();
    return suffix == "jsonl" || suffix == "ndjson";
}

QString withBrokenLine(const QString &words, const Workspace &workspace)
{
    return workspace.brokenLine().isEmpty() ? words : words + QObject::tr(" (%1)").arg(workspace.brokenLine());
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
        return {2, withBrokenLine(QObject::tr("%1: holds no event").arg(file), workspace)};
    const auto &report = workspace.record().report;
    const quint64 broken = workspace.journalState().brokenLines;
    const QString leftOut = broken == 1 ? QObject::tr("%1: a broken line is left out").arg(file)
        : broken > 1                    ? QObject::tr("%1: %2 broken lines are left out").arg(file).arg(broken)
                                        : QString{};
    return {report && !report->passed() ? 1 : 0, withBrokenLine(leftOut, workspace)};
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

RenderResult addRun(ReportPages &pages, const QString &file, const RenderOrder &order)
{
    Workspace workspace;
    RenderResult loaded = load(workspace, file, order.set);
    if (loaded.exitCode > 1)
        return loaded;
    RunSheet sheet{workspace, order.size};
    if (pages.isDrawing())
        pages.add(sheet.plot(), workspace.name());
    else if (pages.isText())
        pages.add(htmlSection(workspace, sheet.plots()));
    else
        pages.add(sheet.picture(pages.scale()));
    return loaded;
}

/// A sweep expects nothing: that some of its points fail is what it is for.
RenderResult addSweep(ReportPages &pages, const QString &file)
{
    SweepSession session;
    if (const QString problem = session.open(file); !problem.isEmpty())
        return {2, problem};
    session.finish();
    if (session.result()->points.empty())
        return {2, QObject::tr("%1: holds no run").arg(file)};
    pages.add(session.result());
    return {};
}

} // namespace

RenderResult render(const RenderOrder &order)
{
    ReportPages pages{order.out, order.size, static_cast<int>(order.files.size())};
    if (!pages.isKnown())
        return {2, QObject::tr("%1: expected a name that ends in .png, .svg, .pdf or .html").arg(order.out)};
    if (order.files.isEmpty())
        return {2, QObject::tr("--render: expected a journal, a scenario or a sweep to draw")};
    RenderResult result;
    QStringList leftOut;
    for (const QString &file : order.files) {
        RenderResult drawn = isSweepFile(file) ? addSweep(pages, file) : addRun(pages, file, order);
        if (drawn.exitCode > 1)
            return drawn;
        result.exitCode = std::max(result.exitCode, drawn.exitCode);
        if (!drawn.problem.isEmpty())
            leftOut << drawn.problem;
    }
    result.problem = pages.write();
    if (!result.problem.isEmpty())
        result.exitCode = 3;
    else
        result.problem = leftOut.join('\n');
    return result;
}

} // namespace throttlescope::dashboard
