// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_session.h"
#include "app/dashboard/sweep/sweep_table_model.h"
#include "app/dashboard/window/sweep_view.h"

#include <QComboBox>
#include <QLabel>
#include <QMainWindow>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <vector>

class QHBoxLayout;

namespace throttlescope::dashboard {

class ElidedLabel;
class SweepPointPanel;

/// A sweep beside the window that shows its runs: charts, the point that is chosen, the table of all points.
class SweepWindow final : public QMainWindow {
    Q_OBJECT

public:
    explicit SweepWindow(QWidget *parent = nullptr);

    SweepSession &session() { return m_session; }
    SweepView &view() { return *m_view; }
    QTableView &table() { return *m_table; }

    void setForm(SweepForm form);
    void choose(std::optional<std::size_t> point);
    std::optional<std::size_t> chosen() const { return m_chosen; }
    /// Sizes and colours changed.
    void applyLook();
    /// By the file's ending: html, svg, png or pdf. Empty: done, else why not.
    QString exportTo(const QString &file);

Q_SIGNALS:
    /// That run is to be seen.
    void runAsked(const QString &scenario, const throttlescope::LoadOptions &options);

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    QWidget *makeBar();
    QWidget *makeCharts();
    QWidget *makeTable();
    void makeMetrics();
    void makeAxes();
    void showSweep();
    void showState();
    void showScene();
    void open(std::size_t point);
    void copyPoint();
    void copyCommand();
    void askForSave();
    void askForExport();
    void say(const QString &words, bool alarm = false);
    std::vector<std::size_t> metrics() const;
    std::size_t leadingMetric() const; ///< whose median, worst, … a seed is chosen by

    SweepSession m_session;
    SweepTableModel m_model;
    QSortFilterProxyModel m_sorted;
    SweepForm m_form = SweepForm::Curves;
    std::optional<std::size_t> m_chosen;
    std::optional<SweepHeader> m_shown; ///< the controls are those of that sweep

    QLabel *m_headline = nullptr;
    ElidedLabel *m_command = nullptr, *m_said = nullptr;
    QLabel *m_progress = nullptr;
    QPushButton *m_curves = nullptr, *m_maps = nullptr, *m_pareto = nullptr;
    QPushButton *m_run = nullptr;
    QHBoxLayout *m_chips = nullptr;
    std::vector<QPushButton *> m_metrics;
    QComboBox *m_across = nullptr, *m_up = nullptr;
    QWidget *m_axes = nullptr;
    SweepView *m_view = nullptr;
    SweepPointPanel *m_point = nullptr;
    QTableView *m_table = nullptr;
};

} // namespace throttlescope::dashboard
