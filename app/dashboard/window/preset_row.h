// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_model.h"

#include <QComboBox>
#include <QLabel>
#include <QWidget>

namespace throttlescope::dashboard {

/// What the shown policy is built on: chosen here, or told where the policy is a preset itself.
class PresetRow final : public QWidget {
    Q_OBJECT

public:
    explicit PresetRow(PolicyModel &model, QWidget *parent = nullptr);

    void refresh();

private:
    void chosen(const QString &name);

    PolicyModel &m_model;
    QComboBox *m_names;
    QLabel *m_fixed, *m_origin;
};

} // namespace throttlescope::dashboard
