// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QString>
#include <QWidget>

class QDialog;
class QFormLayout;
class QHBoxLayout;
class QPushButton;
class QVBoxLayout;

/// Small things that every part of the window is made of. What they look like stands in theme/look.cpp, by role.
namespace throttlescope::dashboard {

inline QLabel *label(const QString &text, const char *role, QWidget *parent = nullptr)
{
    auto *made = new QLabel{text, parent};
    made->setProperty("role", role);
    return made;
}

/// A property that the style sheet looks at has changed.
void restyle(QWidget *widget, const char *property, const QVariant &value);

/// Tab goes from `first` on through what takes the focus in these, in their order.
void tabAfter(QWidget *first, const QWidgetList &then);

/// A dialog that asks: its headline and what it does, and under them rows to fill in. The column goes on below.
struct DialogForm {
    QVBoxLayout *column;
    QFormLayout *rows;
};
DialogForm dialogForm(QDialog &dialog, const QString &headline, const QString &words);

/// The last line of a dialog: Cancel, and what it is for, at the right.
QHBoxLayout *answers(QDialog &dialog, QPushButton *wanted);

/// A flat panel with a line around it.
QWidget *panel(QWidget *parent = nullptr);

inline QString text(std::string_view words)
{
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

} // namespace throttlescope::dashboard
