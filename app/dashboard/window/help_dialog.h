// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDialog>

namespace throttlescope::dashboard {

/// Legend, keys, mouse and the filter's syntax on one page.
class HelpDialog final : public QDialog {
    Q_OBJECT

public:
    explicit HelpDialog(const QList<QAction *> &commands, QWidget *parent = nullptr);
};

} // namespace throttlescope::dashboard
