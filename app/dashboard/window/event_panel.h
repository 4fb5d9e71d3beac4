// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_table_model.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QWidget>

namespace throttlescope::dashboard {

/// The event table with its filter; active terms are chips that can be taken away.
class EventPanel final : public QWidget {
    Q_OBJECT

public:
    explicit EventPanel(QWidget *parent = nullptr);

    EventTableModel &model() { return m_model; }
    QTableView &table() { return *m_table; }
    QLineEdit &filterBox() { return *m_box; }
    void setHideNames(bool hide);
    void applyLook();
    void resetColumns();
    void setStore(const EventStore *store);
    void setWall(bool wall);
    /// `toTheEnd`: the newest event stays in view where the last one was.
    void follow(bool toTheEnd);
    /// Selects the event, or the nearest one that is shown.
    void choose(Row row);
    void focusFilter();
    void setFilterText(const QString &text);
    /// One event on or back among those that are shown.
    void move(int by);

Q_SIGNALS:
    void rowChosen(throttlescope::dashboard::Row row);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void applyFilter();
    void arrange();
    void showChips();
    void showCount();

    EventTableModel m_model;
    const EventStore *m_store = nullptr;
    QLineEdit *m_box;
    QHBoxLayout *m_head, *m_secondRow, *m_chips;
    QWidget *m_chipBox;
    QLabel *m_count, *m_error;
    QTableView *m_table;
    bool m_choosing = false;
    bool m_isFresh = true; ///< nobody has scrolled in these events yet
};

} // namespace throttlescope::dashboard
