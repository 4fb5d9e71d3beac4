// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/main_window.h"

#include "app/dashboard/data/event_words.h"
#include "app/dashboard/data/spoken_time.h"
#include "app/dashboard/window/event_panel.h"
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/hidden_names.h"
#include "app/dashboard/window/inspector_panel.h"
#include "app/dashboard/window/notice_strip.h"
#include "app/dashboard/window/policy_panel.h"
#include "app/dashboard/window/servers_panel.h"
#include "app/dashboard/window/start_page.h"
#include "app/dashboard/window/sweep_window.h"
#include "app/dashboard/window/time_text.h"
#include "app/dashboard/window/top_bar.h"

#include <QFileInfo>
#include <QStackedWidget>
#include <QTableView>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

constexpr std::chrono::milliseconds kFiguresInterval{120}; ///< percentiles sort: not with every frame

QString hint()
{
    return MainWindow::tr(
        "Click an attempt, a wait or a ✕ to read why. E goes to the next call that was given up, ← and → from event to event.");
}

/// One that another version knows alone is the system's.
LookChoice rememberedLook(const WindowMemory &memory)
{
    const int look = memory.value("look", static_cast<int>(LookChoice::System)).toInt();
    const bool known = look >= static_cast<int>(LookChoice::System) && look <= static_cast<int>(LookChoice::Dark);
    return known ? static_cast<LookChoice>(look) : LookChoice::System;
}

} // namespace

MainWindow::MainWindow(std::optional<LookChoice> look, QWidget *parent)
    : QMainWindow(parent)
{
    m_look = look.value_or(rememberedLook(m_memory));
    m_textPercent = std::clamp(m_memory.value("text", 100).toInt(), 100, 200);
    m_figuresDue.setSingleShot(true);
    setWindowTitle(tr("Throttlescope"));
    setAcceptDrops(true);
    refreshLook();
    makeLayout();
    makeActions();
    connectParts();
    showOpened();
}

/// A box that is typed into takes its value when it loses the focus, for which the policy must still be there.
MainWindow::~MainWindow()
{
    if (QWidget *typedInto = focusWidget())
        typedInto->clearFocus();
}

void MainWindow::connectParts()
{
    connect(&m_figuresDue, &QTimer::timeout, this, &MainWindow::refreshFigures);
    connect(&m_workspace, &Workspace::opened, this, &MainWindow::showOpened);
    connect(&m_workspace, &Workspace::recordReplaced, this, &MainWindow::showRecord);
    connect(&m_workspace, &Workspace::grew, this, &MainWindow::showGrowth);
    connect(&m_workspace, &Workspace::stateChanged, this, &MainWindow::showState);
    connect(&m_workspace, &Workspace::errorsChanged, this, &MainWindow::showErrors);
    connect(&m_workspace, &Workspace::said, this, [this](const QString &words) { m_figures->say(masked(words)); });
    connect(&m_workspace, &Workspace::baselineChanged, this, [this] {
        m_baseline = m_workspace.baseline() ? std::optional{m_workspace.baseline()->figures.figures()} : std::nullopt;
        m_plot->setData(m_workspace.plotData());
        refreshFigures();
    });
    connect(m_start, &StartPage::scenarioAsked, this, &MainWindow::askForScenario);
    connect(m_start, &StartPage::journalAsked, this, &MainWindow::askForJournal);
    connect(m_start, &StartPage::exampleAsked, this, &MainWindow::openExample);
    connect(m_start, &StartPage::fetchAsked, this, &MainWindow::askForFetch);
    connect(m_start, &StartPage::fileAsked, this, [this](const QString &file) { openOnceStopped(file); });
    connect(m_notice, &NoticeStrip::placeAsked, this, &MainWindow::openPlace);
    connect(m_inspector, &InspectorPanel::placeAsked, this, &MainWindow::openPlace);
    connect(m_inspector, &InspectorPanel::nextExceededAsked, this, &MainWindow::nextExceeded);
    connect(m_policy, &PolicyPanel::sweepAsked, this, &MainWindow::askForSweepOf);
    connect(m_policy, &PolicyPanel::saveAsked, this, &MainWindow::askForSave);
    connect(m_policy, &PolicyPanel::said, this, [this](const QString &words) { m_figures->say(masked(words), true); });
    connect(m_top, &TopBar::followToggled, this, &MainWindow::setFollow);
    connect(m_top, &TopBar::wallToggled, this, &MainWindow::setWall);
    connect(m_events, &EventPanel::rowChosen, this, &MainWindow::choose);
    connect(m_plot, &RunPlot::rowChosen, this, &MainWindow::choose);
    connect(m_plot, &RunPlot::followChanged, m_top, &TopBar::setFollow);
    connect(m_plot, &RunPlot::spanChosen, this, [this](MonotonicTime from, MonotonicTime to) { chooseSpan(std::pair{from, to}); });
    connect(m_plot, &RunPlot::spanCleared, this, [this] { chooseSpan(std::nullopt); });
    connect(m_plot, &RunPlot::maxWaitMoved, &m_workspace, &Workspace::setMaxWait);
}

