// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/facts_table.h"

#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/widgets.h"

#include <algorithm>

namespace throttlescope::dashboard {

namespace {

constexpr int kBetween = 12;

} // namespace

FactsTable::FactsTable(QWidget *parent)
    : QWidget(parent)
    , m_grid(new QGridLayout{this})
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(kBetween);
}

void FactsTable::add(const QString &name, const QString &value, const QString &remark, bool strong)
{
    const Fact fact{label(name, "label"), new QLabel{value}, label(remark, "label")};
    fact.value->setFont(textFont(TextSize::Body, strong ? QFont::DemiBold : QFont::Normal));
    fact.remark->setWordWrap(true);
    fact.remark->setMinimumWidth(1);
    fact.remark->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (QLabel *each : {fact.name, fact.value, fact.remark})
        each->setParent(this);
    fact.remark->setVisible(!remark.isEmpty());
    m_facts.push_back(fact);
    arrange(m_inLines);
}

int FactsTable::widthInLines() const
{
    int name = 0, value = 0, remark = 0;
    for (const Fact &fact : m_facts) {
        for (QLabel *each : {fact.name, fact.value, fact.remark})
            each->ensurePolished();
        name = std::max(name, fact.name->sizeHint().width());
        value = std::max(value, fact.value->sizeHint().width());
        remark = std::max(remark, fact.remark->fontMetrics().horizontalAdvance(fact.remark->text()) + 4);
    }
    return name + value + remark + 2 * kBetween;
}

void FactsTable::arrange(bool inLines)
{
    m_inLines = inLines;
    m_grid->setVerticalSpacing(inLines ? 5 : 1);
    m_grid->setColumnStretch(0, inLines ? 0 : 1);
    m_grid->setColumnStretch(2, inLines ? 1 : 0);
    for (std::size_t i = 0; i < m_facts.size(); ++i) {
        const Fact &fact = m_facts[i];
        const int row = static_cast<int>(i) * 2;
        m_grid->addWidget(fact.name, row, 0, Qt::AlignTop);
        m_grid->addWidget(fact.value, row, 1, Qt::AlignTop | Qt::AlignRight);
        if (inLines)
            m_grid->addWidget(fact.remark, row, 2, Qt::AlignTop);
        else
            m_grid->addWidget(fact.remark, row + 1, 0, 1, 2);
        fact.remark->setContentsMargins(0, 0, 0, inLines ? 0 : 6);
    }
}

void FactsTable::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool inLines = widthInLines() <= width();
    if (inLines != m_inLines)
        arrange(inLines);
}

} // namespace throttlescope::dashboard
