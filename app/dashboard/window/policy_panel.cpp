// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/policy_panel.h"

#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/knob_row.h"
#include "app/dashboard/window/more_below.h"
#include "app/dashboard/window/preset_row.h"
#include "app/dashboard/window/widgets.h"

#include <QApplication>
#include <QClipboard>
#include <QScrollArea>
#include <QSet>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

/// What a rate limit is met with, then the other rows as the field table has them.
std::vector<int> orderOf(const PolicyModel &model)
{
    std::vector<int> order;
    for (const char *path : {"rate_limit.max_wait", "max_attempts", "rate_limit.hint", "rate_limit.zero_hint", "rate_limit.no_hint",
             "rate_limit.padding.add", "rate_limit.padding.jitter"}) {
        if (const int row = model.rowOf(path); row >= 0)
            order.push_back(row);
    }
    const std::vector<int> first = order;
    for (int row = 0; row < model.rowCount(); ++row) {
        if (std::find(first.begin(), first.end(), row) == first.end())
            order.push_back(row);
    }
    return order;
}

} // namespace

PolicyPanel::PolicyPanel(Workspace &workspace, QWidget *parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_policies(new Choice)
    , m_undo(new QPushButton{tr("Undo")})
    , m_save(new QPushButton{tr("Save as…")})
    , m_all(new QPushButton{tr("All keys")})
    , m_cliff(new CliffView)
    , m_sentence(new QLabel)
    , m_empty(new QLabel{tr("A journal has no policy to edit: open the scenario it was made with.")})
    , m_editor(new QWidget)
    , m_below(new QWidget)
{
    setObjectName("Panel");
    setAttribute(Qt::WA_StyledBackground);
    auto *outer = new QVBoxLayout{this};
    outer->setContentsMargins(14, 12, 14, 12);
    static_cast<QLabel *>(m_empty)->setWordWrap(true);
    static_cast<QLabel *>(m_empty)->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_empty->setProperty("role", "label");
    outer->addWidget(m_empty);
    outer->addWidget(m_editor, 1);

    auto *column = new QVBoxLayout{m_editor};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    auto *head = new QHBoxLayout;
    head->setSpacing(4);
    head->addWidget(label(tr("Policy"), "section"));
    head->addWidget(m_policies, 1);
    for (QPushButton *button : {m_undo, m_save}) {
        button->setProperty("role", "link");
        head->addWidget(button);
    }
    column->addLayout(head);
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus); // what is in it scrolls it
    auto *rows = new QWidget;
    m_rowsLayout = new QVBoxLayout{rows};
    m_rowsLayout->setContentsMargins(0, 0, 8, 0);
    m_rowsLayout->setSpacing(3);
    m_all->setProperty("role", "link");
    m_all->setCheckable(true);
    m_rowsLayout->addWidget(m_all, 0, Qt::AlignLeft);
    m_rowsLayout->addStretch();
    scroll->setWidget(rows);
    m_more = new MoreBelow{scroll, [this] {
                               QWidgetList shown{m_rows.begin(), m_rows.end()};
                               shown.append(m_all);
                               return shown;
                           }};
    column->addWidget(scroll, 1);
    auto *below = new QVBoxLayout{m_below};
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(6);
    below->addWidget(label(tr("Over max_wait"), "section"));
    below->addWidget(m_cliff);
    m_sentence->setWordWrap(true);
    below->addWidget(m_sentence);
    column->addWidget(m_below);
    m_policies->setAccessibleName(tr("Policy"));
    m_policies->setProperty("role", "value");
    m_policies->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_policies->setMinimumContentsLength(4);

    connect(m_undo, &QPushButton::clicked, this, [this] {
        if (m_workspace.policy())
            m_workspace.policy()->undo();
    });
    connect(m_save, &QPushButton::clicked, this, &PolicyPanel::saveAsked);
    connect(m_all, &QPushButton::toggled, this, [this](bool all) {
        m_showAll = all;
        m_all->setText(all ? tr("Fewer keys") : tr("All keys"));
        rebuild();
    });
    connect(m_policies, &QComboBox::activated, this,
        [this](int index) { m_workspace.policy()->showPolicy(m_policies->itemData(index).toString()); });
    connect(&m_workspace, &Workspace::opened, this, &PolicyPanel::opened);
    connect(&m_workspace, &Workspace::curveChanged, this, &PolicyPanel::showCurve);
    opened();
}