bool MainWindow::open(const QString &file, const LoadOptions &options)
{
    const QString suffix = QFileInfo{file}.suffix().toLower();
    if (isSweepFile(file)) {
        if (!openSweep(file))
            return false;
        m_memory.addRecent(file);
        m_start->setRecent(m_memory.recent());
        return true;
    }
    if (suffix == "jsonl" || suffix == "ndjson") {
        m_workspace.openJournal(file);
    } else if (const LoadErrors errors = m_workspace.openScenario(file, options); !errors.empty()) {
        m_notice->showErrors(errors, m_workspace.source() == Workspace::Source::Nothing ? QString{} : tr("what was open stays"));
        return false;
    }
    m_memory.addRecent(file);
    m_workspace.run();
    return true;
}

bool MainWindow::fetch(const throttlescope::fetch::FetchOrder &order)
{
    if (const LoadErrors errors = m_workspace.openFetch(order); !errors.empty()) {
        m_notice->showErrors(errors, tr("nothing was sent"));
        return false;
    }
    m_workspace.run();
    return true;
}

/// Something else is looked at.
void MainWindow::showOpened()
{
    const bool nothing = m_workspace.source() == Workspace::Source::Nothing;
    showRecord(); // before anything is drawn again
    m_pages->setCurrentIndex(nothing ? 0 : 1);
    restoreSplitters();
    m_figures->setVisible(!nothing);
    nothing ? m_start->setFocus() : m_events->table().setFocus();
    m_notice->clear();
    m_figures->say({});
    m_start->setRecent(m_memory.recent());
    m_baseline.reset();
    m_op = 0;
    m_troubleSaid.clear();
    showTitle();
    m_plot->setFollow(true);
    m_top->setFollow(true);
    m_inspector->showHint(hint());
}

/// Another run of the same: rows mean other events now, operations are the same ones.
void MainWindow::showRecord()
{
    m_selection = {};
    m_lastRowTold = kNoRow;
    m_events->setStore(&m_workspace.record().store);
    m_plot->setSelection(m_selection);
    m_figures->say({}); // it was of the other run
    showGrowth();
    m_figuresDue.start(0ms); // those of the other run stand no longer than its curves
    if (m_workspace.source() == Workspace::Source::Journal)
        m_op = 0; // another run of somebody else's
    if (m_op == 0)
        m_inspector->showHint(hint());
}

void MainWindow::showGrowth()
{
    m_plot->setData(m_workspace.plotData());
    if (m_wall)
        m_plot->setWallZero(m_workspace.wallZero());
    m_events->follow(m_plot->follows() && m_workspace.isLive() && m_selection.row == kNoRow);
    if (!m_figuresDue.isActive())
        m_figuresDue.start(kFiguresInterval);
}

void MainWindow::showState()
{
    m_top->refresh();
    if (m_workspace.state() == Workspace::State::Finished || m_workspace.state() == Workspace::State::Paused)
        refreshFigures();
    if (const QString words = trouble(); words != m_troubleSaid) {
        words.isEmpty() ? m_notice->clear() : m_notice->showMessage(words);
        m_troubleSaid = words;
    }
    if (m_onceStopped && !sendsRealRequests())
        QMetaObject::invokeMethod(this, std::exchange(m_onceStopped, nullptr), Qt::QueuedConnection); // not while they are told
}

/// Why there is nothing to see, or no more of it; empty: there is.
QString MainWindow::trouble() const
{
    if (m_workspace.source() != Workspace::Source::Journal)
        return m_workspace.failure();
    const QString file = m_hideNames ? tr("the journal") : QFileInfo{m_workspace.file()}.fileName();
    if (!m_workspace.failure().isEmpty())
        return tr("%1: %2; it is looked for again").arg(file, m_workspace.failure());
    if (m_workspace.journalState().bytes > 0 && m_workspace.journalState().events == 0 && !m_workspace.brokenLine().isEmpty())
        return tr("%1 holds no event: %2").arg(file, m_workspace.brokenLine());
    return {};
}

void MainWindow::showErrors()
{
    if (m_workspace.errors().empty())
        m_notice->clear();
    else
        m_notice->showErrors(m_workspace.errors(), tr("the last good run stays"));
}

/// As it may be shown.
QString MainWindow::masked(const QString &words)
{
    const PolicyModel *policy = m_workspace.policy();
    return m_hideNames && policy ? withoutNames(words, namesIn(policy->draft().scenario()->scenario)) : words;
}

