// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/order.h"
#include "app/dashboard/data/event_store.h"
#include "app/dashboard/data/figures.h"
#include "app/dashboard/data/journal_follower.h"
#include "app/dashboard/data/plot_series.h"
#include "app/dashboard/plot/plot_data.h"
#include "app/dashboard/session/cliff.h"
#include "app/dashboard/session/inspector.h"
#include "app/dashboard/session/policy_model.h"
#include "app/dashboard/session/run_worker.h"
#include "app/dashboard/session/scenario_watch.h"
#include "app/dashboard/session/traffic_worker.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <array>
#include <memory>
#include <optional>

namespace throttlescope::dashboard {

/// A run with all that is read off its events.
struct RunRecord {
    EventStore store;
    PlotSeries series;
    RunFigures figures;
    MonotonicTime now{};
    std::optional<Duration> maxWait; ///< that it was run with
    std::shared_ptr<const RunReport> report; ///< once it is over; null of a journal
};

/// What is open and what runs: a scenario that is edited and replayed, or a journal that is read and followed. Holds the run
/// that is shown and the pinned baseline. No widget knows a worker; they ask here.
class Workspace final : public QObject {
    Q_OBJECT

public:
    static constexpr double kFastestOnSockets = 600;

    enum class Source { Nothing, Scenario, Journal, Fetch };
    enum class State { Idle, Running, Paused, Finished };

    explicit Workspace(QObject *parent = nullptr);
    ~Workspace() override;

    /// What is wrong with the file; empty: it is open. What was open before stays where the new one is broken.
    LoadErrors openScenario(const QString &file, const LoadOptions &options = {});
    void openJournal(const QString &file);
    /// Real traffic, which begins with run(). Its policy can be retuned while it goes; what-if there is none. What is wrong with
    /// the policy; empty: it is open.
    LoadErrors openFetch(const fetch::FetchOrder &order);

    Source source() const { return m_source; }
    State state() const { return m_state; }
    QString file() const { return m_file; }
    QString name() const;
    /// Whose requests they are, as the journal says.
    journal::Traffic traffic() const;
    const LoadErrors &errors() const { return m_errors; } ///< of the file as it is on disk now
    QString failure() const { return m_failure; }
    /// The first line of the journal that was left out, and what was wrong with it; empty: none was.
    QString brokenLine() const { return m_brokenLine; }
    const JournalState &journalState() const { return m_journalState; }
    /// Events come as time goes by, not as fast as they can be read or worked out.
    bool isLive() const;
    /// Why what is open cannot be saved as a scenario; empty: it can.
    QString whyNotSaved() const;

    void run(); ///< from the start, or on from a pause
    void pause(); ///< on sockets: ends the run, for nothing can be held there
    void step(); ///< not on sockets
    /// None: as fast as it goes; on sockets that is kFastestOnSockets. There it counts from the next run on.
    void setSpeed(std::optional<double> speed);
    std::optional<double> speed() const { return m_playback.speed; }
    /// Runs go over loopback sockets instead of virtual time, from the next one on.
    void setLoopback(bool loopback);
    bool loopback() const { return m_loopback; }
    /// What runs, or ran last, went over sockets.
    bool onSockets() const { return m_onSockets; }
    /// Edits change the running policies from now on, instead of replaying from the start.
    void setRetuneLive(bool live);
    bool retunesLive() const { return m_retuneLive || m_source == Source::Fetch; }
    /// The edits as arguments for the command line: of `run`, or of `fetch`.
    QString commandLine() const;

    const RunRecord &record() const { return *m_record; }
    const RunRecord *baseline() const { return m_baseline.get(); }
    void pinBaseline();

    PolicyModel *policy() { return m_policy.get(); } ///< null without a scenario
    Cliff &cliff() { return m_cliff; }
    const CurvePointer &curve() const { return m_curve; }
    /// Drags or types the max_wait of the policy that is shown.
    void setMaxWait(Duration wait, bool released);
    std::optional<Duration> maxWait() const;

    PlotData plotData() const;
    Inspection inspect(journal::OperationId op) const;
    std::optional<WallTime> wallZero() const;

Q_SIGNALS:
    void opened(); ///< something else is looked at: every view begins anew
    void recordReplaced(); ///< another run of the same; pointers into the old one are void
    void grew(); ///< events came; at most once a frame
    void stateChanged();
    void baselineChanged();
    void curveChanged();
    void errorsChanged();
    void said(const QString &text); ///< what one should know, and need not answer

private:
    void connectWorkers();
    void connectFollower();
    void start();
    void startFresh(const ScenarioPointer &scenario);
    void takeBatch(quint64 generation, const ChunkPointer &chunk);
    void takeEnd(quint64 generation, const RunEnd &end);
    void takeHalt(const RunProgress &progress);
    void takeProgress(const RunProgress &progress);
    void openPolicy(PolicyDraft draft);
    void scenarioEdited(const ScenarioPointer &scenario);
    void showRecord(std::shared_ptr<RunRecord> record);
    void showArrived();
    void followUp();
    void followSoon();
    void askForCliff();
    void setState(State state);
    /// What the views still point to: to be kept until they have been told.
    using Kept = std::array<std::shared_ptr<const RunRecord>, 2>;
    Kept beginSource(Source source, const QString &file);

    Source m_source = Source::Nothing;
    State m_state = State::Idle;
    QString m_file, m_failure, m_brokenLine;
    LoadErrors m_errors;
    Playback m_playback;
    bool m_retuneLive = false;
    bool m_loopback = false;
    bool m_onSockets = false;
    std::optional<fetch::FetchOrder> m_order;
    quint64 m_generation = 0; ///< of the run that is awaited; letters of another are late
    bool m_cliffDue = false; ///< once the replay is over
    bool m_pinNext = false; ///< the run that goes on is the baseline once it is over

    std::shared_ptr<RunRecord> m_record = std::make_shared<RunRecord>();
    /// A replay comes in here and is shown when it is whole, or when it takes its time: nothing flickers under a drag.
    std::shared_ptr<RunRecord> m_arriving;
    QElapsedTimer m_arrivingSince;
    std::shared_ptr<RunRecord> m_baseline;
    std::unique_ptr<PolicyModel> m_policy;
    ScenarioWatch m_watch;
    RunWorker m_worker;
    TrafficWorker m_traffic;
    JournalFollower m_follower;
    JournalState m_journalState;
    Cliff m_cliff;
    CurvePointer m_curve;
    QTimer m_frame;
};

} // namespace throttlescope::dashboard
