// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_model.h"
#include "app/dashboard/window/value_box.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QSlider>
#include <QWidget>

namespace throttlescope::dashboard {

/// "saia", "line 16", "edited": says in a chip where a value comes from; in full when one points at it.
void showOrigin(QLabel &chip, const QString &origin, ValueOrigin::Kind kind);
void showOrigin(QLabel &chip, const QString &words);

/// One knob: name, value with its unit (a box that is typed into, or words to choose from), where it comes from, and a slider
/// where it is an amount.
class KnobRow final : public QWidget {
    Q_OBJECT

public:
    KnobRow(PolicyModel &model, int row, QWidget *parent = nullptr);

    void refresh();
    QString path() const { return m_path; }
    /// Of the file that a value comes from.
    void setHideNames(bool hide);

Q_SIGNALS:
    void sweepAsked(const QString &path);

protected:
    void contextMenuEvent(QContextMenuEvent *event) override;
    bool focusNextPrevChild(bool next) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QVariant at(int role) const { return m_model.data(m_model.index(m_row, PolicyModel::Value), role); }
    void addSlider();
    /// Adds to a menu what can be done with the knob, and shows it.
    void showMenu(QMenu *menu, const QPoint &at);
    void typed();
    void abandon();
    void fit();
    int position(double amount) const;
    double amount(int position) const;

    PolicyModel &m_model;
    int m_row;
    QString m_path;
    QLabel *m_title, *m_origin;
    ValueBox *m_box = nullptr;
    QComboBox *m_words = nullptr;
    QSlider *m_slider = nullptr;
    bool m_hideNames = false;
};

} // namespace throttlescope::dashboard
