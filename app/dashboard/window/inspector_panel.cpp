// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/inspector_panel.h"

#include "app/dashboard/session/spoken.h"
#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/facts_table.h"
#include "app/dashboard/window/widgets.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QFileInfo>
#include <QPushButton>
#include <QScrollArea>

namespace throttlescope::dashboard {

namespace {

QString qt(const std::string &words)
{
    return QString::fromStdString(words);
}

QLabel *wrapped(const QString &words, const char *role = "")
{
    QLabel *made = label(words, role);
    made->setWordWrap(true);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return made;
}

/// A scroll area asks for a height before it knows how words wrap at its width: this one tells it again.
class AsTallAsItsWords final : public QWidget {
protected:
    void resizeEvent(QResizeEvent *event) override
    {
        QWidget::resizeEvent(event);
        fit();
    }
    bool event(QEvent *event) override
    {
        const bool done = QWidget::event(event);
        if (event->type() == QEvent::LayoutRequest)
            fit();
        return done;
    }

private:
    void fit()
    {
        if (layout() && layout()->hasHeightForWidth())
            setMinimumHeight(layout()->totalHeightForWidth(width()));
    }
};

} // namespace

InspectorPanel::InspectorPanel(QWidget *parent)
    : QWidget(parent)
    , m_where(label({}, "label"))
{
    setObjectName("Panel");
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Why"));
    auto *outer = new QVBoxLayout{this};
    outer->setContentsMargins(14, 12, 14, 12);
    auto *head = new QHBoxLayout;
    head->addWidget(label(tr("Why"), "section"));
    head->addStretch();
    head->addWidget(m_where);
    outer->addLayout(head);
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Why, the story"));
    m_scroll = scroll;
    auto *inside = new AsTallAsItsWords;
    inside->setMinimumWidth(1); // words wrap, whatever they would like
    m_column = new QVBoxLayout{inside};
    m_column->setContentsMargins(0, 0, 6, 0);
    scroll->setWidget(inside);
    outer->addWidget(scroll, 1);
    clear();
}

void InspectorPanel::clear()
{
    delete m_content;
    m_content = new QWidget;
    m_lines = new QVBoxLayout{m_content};
    m_lines->setContentsMargins(0, 4, 0, 0);
    m_lines->setSpacing(10);
    m_column->insertWidget(0, m_content);
    if (m_column->count() == 1)
        m_column->addStretch();
    m_where->clear();
}

void InspectorPanel::add(QWidget *widget)
{
    m_lines->addWidget(widget);
}

void InspectorPanel::showHint(const QString &hint)
{
    clear();
    QLabel *words = wrapped(hint);
    words->setProperty("role", "label");
    add(words);
}

void InspectorPanel::show(const Inspection &inspection, int attempt)
{
    clear();
    if (!inspection.found())
        return;
    const DecisionStory *decision = attempt > 0 ? inspection.decisionAfter(attempt) : nullptr;
    if (!decision && !inspection.decisions.empty())
        decision = &inspection.decisions.back();
    m_where->setText(decision ? tr("op %1 · attempt %2").arg(inspection.op).arg(decision->attempt) : tr("op %1").arg(inspection.op));
    add(wrapped(qt(inspection.headline), "headline"));
    for (const std::string &sentence : inspection.sentences)
        add(wrapped(qt(sentence)));
    const Remedy *remedy = decision && !decision->remedy.text.empty() ? &decision->remedy : nullptr;
    if (!remedy && inspection.remedy)
        remedy = &*inspection.remedy;
    if (remedy) // before the details: a glance is to be enough
        addRemedy(*remedy);
    if (decision) {
        if (!decision->header.empty()) {
            QLabel *header = wrapped(qt(decision->header), "header");
            header->setFont(fixedFont());
            add(header);
            add(wrapped(qt(decision->reading), "label"));
        }
        for (const std::string &unreadable : decision->unreadable)
            add(wrapped(qt(unreadable), "label"));
        addTable(*decision);
    }
    addButtons(remedy ? *remedy : Remedy{});
    if (decision && !decision->rule.empty())
        add(wrapped(qt(decision->rule), "label"));
    for (const Exchange &exchange : inspection.exchanges) {
        const QString sent = tr("attempt %1 %2").arg(exchange.attempt).arg(qt(exchange.sent));
        add(wrapped(exchange.cameBack.empty() ? sent : sent + ": " + qt(exchange.cameBack), "label"));
    }
}

void InspectorPanel::addTable(const DecisionStory &decision)
{
    auto *table = new FactsTable;
    for (const Candidate &candidate : decision.candidates)
        table->add(qt(candidate.name), qt(spoken(candidate.delay)),
            candidate.chosen ? (candidate.how.empty() ? tr("chosen") : tr("chosen, %1").arg(qt(candidate.how))) : qt(candidate.how),
            candidate.chosen);
    for (const HeldAgainst &limit : decision.limits)
        table->add(qt(limit.limit), qt(limit.bound),
            limit.passed ? tr("%1, passed").arg(qt(limit.value)) : tr("%1, refused").arg(qt(limit.value)), !limit.passed);
    add(table);
}

void InspectorPanel::addRemedy(const Remedy &remedy)
{
    auto *box = new QWidget;
    box->setObjectName("Change");
    box->setAttribute(Qt::WA_StyledBackground);
    auto *column = new QVBoxLayout{box};
    column->setContentsMargins(10, 8, 10, 8);
    column->setSpacing(2);
    QLabel *title = label(tr("What would have changed it"), "label");
    title->setStyleSheet(QStringLiteral("color: %1; font-weight: 600").arg(tokens().accent.name()));
    column->addWidget(title);
    QString words = qt(remedy.text);
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    column->addWidget(wrapped(words + '.'));
    add(box);
}

void InspectorPanel::addButtons(const Remedy &remedy)
{
    QWidget *last = m_scroll;
    const auto button = [this, &last](const QString &words) {
        auto *made = new QPushButton{words};
        m_lines->addWidget(made, 0, Qt::AlignLeft);
        tabAfter(last, {made});
        last = made;
        return made;
    };
    if (remedy.place) {
        const Place place = *remedy.place;
        connect(button(tr("Show line %1 in YAML").arg(place.mark.line)), &QPushButton::clicked, this,
            [this, place] { Q_EMIT placeAsked(qt(place.file), static_cast<int>(place.mark.line), static_cast<int>(place.mark.column)); });
    }
    if (!remedy.set.empty()) {
        QPushButton *copy = button(tr("Copy --set"));
        copy->setToolTip(m_hideNames ? QString{} : "--set " + qt(remedy.set));
        connect(
            copy, &QPushButton::clicked, this, [set = remedy.set] { QApplication::clipboard()->setText("--set " + qt(shellWord(set))); });
    }
    connect(button(tr("Next exceeded  E")), &QPushButton::clicked, this, &InspectorPanel::nextExceededAsked);
}

} // namespace throttlescope::dashboard
