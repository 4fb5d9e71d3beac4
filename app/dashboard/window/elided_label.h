// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace throttlescope::dashboard {

/// One line that gives way: where there is no room for all of it, it ends in "…".
class ElidedLabel final : public QLabel {
public:
    using QLabel::QLabel;

    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace throttlescope::dashboard
