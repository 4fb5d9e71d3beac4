// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace throttlescope::dashboard {

/// Leaves to a text box the keys that it types or edits with, and to a button or slider those that work it. All other
/// shortcuts of the window hold everywhere.
class KeyGuard final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace throttlescope::dashboard
