// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/key_guard.h"

#include "app/dashboard/window/value_box.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>

namespace throttlescope::dashboard {

namespace {

bool isArrow(int key)
{
    return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down;
}

/// Undo is the box's while there is something to undo in it, then the policy's.
bool boxTakes(const QLineEdit &box, const QKeyEvent &key)
{
    if (key.matches(QKeySequence::Undo))
        return box.isUndoAvailable();
    if (key.matches(QKeySequence::Redo))
        return box.isRedoAvailable();
    if (key.key() == Qt::Key_Escape)
        return qobject_cast<const ValueBox *>(&box) != nullptr;
    const bool plain = (key.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
    return plain && (isArrow(key.key()) || !key.text().isEmpty());
}

/// Qt gives Enter to the buttons of a dialog alone.
bool pressed(QObject *watched, const QKeyEvent &key)
{
    auto *button = qobject_cast<QPushButton *>(watched);
    const bool enters = key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter;
    if (!button || !enters || key.isAutoRepeat())
        return false;
    button->click();
    return true;
}

} // namespace

bool KeyGuard::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::MouseButtonPress)
        m_byKeyboard = false;
    if (event->type() == QEvent::KeyPress) {
        const auto &key = static_cast<const QKeyEvent &>(*event);
        m_byKeyboard = m_byKeyboard || key.key() == Qt::Key_Tab || key.key() == Qt::Key_Backtab;
        if (pressed(watched, key))
            return true;
    }
    if (event->type() == QEvent::ShortcutOverride && keeps(watched, static_cast<QKeyEvent &>(*event)))
        return true;
    return QObject::eventFilter(watched, event);
}

bool KeyGuard::keeps(QObject *watched, QKeyEvent &key) const
{
    if (const auto *box = qobject_cast<QLineEdit *>(watched)) {
        const bool undo = key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo);
        const bool taken = boxTakes(*box, key);
        key.setAccepted(taken);
        return taken || undo;
    }
    const bool chooses = qobject_cast<QComboBox *>(watched) != nullptr;
    const bool presses = key.key() == Qt::Key_Space && m_byKeyboard && (chooses || qobject_cast<QAbstractButton *>(watched));
    const bool slides = isArrow(key.key()) && (qobject_cast<QSlider *>(watched) || (chooses && m_byKeyboard));
    if (!presses && !slides)
        return false;
    key.accept();
    return true;
}

} // namespace throttlescope::dashboard
