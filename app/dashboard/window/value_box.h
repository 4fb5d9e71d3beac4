// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

namespace throttlescope::dashboard {

/// A value: as one would say it ("fixed 31s × 2") while it is only looked at, as YAML has it while it is typed.
/// Escape leaves it as it was.
class ValueBox final : public QLineEdit {
    Q_OBJECT

public:
    using QLineEdit::QLineEdit;

    void setValue(const QString &written);
    QString written() const;

Q_SIGNALS:
    void abandoned();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void showValue();

    QString m_written;
    QString m_said;
};

} // namespace throttlescope::dashboard
