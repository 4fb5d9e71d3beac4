// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <functional>

class QScrollArea;

namespace throttlescope::dashboard {

/// At the lower edge of a scroll area while there is more below: says how many rows, and covers the one that the edge would cut,
/// so that whatever is seen is seen whole. A click scrolls on.
class MoreBelow final : public QPushButton {
    Q_OBJECT

public:
    using Rows = std::function<QWidgetList()>;

    /// `rows`: those of the area's widget, from top to bottom.
    MoreBelow(QScrollArea *area, Rows rows);

    void refresh();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QScrollArea *m_area;
    Rows m_rows;
};

} // namespace throttlescope::dashboard
