// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/plot/run_plot.h"
#include "app/dashboard/theme/look.h"
#include "app/dashboard/window/window_memory.h"
#include "app/dashboard/window/workspace.h"

#include <QMainWindow>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

class QAction;
class QScrollArea;
class QSplitter;
class QStackedWidget;

namespace throttlescope {
struct SweepHeader;
}

namespace throttlescope::dashboard {

class EventPanel;
class FiguresBar;
class InspectorPanel;
class NoticeStrip;
class PolicyPanel;
class ServersPanel;
class StartPage;
class SweepWindow;
class TopBar;

/// The window: bars on top, policy at the left, plots in the middle, the story at the right, events below. It puts them
/// together and carries the selection from one to the others.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    /// `look`: other than the remembered one.
    explicit MainWindow(std::optional<LookChoice> look = std::nullopt, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// A scenario runs at once, a journal (.jsonl) is read and followed. False: what is wrong is shown over the window.
    bool open(const QString &file, const LoadOptions &options = {});
    /// Real requests, at once. False: what is wrong is shown over the window.
    bool fetch(const throttlescope::fetch::FetchOrder &order);
    /// A file of `sweep --out`, in a window of its own. False: what is wrong is shown over the window.
    bool openSweep(const QString &file);
    /// Runs a sweep of the scenario that is open.
    void startSweep(const SweepHeader &header);
    SweepWindow &sweepWindow();
    Workspace &workspace() { return m_workspace; }
    RunPlot &plot() { return *m_plot; }
    EventPanel &events() { return *m_events; }

    /// Points out an event everywhere.
    void choose(Row row);
    const PlotSelection &selection() const { return m_selection; }
    /// Only what happened in between is counted in the figures.
    void chooseSpan(std::optional<std::pair<MonotonicTime, MonotonicTime>> span);

    /// By the file's ending: png, svg, pdf or csv. Empty: done; else why not.
    QString exportTo(const QString &file);
    /// The scenario with the edited policies. Empty: done.
    QString saveTo(const QString &file);

    void setLook(LookChoice look);
    void setTextPercent(int percent);
    void setPresentation(bool presents);
    void setHideNames(bool hide);
    void setFollow(bool follow);
    void setWall(bool wall);
    void resetLayout();

protected:
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void makeLayout();
    void makeActions();
    void connectParts();
    QAction *addCommand(class QMenu *menu, const QString &words, const QList<QKeySequence> &keys, void (MainWindow::*command)());

    bool sendsRealRequests() const;
    /// At once, or when whoever is asked lets the requests that are under way be stopped.
    void onceStopped(const QString &button, std::function<void()> then);
    void openOnceStopped(const QString &file);

    void askForScenario();
    void askForJournal();
    void askForFetch();
    void askForSweep();
    void askForSweepOf(const QString &path);
    void askForSweepFile();
    void showSweep();
    void askForExport();
    void askForSave();
    void openExample();
    void runOrPause();
    void stepOn();
    void undo();
    void redo();
    void nextExceeded();
    void nextBreakerEvent();
    void nextRare(RareSet wanted, const QString &none);
    void nextEvent();
    void previousEvent();
    void toggleFollow();
    void zoomIn();
    void zoomOut();
    void showAll();
    void focusFilter();
    void showHelp();
    void togglePresentation();
    void clearSelection();
    void pin();
    void copySet();

    void showOpened();
    void showTitle();
    void showRecord();
    void showGrowth();
    void showState();
    QString trouble() const;
    QString masked(const QString &words);
    void showErrors();
    void refreshFigures();
    void refreshNote();
    void sayVerdict();
    void showStory(journal::OperationId op, int attempt);
    void openPlace(const QString &file, int line, int column);
    void refreshLook();
    void arrange();
    void placeSplitters();
    void restoreSplitters();

    WindowMemory m_memory;
    Workspace m_workspace;
    LookChoice m_look = LookChoice::System;
    int m_textPercent = 100;
    int m_textBefore = 100; ///< the presentation
    bool m_presents = false;
    bool m_placed = false; ///< the splitters have their sizes, or have them remembered
    bool m_restored = false;
    bool m_hideNames = false;
    bool m_wall = false;
    std::function<void()> m_onceStopped; ///< what waits for the last of the real requests
    QString m_troubleSaid;

    PlotSelection m_selection;
    journal::OperationId m_op = 0; ///< whose story is told
    Row m_lastRowTold = kNoRow;
    std::optional<Figures> m_baseline;
    QTimer m_figuresDue;

    std::unique_ptr<SweepWindow> m_sweep;
    TopBar *m_top = nullptr;
    FiguresBar *m_figures = nullptr;
    NoticeStrip *m_notice = nullptr;
    QStackedWidget *m_pages = nullptr;
    StartPage *m_start = nullptr;
    QScrollArea *m_body = nullptr;
    QWidget *m_left = nullptr, *m_centre = nullptr;
    ServersPanel *m_servers = nullptr;
    PolicyPanel *m_policy = nullptr;
    RunPlot *m_plot = nullptr;
    InspectorPanel *m_inspector = nullptr;
    EventPanel *m_events = nullptr;
    QSplitter *m_columns = nullptr, *m_rows = nullptr, *m_upper = nullptr;
};

} // namespace throttlescope::dashboard
