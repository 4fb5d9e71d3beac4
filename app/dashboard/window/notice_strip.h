// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulator/scenario/problems.h"

#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <optional>
#include <vector>

namespace throttlescope::dashboard {

/// One line over everything that says what is wrong, where, and leads there. Takes no focus and blocks nothing.
class NoticeStrip final : public QWidget {
    Q_OBJECT

public:
    explicit NoticeStrip(QWidget *parent = nullptr);

    /// The first of a file's errors with its place. `rest`: what still holds ("the last good run stays").
    void showErrors(const std::vector<LoadError> &errors, const QString &rest);
    void showMessage(const QString &message);
    void clear();

Q_SIGNALS:
    void placeAsked(const QString &file, int line, int column);

private:
    QLabel *m_text;
    QPushButton *m_open, *m_copy, *m_close;
    std::optional<LoadError> m_error;
};

} // namespace throttlescope::dashboard