void MainWindow::refreshFigures()
{
    m_figuresDue.stop();
    const RunRecord &record = m_workspace.record();
    const RunRecord *baseline = m_workspace.baseline() != &record ? m_workspace.baseline() : nullptr;
    if (m_selection.span) {
        const auto [from, to] = *m_selection.span;
        const Figures ofBaseline = baseline ? figuresBetween(baseline->store, from, to) : Figures{};
        m_figures->show(figuresBetween(record.store, from, to), baseline ? &ofBaseline : nullptr);
    } else {
        m_figures->show(record.figures.figures(), baseline && m_baseline ? &*m_baseline : nullptr);
    }
    m_servers->refresh();
    refreshNote();
    const auto index = m_op != 0 ? record.store.indexOf(m_op) : std::nullopt;
    if (index && record.store.lastRowOf(*index) != m_lastRowTold) { // the story went on
        m_selection.operation = index;
        m_plot->setSelection(m_selection);
        showStory(m_op, m_selection.row != kNoRow ? record.store.attempt(m_selection.row) : 0);
    }
}

void MainWindow::refreshNote()
{
    const RunRecord *baseline = m_workspace.baseline();
    QString note;
    if (m_selection.span)
        note = tr("figures of %1 to %2 only, Esc for the whole run")
                   .arg(timeText(m_selection.span->first.time_since_epoch()), timeText(m_selection.span->second.time_since_epoch()));
    if (baseline && baseline != &m_workspace.record()) {
        const QString limit = baseline->maxWait ? ": max_wait " + QString::fromStdString(spokenExactly(*baseline->maxWait)) : QString{};
        note += (note.isEmpty() ? QString{} : QStringLiteral("  ·  ")) + tr("Δ against pinned baseline%1").arg(limit);
    } else if (baseline && note.isEmpty()) {
        note = tr("this run is the pinned baseline");
    }
    if (m_workspace.source() == Workspace::Source::Journal) {
        const JournalState &state = m_workspace.journalState();
        note += (note.isEmpty() ? QString{} : QStringLiteral("  ·  "))
            + (state.gone            ? tr("journal, its file is gone: what was read stays")
                    : state.finished ? tr("journal, read to its end")
                                     : tr("journal, followed while it grows"));
        if (state.brokenLines > 0)
            note += state.brokenLines == 1
                ? tr(", a broken line left out: %1").arg(m_workspace.brokenLine())
                : tr(", %1 broken lines left out, the first is %2").arg(state.brokenLines).arg(m_workspace.brokenLine());
    }
    m_figures->setNote(note);
    sayVerdict();
}

void MainWindow::sayVerdict()
{
    const auto &report = m_workspace.record().report;
    if (!report || m_workspace.source() != Workspace::Source::Scenario)
        return;
    if (report->interrupted)
        return m_figures->say(tr("stopped at %1: what had not ended by then is unfinished, and no expectation is judged")
                                  .arg(timeText(m_workspace.record().now.time_since_epoch())));
    if (report->judged.empty())
        return;
    const auto failed = std::count_if(report->judged.begin(), report->judged.end(), [](const Judged &judged) { return !judged.passed; });
    const auto first = std::find_if(report->judged.begin(), report->judged.end(), [](const Judged &judged) { return !judged.passed; });
    if (failed > 0)
        m_figures->say(tr("%1 of %2 expectations failed: %3, expected %4, got %5")
                           .arg(failed)
                           .arg(report->judged.size())
                           .arg(masked(QString::fromStdString(first->name)), QString::fromStdString(first->expected),
                               QString::fromStdString(first->got)),
            true);
    else
        m_figures->say(tr("all %1 expectations hold").arg(report->judged.size()));
}

void MainWindow::choose(Row row)
{
    const EventStore &store = m_workspace.record().store;
    if (row >= store.rowCount())
        return clearSelection();
    m_selection.row = row;
    m_selection.operation = store.operationIndex(row);
    m_plot->setSelection(m_selection);
    m_plot->reveal(store.at(row));
    m_events->choose(row);
    m_op = store.op(row);
    if (m_op != 0)
        return showStory(m_op, store.attempt(row));
    EventBuffer buffer;
    const journal::Event &event = store.event(row, buffer);
    m_inspector->showHint(QString::fromStdString(whatHappened(m_hideNames ? withoutNames(event) : event)));
}

void MainWindow::showStory(journal::OperationId op, int attempt)
{
    const EventStore &store = m_workspace.record().store;
    if (const auto index = store.indexOf(op))
        m_lastRowTold = store.lastRowOf(*index);
    Inspection story = m_workspace.inspect(op);
    if (m_hideNames)
        hideNames(story);
    m_inspector->show(story, attempt);
}

void MainWindow::chooseSpan(std::optional<std::pair<MonotonicTime, MonotonicTime>> span)
{
    m_selection.span = span;
    m_plot->setSelection(m_selection);
    refreshFigures();
}

void MainWindow::clearSelection()
{
    m_selection = {};
    m_op = 0;
    m_plot->setSelection(m_selection);
    m_inspector->showHint(hint());
    refreshFigures();
}

} // namespace throttlescope::dashboard
