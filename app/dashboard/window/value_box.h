// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

namespace throttlescope::dashboard {

/// A value: as one would say it ("fixed 31s × 2") while it is only looked at, as YAML has it while it is typed.
class ValueBox final : public QLineEdit {
public:
    using QLineEdit::QLineEdit;

    void setValue(const QString &written);
    QString written() const;

protected:
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void showValue();

    QString m_written;
    QString m_said;
};

} // namespace throttlescope::dashboard
