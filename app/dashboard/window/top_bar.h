// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/window/workspace.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QWidget>

namespace throttlescope::dashboard {

/// Source, banner, mode, run, pause, step, speed, follow, and where the run is.
class TopBar final : public QWidget {
    Q_OBJECT

public:
    explicit TopBar(Workspace &workspace, QWidget *parent = nullptr);

    void refresh();
    void setFollow(bool follow);
    void setWall(bool wall);
    void setHideNames(bool hide);
    /// What is rarely used.
    void setMenu(QMenu *menu);

Q_SIGNALS:
    void followToggled(bool follow);
    void wallToggled(bool wall);

protected:
    void resizeEvent(QResizeEvent *event) override;
    QSize minimumSizeHint() const override;

private:
    void refreshTime();
    void arrange();

    Workspace &m_workspace;
    QLabel *m_name, *m_file, *m_banner;
    QPushButton *m_mode, *m_run, *m_pause, *m_step;
    QLabel *m_speedLabel = nullptr;
    QComboBox *m_on, *m_speed;
    QCheckBox *m_follow;
    QPushButton *m_time, *m_menu;
    QHBoxLayout *m_row, *m_secondRow;
    QWidget *m_controls;
    bool m_wall = false;
    bool m_hideNames = false;
};

} // namespace throttlescope::dashboard
