// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>

namespace throttlescope::dashboard {

/// A check box that looks like a switch.
class Switch final : public QCheckBox {
    Q_OBJECT

public:
    using QCheckBox::QCheckBox;

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool hitButton(const QPoint &position) const override { return rect().contains(position); }

private:
    QSizeF track() const;
};

} // namespace throttlescope::dashboard
