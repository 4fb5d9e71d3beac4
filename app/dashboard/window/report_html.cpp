// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/report_html.h"

#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/png.h"
#include "app/dashboard/window/widgets.h"
#include "app/dashboard/window/workspace.h"

namespace throttlescope::dashboard {

namespace {

QString escaped(const std::string &words)
{
    return QString::fromStdString(words).toHtmlEscaped();
}

QString figuresTable(const Figures &figures)
{
    QString names, values;
    for (const FigureValue &figure : figureValues(figures)) {
        names += "<th scope=\"col\">" + text(figure.name).toHtmlEscaped() + "</th>";
        values += "<td>" + escaped(figureText(figure)) + "</td>";
    }
    return "<table class=\"figures\"><thead><tr>" + names + "</tr></thead><tbody><tr>" + values + "</tr></tbody></table>\n";
}

QString embedded(const QImage &picture)
{
    return QStringLiteral("<img alt=\"operations, waits, windows, breaker and budget over time\" src=\"data:image/png;base64,%1\">\n")
        .arg(QString::fromLatin1(pngOf(picture).toBase64()));
}

QString failedExpectations(const RunReport *report)
{
    if (!report || report->judged.empty())
        return {};
    QString rows;
    for (const Judged &judged : report->judged) {
        if (!judged.passed)
            rows += "<tr><td>" + escaped(judged.name) + "</td><td>" + escaped(judged.expected) + "</td><td>" + escaped(judged.got)
                + "</td></tr>\n";
    }
    if (rows.isEmpty())
        return QStringLiteral("<p>All %1 expectations hold.</p>\n").arg(report->judged.size());
    return "<h2 class=\"alarm\">Failed "
           "expectations</h2>\n<table><thead><tr><th>metric</th><th>expected</th><th>got</th></tr></thead><tbody>\n"
        + rows + "</tbody></table>\n";
}

QString firstExcess(const Workspace &workspace)
{
    const RunRecord &record = workspace.record();
    const auto row = record.series.rareEvents().next({Rare::WaitExceeded}, 0);
    if (!row)
        return QStringLiteral("<p>No call was given up because of max_wait.</p>\n");
    const Inspection story = workspace.inspect(record.store.op(*row));
    QString out = QStringLiteral("<h2>The first call that was given up: operation %1</h2>\n").arg(story.op);
    out += "<p><strong>" + escaped(story.headline) + "</strong></p>\n<p>";
    for (const std::string &sentence : story.sentences)
        out += escaped(sentence) + ' ';
    out += "</p>\n";
    if (const DecisionStory *decision = story.decisions.empty() ? nullptr : &story.decisions.back()) {
        if (!decision->header.empty())
            out += "<pre>" + escaped(decision->header) + "</pre>\n<p class=\"muted\">" + escaped(decision->reading) + "</p>\n";
    }
    if (story.remedy)
        out += "<p class=\"remedy\">It " + escaped(story.remedy->text) + ".</p>\n";
    return out;
}

} // namespace

QByteArray htmlSection(const Workspace &workspace, const QImage &plots)
{
    const RunRecord &record = workspace.record();
    return ("<section>\n<h1>" + workspace.name().toHtmlEscaped() + " <small>" + workspace.file().toHtmlEscaped() + "</small></h1>\n"
        + figuresTable(record.figures.figures()) + failedExpectations(record.report.get()) + embedded(plots) + firstExcess(workspace)
        + "</section>\n")
        .toUtf8();
}

QByteArray htmlPage(const QByteArray &sections)
{
    const Tokens &colours = tokens();
    QString page = QStringLiteral(R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Throttlescope"><title>Throttlescope</title><style>
body { margin: 24px auto; max-width: 1280px; padding: 0 16px; background: @window; color: @text; font: 14px/1.5 Inter, system-ui, sans-serif; }
section { background: @panel; border: 1px solid @line; border-radius: 8px; padding: 20px; margin-bottom: 16px; }
h1 { font-size: 20px; margin: 0 0 12px; } h2 { font-size: 15px; } small, .muted, th { color: @muted; font-weight: 400; }
small { font-size: 12px; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-bottom: 12px; }
th, td { text-align: left; padding: 2px 20px 2px 0; } th { font-size: 12px; } .figures td { font-size: 20px; font-weight: 600; }
img { width: 100%; } pre { background: @chip; border-radius: 6px; padding: 8px 12px; overflow-x: auto; }
.points th, .points td { padding: 2px 16px 2px 0; border-bottom: 1px solid @line; } .points caption { text-align: left; color: @muted; padding-bottom: 6px; }
.alarm { color: @alarm; } .remedy { background: @selection; border-radius: 6px; padding: 8px 12px; }
</style></head><body>
)");
    const std::pair<const char *, QColor> values[]{{"@window", colours.window}, {"@text", colours.text}, {"@panel", colours.panel},
        {"@line", colours.line}, {"@muted", colours.muted}, {"@chip", colours.chip}, {"@alarm", colours.alarm},
        {"@selection", colours.selection}};
    for (const auto &[name, colour] : values)
        page.replace(QLatin1String{name}, colour.name());
    return page.toUtf8() + sections + "</body></html>\n";
}

} // namespace throttlescope::dashboard
