// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/window/workspace.h"

#include <QWidget>
#include <vector>

namespace throttlescope::dashboard {

/// Each server with the state of its breaker and how full its windows are, as of now.
class ServersPanel final : public QWidget {
    Q_OBJECT

public:
    explicit ServersPanel(Workspace &workspace, QWidget *parent = nullptr);

    void refresh();
    void setHideNames(bool hide);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Line {
        QString name, value;
        double share = 0; ///< of the bar, 0 to 1
        bool isServer = false;
        bool isGood = true; ///< the breaker is closed
    };

    double rowHeight() const;
    void takeServer(TextId server, std::size_t number);

    Workspace &m_workspace;
    std::vector<Line> m_lines;
    QString m_file; ///< whose servers they are
    bool m_hideNames = false;
};

} // namespace throttlescope::dashboard
