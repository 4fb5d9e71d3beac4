// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/sweep_report.h"

#include "app/dashboard/plot/sweep_paint.h"
#include "app/dashboard/sweep/sweep_table_model.h"
#include "app/dashboard/theme/tokens.h"
#include "simulator/sweep/sweep_words.h"

#include <QBuffer>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QSvgGenerator>
#include <numeric>

namespace throttlescope::dashboard {

namespace {

constexpr int kPageWidth = 1220;
constexpr double kSheetMargin = 20;

QString inHtml(const std::string &words)
{
    return QString::fromStdString(words).toHtmlEscaped();
}

SweepScene sceneOf(const SweepPointer &result, SweepForm form)
{
    SweepScene scene{
        result, form, std::vector<std::size_t>(result->header().metrics.size()), 0, result->axes.size() > 1 ? 1U : 0U, {}, false};
    std::iota(scene.metrics.begin(), scene.metrics.end(), std::size_t{0});
    return scene;
}

QString sweepHeadline(const SweepResult &result)
{
    QString knobs;
    for (const SweepAxis &axis : result.axes)
        knobs += (knobs.isEmpty() ? QString{} : QObject::tr(" and ")) + QString::fromStdString(axis.name);
    return QObject::tr("%1 of %2").arg(knobs, QFileInfo{QString::fromStdString(result.header().file)}.completeBaseName());
}

std::vector<QString> sweepSentences(const SweepResult &result)
{
    std::vector<QString> sentences;
    for (const TippingPoint &tip : result.tips())
        sentences.push_back(QString::fromStdString(tipText(result.header(), tip)));
    sentences.push_back(QString::fromStdString(paretoText(result.header(), result.points)));
    if (!result.isWhole())
        sentences.push_back(QObject::tr("%1 of %2 runs: the sweep has not come to its end").arg(result.file.rows.size()).arg(result.runs));
    return sentences;
}

double heightOf(const SweepScene &scene)
{
    const std::size_t rows = scene.form == SweepForm::Pareto ? 1 : (scene.metrics.size() + 1) / 2;
    double each = scene.form == SweepForm::Pareto ? 360 : 230;
    if (scene.form == SweepForm::Maps)
        each = std::max(each, 46 + 26.0 * static_cast<double>(scene.result->axes[scene.up].axis.values.size()));
    return 30 + static_cast<double>(rows) * each;
}

/// As a picture of its own within the page: vectors, and no name in it can meet another's.
QString chartImage(const SweepScene &scene, const QString &alt)
{
    QByteArray bytes;
    QBuffer buffer{&bytes};
    buffer.open(QIODevice::WriteOnly);
    const QSize size{kPageWidth, qRound(heightOf(scene))};
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect{QPoint{}, size});
    QPainter painter;
    if (painter.begin(&generator)) {
        paintSweep(painter, QRectF{QPointF{}, size}.adjusted(2, 2, -2, -2), scene);
        painter.end();
    }
    return QStringLiteral("<img alt=\"%1\" src=\"data:image/svg+xml;base64,%2\">\n")
        .arg(alt.toHtmlEscaped(), QString::fromLatin1(bytes.toBase64()));
}

/// Off the model of the window's table, so that both have the same columns.
QString pointsTable(const SweepPointer &result)
{
    SweepTableModel model;
    model.setResult(result);
    QString page = QStringLiteral(
        "<table class=\"points\"><caption>All points; of several seeds the median, and 5 and 95 % in brackets</caption>\n<thead><tr>");
    for (int column = 0; column < model.columnCount(); ++column)
        page += "<th scope=\"col\">"
            + model.headerData(column, Qt::Horizontal, column == 0 ? Qt::ToolTipRole : Qt::DisplayRole).toString().toHtmlEscaped()
            + "</th>";
    page += QStringLiteral("</tr></thead>\n<tbody>\n");
    for (int row = 0; row < model.rowCount(); ++row) {
        page += QStringLiteral("<tr>");
        for (int column = 0; column < model.columnCount(); ++column)
            page += "<td>" + model.index(row, column).data().toString().toHtmlEscaped() + "</td>";
        page += QStringLiteral("</tr>\n");
    }
    return page + QStringLiteral("</tbody></table>\n");
}

double writeSheetLine(QPainter &painter, double top, double width, const QString &text, const QFont &font, const QColor &colour)
{
    painter.setFont(font);
    painter.setPen(colour);
    const double high = QFontMetricsF{font}.height() + 4;
    painter.drawText(QRectF{kSheetMargin, top, width - 2 * kSheetMargin, high}, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF{font}.elidedText(text, Qt::ElideRight, width - 2 * kSheetMargin));
    return top + high;
}

} // namespace

QString sweepCommandLine(const SweepResult &result)
{
    QString line;
    for (const std::string &word : sweepCommand(result.header()))
        line += (line.isEmpty() ? QString{} : QStringLiteral(" ")) + QString::fromStdString(shellWord(word));
    return line;
}

QByteArray sweepSection(const SweepPointer &result)
{
    QString page = "<section>\n<h1>" + sweepHeadline(*result).toHtmlEscaped() + " <small>" + inHtml(result->header().file)
        + "</small></h1>\n<pre>" + sweepCommandLine(*result).toHtmlEscaped() + "</pre>\n";
    for (const QString &sentence : sweepSentences(*result))
        page += "<p>" + sentence.toHtmlEscaped() + ".</p>\n";
    const SweepForm form = formOf(*result);
    if (form != SweepForm::Pareto)
        page += chartImage(sceneOf(result, form), QObject::tr("each metric over the knobs; the table below has the same figures"));
    page += chartImage(
        sceneOf(result, SweepForm::Pareto), QObject::tr("succeeded over finish, attempts as size; the table below has the same figures"));
    return (page + pointsTable(result) + "</section>\n").toUtf8();
}

void paintSweepSheet(QPainter &painter, const QSize &size, const SweepPointer &result)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRect{QPoint{}, size}, tokens().panel);
    const double width = size.width();
    double top = writeSheetLine(painter, 14, width, sweepHeadline(*result), textFont(TextSize::Headline, QFont::DemiBold), tokens().text);
    top = writeSheetLine(painter, top, width, sweepCommandLine(*result), fixedFont(), tokens().muted);
    for (const QString &sentence : sweepSentences(*result))
        top = writeSheetLine(painter, top, width, sentence, textFont(TextSize::Body), tokens().text);
    QRectF room{kSheetMargin, top + 12, width - 2 * kSheetMargin, size.height() - top - 12 - kSheetMargin};
    const SweepForm form = formOf(*result);
    if (form != SweepForm::Pareto) {
        QRectF charts = room;
        charts.setHeight(room.height() * 0.62 - 12);
        paintSweep(painter, charts, sceneOf(result, form));
        room.setTop(charts.bottom() + 24);
    }
    paintSweep(painter, room, sceneOf(result, SweepForm::Pareto));
}

QImage sweepPicture(const QSize &size, double scale, const SweepPointer &result)
{
    QImage image{(QSizeF{size} * scale).toSize(), QImage::Format_ARGB32_Premultiplied};
    image.setDevicePixelRatio(scale);
    QPainter painter{&image};
    paintSweepSheet(painter, size, result);
    painter.end();
    return image;
}

} // namespace throttlescope::dashboard
