// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/window/cliff_view.h"
#include "app/dashboard/window/workspace.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>
#include <vector>

namespace throttlescope::dashboard {

class KnobRow;
class MoreBelow;
class PresetRow;

/// The policy editor: a row a knob off the field table, the cliff under it.
class PolicyPanel final : public QWidget {
    Q_OBJECT

public:
    explicit PolicyPanel(Workspace &workspace, QWidget *parent = nullptr);

    /// Sizes and colours changed.
    void applyLook() { rebuild(); }
    void setHideNames(bool hide);

Q_SIGNALS:
    void saveAsked();
    void sweepAsked(const QString &path); ///< of a knob, such as "rate_limit.max_wait"
    void said(const QString &text); ///< a refused value, for the status line

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void opened();
    void rebuild();
    void refresh();
    void showCurve();
    void arrange();
    bool shown(const QString &path) const;

    Workspace &m_workspace;
    QComboBox *m_policies;
    QPushButton *m_undo, *m_save, *m_all;
    QVBoxLayout *m_rowsLayout;
    PresetRow *m_preset = nullptr;
    std::vector<KnobRow *> m_rows;
    MoreBelow *m_more;
    CliffView *m_cliff;
    QLabel *m_sentence;
    QWidget *m_empty, *m_editor, *m_below;
    bool m_showAll = false;
    bool m_hideNames = false;
};

} // namespace throttlescope::dashboard
