// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace throttlescope::dashboard {

/// A combo box whose arrow has the colours of the theme. Its width gives way.
class Choice final : public QComboBox {
    Q_OBJECT

public:
    using QComboBox::QComboBox;

protected:
    void paintEvent(QPaintEvent *event) override;
    void wheelEvent(QWheelEvent *event) override; ///< scrolls what is around it, and changes nothing by accident
};

} // namespace throttlescope::dashboard
