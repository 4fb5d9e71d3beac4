// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QKeyEvent;

namespace throttlescope::dashboard {

/// Leaves to a text box the keys that it types or edits with, to a slider those that move it, and to a button or a choice
/// those that work it, while one goes about with Tab: who has clicked on one wants the window's keys next. All other shortcuts
/// of the window hold everywhere. Enter presses the button that has the focus.
class KeyGuard final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool keeps(QObject *watched, QKeyEvent &key) const;

    bool m_byKeyboard = true; ///< the last step to another widget
};

} // namespace throttlescope::dashboard
