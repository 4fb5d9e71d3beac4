// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/servers_panel.h"

#include "app/dashboard/theme/marks.h"
#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/widgets.h"

#include <QPainter>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

constexpr std::size_t kMostLines = 8;
constexpr int kMargin = 14;

QString breakerWord(const PlotSeries &series, TextId server, MonotonicTime now)
{
    for (const ScopeSeries &scope : series.scopes()) {
        if (scope.server != server || scope.breaker.empty())
            continue;
        const BreakerBand &last = scope.breaker.back();
        if (!last.to || *last.to > now)
            return last.halfOpen ? QObject::tr("half-open") : QObject::tr("open");
    }
    return QObject::tr("closed");
}

} // namespace

ServersPanel::ServersPanel(Workspace &workspace, QWidget *parent)
    : QWidget(parent)
    , m_workspace(workspace)
{
    setObjectName("Panel");
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Servers"));
    refresh();
}

double ServersPanel::rowHeight() const
{
    return 22 * textScale();
}

void ServersPanel::takeServer(TextId server, std::size_t number)
{
    const RunRecord &record = m_workspace.record();
    const QString state = breakerWord(record.series, server, record.now);
    m_lines.push_back({m_hideNames ? tr("server %1").arg(number) : text(record.store.text(server)), state, 0, true, state == tr("closed")});
    for (const WindowSeries &window : record.series.windows()) {
        if (window.server != server || window.used.size() == 0 || window.quota == 0)
            continue;
        const double share = static_cast<double>(window.used.sample(window.used.size() - 1).value) / 100;
        QString name = text(record.store.text(window.limit));
        if (window.key != 0 && !m_hideNames)
            name += ' ' + text(record.store.text(window.key));
        const auto used = qRound64(share * static_cast<double>(window.quota));
        m_lines.push_back({name, tr("%1 / %2").arg(used).arg(window.quota), std::min(1.0, share), false, true});
    }
}

void ServersPanel::refresh()
{
    const bool another = std::exchange(m_file, m_workspace.file()) != m_workspace.file();
    std::vector<Line> before = std::exchange(m_lines, {});
    std::vector<TextId> servers;
    const RunRecord &record = m_workspace.record();
    const auto meet = [&servers](TextId server) {
        if (server != 0 && std::find(servers.begin(), servers.end(), server) == servers.end())
            servers.push_back(server);
    };
    for (const WindowSeries &window : record.series.windows())
        meet(window.server);
    for (const ScopeSeries &scope : record.series.scopes())
        meet(scope.server);
    for (std::size_t i = 0; i < servers.size(); ++i)
        takeServer(servers[i], i + 1);
    if (m_lines.empty() && !another)
        m_lines = std::move(before); // the next run of the same has not told of them yet: nothing comes and goes meanwhile
    if (m_lines.size() > kMostLines) {
        const auto left = m_lines.size() - (kMostLines - 1);
        m_lines.resize(kMostLines - 1);
        m_lines.push_back({tr("and %1 more").arg(left), {}, 0, false, true});
    }
    QStringList words;
    for (const Line &line : m_lines)
        words << line.name + ' ' + line.value;
    setAccessibleDescription(words.join("; "));
    setVisible(!m_lines.empty());
    setFixedHeight(qRound(rowHeight() * (static_cast<double>(m_lines.size()) + 1) + 20));
    update();
}

void ServersPanel::setHideNames(bool hide)
{
    m_hideNames = hide;
    refresh();
}

void ServersPanel::paintEvent(QPaintEvent *)
{
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens &colours = tokens();
    QRectF row{double(kMargin), 10, width() - 2.0 * kMargin, rowHeight()};
    const auto write = [&](const QRectF &place, Qt::Alignment where, const QString &words, const QColor &colour, QFont::Weight weight) {
        painter.setFont(textFont(TextSize::Body, weight));
        painter.setPen(colour);
        painter.drawText(place, static_cast<int>(where | Qt::AlignVCenter),
            QFontMetricsF{painter.font()}.elidedText(words, Qt::ElideRight, place.width()));
    };
    write(row, Qt::AlignLeft, tr("Servers"), colours.muted, QFont::DemiBold);
    const double nameWidth = 60 * textScale(), valueWidth = 74 * textScale();
    for (const Line &line : m_lines) {
        row.translate(0, rowHeight());
        if (line.isServer) {
            write(row, Qt::AlignLeft, line.name, colours.text, QFont::DemiBold);
            write(row, Qt::AlignRight, line.value, colours.text, QFont::DemiBold);
            const double before = row.right() - QFontMetricsF{painter.font()}.horizontalAdvance(line.value) - 11 * textScale();
            drawOutcome(painter, {before, row.center().y()}, 9 * textScale(),
                line.isGood ? AttemptOutcome::Success : AttemptOutcome::Ambiguous, colours);
            continue;
        }
        write(line.value.isEmpty() ? row : QRectF{row.topLeft(), QSizeF{nameWidth, row.height()}}, Qt::AlignLeft, line.name, colours.muted,
            QFont::Normal);
        if (line.value.isEmpty())
            continue;
        write(
            QRectF{row.right() - valueWidth, row.top(), valueWidth, row.height()}, Qt::AlignRight, line.value, colours.text, QFont::Normal);
        QRectF bar{row.left() + nameWidth, row.center().y() - 3, row.width() - nameWidth - valueWidth - 6, 6};
        painter.setPen(Qt::NoPen);
        painter.setBrush(colours.chip);
        painter.drawRoundedRect(bar, 3, 3);
        bar.setWidth(bar.width() * line.share);
        painter.setBrush(colours.accent);
        if (line.share > 0)
            painter.drawRoundedRect(bar.width() < 6 ? QRectF{bar.topLeft(), QSizeF{6, 6}} : bar, 3, 3);
    }
}

} // namespace throttlescope::dashboard
