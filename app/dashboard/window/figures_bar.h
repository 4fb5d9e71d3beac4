// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/figures.h"

#include <QGridLayout>
#include <QLabel>
#include <QWidget>
#include <vector>

namespace throttlescope::dashboard {

/// The figures of the run, or of a selected span, each with its difference to the pinned baseline.
class FiguresBar final : public QWidget {
    Q_OBJECT

public:
    explicit FiguresBar(QWidget *parent = nullptr);

    void show(const Figures &figures, const Figures *baseline);
    /// Under the figures, at the right: what they are of, and against what.
    void setNote(const QString &note);
    /// At the left of it: what was said last.
    void say(const QString &words, bool alarm = false);

    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Cell {
        QWidget *box;
        QLabel *name, *value, *difference;
    };
    static int widthOf(const Cell &cell);
    std::vector<int> widths(int columns) const;
    void arrange();
    void makeRoom();
    void ensureCells();

    std::vector<Cell> m_cells;
    QGridLayout *m_grid = nullptr;
    int m_rows = 1, m_columns = 0;
    QLabel *m_said, *m_note;
};

} // namespace throttlescope::dashboard
