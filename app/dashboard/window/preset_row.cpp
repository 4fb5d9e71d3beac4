// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/preset_row.h"

#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/knob_row.h"
#include "app/dashboard/window/widgets.h"

#include <QHBoxLayout>

namespace throttlescope::dashboard {

PresetRow::PresetRow(PolicyModel &model, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_names(new Choice)
    , m_fixed(new QLabel)
    , m_origin(label({}, "chip"))
{
    auto *line = new QHBoxLayout{this};
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(4);
    auto *title = new QLabel{QStringLiteral("preset")};
    title->setBuddy(m_names);
    line->addWidget(title, 1);
    line->addWidget(m_names);
    line->addWidget(m_fixed);
    line->addWidget(m_origin);
    m_names->setProperty("role", "value");
    m_names->setAccessibleName(QStringLiteral("preset"));
    m_names->setToolTip(tr("What the policy is built on; its own keys stay over it"));
    connect(m_names, &QComboBox::activated, this, [this](int index) { chosen(m_names->itemData(index).toString()); });
    refresh();
}

void PresetRow::chosen(const QString &name)
{
    m_model.setPreset(name);
    refresh(); // a refused one is not shown as chosen
}

void PresetRow::refresh()
{
    const PolicyPreset preset = m_model.preset();
    const QString name = QString::fromStdString(preset.name);
    const bool canBeNone = !preset.isWritten;
    if (m_names->count() == 0 || canBeNone != (m_names->findData(QString{}) >= 0)) {
        m_names->clear();
        if (canBeNone)
            m_names->addItem(tr("not built on one"), QString{});
        for (const QString &each : PolicyModel::presetNames())
            m_names->addItem(each, each);
    }
    m_names->setCurrentIndex(m_names->findData(name));
    m_names->setFixedWidth(qRound(QFontMetricsF{textFont(TextSize::Body)}.horizontalAdvance(m_names->currentText()) + 34 * textScale()));
    const bool canBeChosen = !preset.setPath.empty();
    m_names->setVisible(canBeChosen);
    m_fixed->setVisible(!canBeChosen);
    m_fixed->setText(name);
    showOrigin(*m_origin, QString::fromStdString(preset.origin.text), preset.origin.kind);
    if (!canBeChosen)
        showOrigin(*m_origin, tr("itself"));
}

} // namespace throttlescope::dashboard
