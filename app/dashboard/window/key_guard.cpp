// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/key_guard.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
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
    const bool plain = (key.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
    return plain && (isArrow(key.key()) || !key.text().isEmpty()) && key.key() != Qt::Key_Escape;
}

} // namespace

bool KeyGuard::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::ShortcutOverride)
        return QObject::eventFilter(watched, event);
    auto &key = static_cast<QKeyEvent &>(*event);
    if (const auto *box = qobject_cast<QLineEdit *>(watched)) {
        const bool undo = key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo);
        const bool taken = boxTakes(*box, key);
        key.setAccepted(taken);
        return taken || undo;
    }
    const bool presses = key.key() == Qt::Key_Space && (qobject_cast<QAbstractButton *>(watched) || qobject_cast<QComboBox *>(watched));
    const bool slides = isArrow(key.key()) && (qobject_cast<QSlider *>(watched) || qobject_cast<QComboBox *>(watched));
    if (presses || slides) {
        key.accept();
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace throttlescope::dashboard
