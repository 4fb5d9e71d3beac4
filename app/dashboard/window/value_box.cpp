// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/value_box.h"

#include "app/dashboard/session/knob_values.h"

#include <QFocusEvent>
#include <QKeyEvent>

namespace throttlescope::dashboard {

void ValueBox::setValue(const QString &written)
{
    m_written = written;
    m_said = QString::fromStdString(saidValue(written.toStdString()));
    setText({}); // what was typed cannot be undone here once it is the policy's
    showValue();
}

QString ValueBox::written() const
{
    return !hasFocus() && text() == m_said ? m_written : text();
}

void ValueBox::showValue()
{
    const QString shown = hasFocus() ? m_written : m_said;
    if (text() != shown)
        setText(shown);
    if (!hasFocus())
        setCursorPosition(0);
}

void ValueBox::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape)
        return QLineEdit::keyPressEvent(event);
    event->accept();
    Q_EMIT abandoned();
}

void ValueBox::focusInEvent(QFocusEvent *event)
{
    if (!isModified())
        showValue();
    QLineEdit::focusInEvent(event);
}

void ValueBox::focusOutEvent(QFocusEvent *event)
{
    QLineEdit::focusOutEvent(event);
    if (!isModified())
        showValue();
}

} // namespace throttlescope::dashboard
