// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/sweep_point_panel.h"

#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/facts_table.h"
#include "app/dashboard/window/widgets.h"
#include "simulator/sweep/sweep_words.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QSignalBlocker>

namespace throttlescope::dashboard {

namespace {

constexpr std::pair<SeedChoice, const char *> kChoices[]{{SeedChoice::Median, QT_TRANSLATE_NOOP("SweepPointPanel", "median")},
    {SeedChoice::Worst, QT_TRANSLATE_NOOP("SweepPointPanel", "worst")}, {SeedChoice::Low, QT_TRANSLATE_NOOP("SweepPointPanel", "5 %")},
    {SeedChoice::High, QT_TRANSLATE_NOOP("SweepPointPanel", "95 %")}};

} // namespace

SweepPointPanel::SweepPointPanel(QWidget *parent)
    : QWidget(parent)
    , m_headline(label({}, "headline"))
    , m_verdict(new QLabel)
    , m_seedLabel(label(tr("seed"), "label"))
    , m_foot(new QWidget)
    , m_seeds(new Choice)
    , m_open(new QPushButton{tr("Open this run")})
    , m_copy(new QPushButton{tr("Copy as --set")})
{
    setObjectName("Panel");
    setAttribute(Qt::WA_StyledBackground);
    auto *column = new QVBoxLayout{this};
    column->setContentsMargins(14, 12, 14, 12);
    column->setSpacing(8);
    m_headline->setWordWrap(true);
    m_verdict->setWordWrap(true);
    column->addWidget(m_headline);
    column->addWidget(m_verdict);
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto *inside = new QWidget;
    m_body = new QVBoxLayout{inside};
    m_body->setContentsMargins(0, 4, 0, 0);
    m_body->addStretch();
    scroll->setWidget(inside);
    column->addWidget(scroll, 1);
    auto *foot = new QVBoxLayout{m_foot};
    foot->setContentsMargins(0, 0, 0, 0);
    foot->setSpacing(8);
    auto *seed = new QHBoxLayout;
    m_seeds->setAccessibleName(tr("Which seed's run"));
    seed->addWidget(m_seedLabel);
    seed->addWidget(m_seeds, 1);
    foot->addLayout(seed);
    auto *buttons = new QHBoxLayout;
    m_open->setProperty("role", "primary");
    buttons->addWidget(m_open, 1);
    m_copy->setProperty("role", "link");
    buttons->addWidget(m_copy);
    foot->addLayout(buttons);
    column->addWidget(m_foot);
    connect(m_open, &QPushButton::clicked, this, &SweepPointPanel::openAsked);
    connect(m_copy, &QPushButton::clicked, this, &SweepPointPanel::copyAsked);
}

SeedChoice SweepPointPanel::seedChoice() const
{
    return static_cast<SeedChoice>(m_seeds->currentData().toInt());
}

void SweepPointPanel::show(const SweepPointer &result, std::optional<std::size_t> point, std::size_t metric, bool canOpen)
{
    m_foot->setVisible(point.has_value());
    if (m_facts) {
        m_facts->hide();
        m_facts->deleteLater();
        m_facts = nullptr;
    }
    if (!result || !point) {
        m_headline->setText(tr("No point is chosen"));
        m_verdict->setText(tr("Click a point or a cell to open its run. With the arrow keys you go from one to the next, Enter opens it."));
        return;
    }
    m_headline->setText(QString::fromStdString(pointName(*result, *point)));
    const PointSummary &at = result->points[*point];
    QString verdict = at.judged > 0 ? QString::fromStdString(verdictText(*result, at)) + ' ' + tr("what the scenario expects")
                                    : tr("the scenario expects nothing");
    if (at.pareto)
        verdict += tr("; in the Pareto set");
    m_verdict->setText(verdict + '.');
    showFacts(*result, *point);
    showSeeds(*result, *point, metric);
    m_open->setEnabled(canOpen);
}

void SweepPointPanel::showFacts(const SweepResult &result, std::size_t point)
{
    m_facts = new FactsTable;
    const PointSummary &at = result.points[point];
    for (std::size_t i = 0; i < at.metrics.size(); ++i) {
        const std::string &metric = result.header().metrics[i];
        const Spread &spread = at.metrics[i];
        const auto said = [&metric](double value) { return QString::fromStdString(metricText(metric, value)); };
        QString remark;
        if (spread.low != spread.high || spread.worst != spread.median)
            remark = tr("5–95 %: %1 – %2, worst %3").arg(said(spread.low), said(spread.high), said(spread.worst));
        m_facts->add(QString::fromStdString(metricName(metric)), said(spread.median), remark, true);
    }
    m_body->insertWidget(0, m_facts);
}

void SweepPointPanel::showSeeds(const SweepResult &result, std::size_t point, std::size_t metric)
{
    const int before = std::max(0, m_seeds->currentIndex());
    const QSignalBlocker quiet{m_seeds};
    m_seeds->clear();
    const QString name = QString::fromStdString(metricName(result.header().metrics[metric]));
    const bool several = result.plan.seeds > 1;
    for (const auto &[choice, words] : kChoices) {
        const auto seed = QString::number(runOf(result, point, metric, choice).seed);
        m_seeds->addItem(several ? tr("%1 (%2 of %3)").arg(seed, tr(words), name) : seed, static_cast<int>(choice));
        if (!several)
            break;
    }
    m_seeds->setCurrentIndex(std::min(before, m_seeds->count() - 1));
    m_seeds->setEnabled(several);
}

} // namespace throttlescope::dashboard