void PolicyPanel::opened()
{
    PolicyModel *model = m_workspace.policy();
    m_empty->setVisible(!model);
    m_editor->setVisible(model != nullptr);
    if (model) {
        connect(model, &PolicyModel::modelReset, this, &PolicyPanel::rebuild);
        connect(model, &PolicyModel::dataChanged, this, &PolicyPanel::refresh);
        connect(model, &PolicyModel::undoChanged, this, [this](bool canUndo, bool) {
            m_undo->setEnabled(canUndo);
            if (m_preset)
                m_preset->refresh(); // another may say the same values
        });
        connect(model, &PolicyModel::refused, this, [this](const QString &, const QString &message) { Q_EMIT said(message); });
        connect(model, &PolicyModel::policiesChanged, this, &PolicyPanel::rebuild);
        m_undo->setEnabled(model->draft().canUndo());
        const QString unsaved = m_workspace.whyNotSaved();
        m_save->setEnabled(unsaved.isEmpty());
        m_save->setToolTip(unsaved);
    }
    arrange();
    rebuild();
}

/// What one looks for first; a set value is always shown.
bool PolicyPanel::shown(const QString &path) const
{
    static const QSet<QString> first{"max_attempts", "attempt_timeout", "total_timeout", "rate_limit.max_wait", "rate_limit.hint",
        "rate_limit.zero_hint", "rate_limit.no_hint", "rate_limit.padding", "rate_limit.padding.add", "rate_limit.padding.jitter",
        "backoff.kind", "backoff.base", "backoff.max", "pacer.requests_per_second", "breaker.trip", "budget"};
    return m_showAll || first.contains(path);
}

void PolicyPanel::rebuild()
{
    for (KnobRow *row : m_rows) {
        row->hide();
        row->deleteLater();
    }
    m_rows.clear();
    if (m_preset) {
        m_preset->hide();
        m_preset->deleteLater();
        m_preset = nullptr;
    }
    PolicyModel *model = m_workspace.policy();
    if (!model)
        return;
    const QSignalBlocker quiet{m_policies};
    m_policies->clear();
    for (const QString &name : model->policies())
        m_policies->addItem(m_hideNames ? tr("policy %1").arg(m_policies->count() + 1) : name, name);
    m_policies->setCurrentIndex(m_policies->findData(model->policy()));
    m_preset = new PresetRow{*model};
    m_rowsLayout->insertWidget(0, m_preset);
    for (const int row : orderOf(*model)) {
        const QModelIndex index = model->index(row, PolicyModel::Value);
        const QString path = index.data(PolicyModel::PathRole).toString();
        const bool set = static_cast<ValueOrigin::Kind>(index.data(PolicyModel::OriginKindRole).toInt()) == ValueOrigin::Kind::Edited;
        if (!shown(path) && !set)
            continue;
        m_rows.push_back(new KnobRow{*model, row});
        m_rows.back()->setHideNames(m_hideNames);
        connect(m_rows.back(), &KnobRow::sweepAsked, this, &PolicyPanel::sweepAsked);
        m_rowsLayout->insertWidget(m_rowsLayout->count() - 2, m_rows.back());
    }
    QWidgetList walk{m_preset};
    walk.append(QWidgetList{m_rows.begin(), m_rows.end()});
    walk.append(m_all);
    tabAfter(m_save, walk);
    m_cliff->setMinimumHeight(qRound(122 * textScale()));
    showCurve();
}

void PolicyPanel::setHideNames(bool hide)
{
    m_hideNames = hide;
    rebuild();
}

/// The knobs come first where there is no room for both.
void PolicyPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void PolicyPanel::arrange()
{
    const bool hasCurve = m_workspace.source() == Workspace::Source::Scenario; // of real requests there is none
    m_below->setVisible(hasCurve && height() >= 400 * textScale());
}

void PolicyPanel::refresh()
{
    if (m_preset)
        m_preset->refresh();
    for (KnobRow *row : m_rows)
        row->refresh();
    showCurve();
}

void PolicyPanel::showCurve()
{
    m_cliff->show(m_workspace.curve(), m_workspace.maxWait());
    m_sentence->setText(m_workspace.curve() && m_workspace.curve()->complete ? cliffSentence(*m_workspace.curve()) : QString{});
}

} // namespace throttlescope::dashboard
