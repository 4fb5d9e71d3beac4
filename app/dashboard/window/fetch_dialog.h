// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/order.h"

#include <QDialog>

class QComboBox;
class QFormLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace throttlescope::dashboard {

/// Asks for what `throttlescope fetch` is told on its command line. Nothing is sent before its red button.
class FetchDialog final : public QDialog {
    Q_OBJECT

public:
    explicit FetchDialog(QWidget *parent = nullptr);

    fetch::FetchOrder order() const;

Q_SIGNALS:
    void ordered(const throttlescope::fetch::FetchOrder &order);

private:
    enum class Kind { Existing, New, Folder };

    QLineEdit *addPath(QFormLayout *form, const QString &words, const QString &hint, Kind kind);
    void choosePath(QLineEdit *box, const QString &title, Kind kind);
    void refresh();

    QLineEdit *m_worklist = nullptr;
    QComboBox *m_policy = nullptr;
    QSpinBox *m_concurrency = nullptr;
    QLineEdit *m_most = nullptr;
    QLineEdit *m_checkpoint = nullptr, *m_out = nullptr, *m_journal = nullptr, *m_headers = nullptr;
    QPushButton *m_start = nullptr;
};

} // namespace throttlescope::dashboard
