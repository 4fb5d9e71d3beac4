// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/inspector.h"

#include <QLabel>
#include <QVBoxLayout>
#include <QWidget>

namespace throttlescope::dashboard {

/// The story of what is selected: a headline, two sentences, the header as received, the table of candidates and limits,
/// what would have changed it; then each exchange.
class InspectorPanel final : public QWidget {
    Q_OBJECT

public:
    explicit InspectorPanel(QWidget *parent = nullptr);

    /// `attempt`: whose decision the table is of; 0: the last one.
    void show(const Inspection &inspection, int attempt);
    /// Nothing is selected.
    void showHint(const QString &hint);
    /// From the next story on.
    void setHideNames(bool hide) { m_hideNames = hide; }

Q_SIGNALS:
    void placeAsked(const QString &file, int line, int column);
    void nextExceededAsked();

private:
    void clear();
    void add(QWidget *widget);
    void addTable(const DecisionStory &decision);
    void addRemedy(const Remedy &remedy);
    void addButtons(const Remedy &remedy);

    QWidget *m_scroll = nullptr;
    QVBoxLayout *m_column;
    QLabel *m_where;
    QWidget *m_content = nullptr;
    QVBoxLayout *m_lines = nullptr;
    bool m_hideNames = false;
};

} // namespace throttlescope::dashboard
