// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/workspace.h"

#include "app/dashboard/data/run_policies.h"
#include "app/dashboard/session/fetch_traffic.h"
#include "app/dashboard/session/knob_values.h"
#include "core/engine/words.h"
#include "simulator/scenario/text_values.h"

#include <QFileInfo>

namespace throttlescope::dashboard {

namespace {

constexpr std::chrono::milliseconds kFrame{33};
constexpr auto kMaxWaitPath = "rate_limit.max_wait";

const PolicyKnob *maxWaitKnob(const PolicyModel *policy)
{
    const int row = policy ? policy->rowOf(kMaxWaitPath) : -1;
    return row < 0 ? nullptr : &policy->knobs()[static_cast<std::size_t>(row)];
}

QString newRunText(NewRun why)
{
    switch (why) {
    case NewRun::Opened: return {};
    case NewRun::Replaced: return Workspace::tr("another file has that name now: its run is shown");
    case NewRun::Rewritten: return Workspace::tr("the file was written anew: the run that is in it now is shown");
    case NewRun::Appended: return Workspace::tr("another run began in the same file: it is shown");
    }
    return {};
}

} // namespace

Workspace::Workspace(QObject *parent)
    : QObject(parent)
{
    m_frame.setSingleShot(true);
    m_frame.setInterval(kFrame);
    connect(&m_frame, &QTimer::timeout, this, &Workspace::followUp);
    connectWorkers();
    connectFollower();
    connect(&m_watch, &ScenarioWatch::reloaded, this, [this](const ScenarioPointer &, const std::string &text) {
        m_errors.clear();
        Q_EMIT errorsChanged();
        if (m_policy)
            m_policy->reload(text);
    });
    connect(&m_watch, &ScenarioWatch::broken, this, [this](const LoadErrors &errors) {
        m_errors = errors;
        Q_EMIT errorsChanged();
    });
    connect(&m_cliff, &Cliff::changed, this, [this](const CurvePointer &curve) {
        m_curve = curve;
        Q_EMIT curveChanged();
    });
}

/// The numbers of runs tell what is late, whichever worker it comes from.
void Workspace::connectWorkers()
{
    const auto connectTo = [this]<typename Worker>(Worker *worker) {
        connect(worker, &Worker::batch, this, &Workspace::takeBatch);
        connect(worker, &Worker::finished, this, &Workspace::takeEnd);
        connect(worker, &Worker::progressed, this, [this](quint64 run, const RunProgress &progress) {
            if (run == m_generation)
                takeProgress(progress);
        });
        connect(worker, &Worker::retuned, this, [this](quint64, const Retuned &retuned) {
            const QString kept
                = retuned.waitsKept == 1 ? tr("1 wait keeps the old limit") : tr("%1 waits keep the old limit").arg(retuned.waitsKept);
            Q_EMIT said(tr("%1 retuned: %2").arg(QString::fromStdString(retuned.policy), kept));
        });
    };
    connectTo(&m_worker);
    connectTo(&m_traffic);
    connect(&m_traffic, &TrafficWorker::said, this, [this](quint64, const QString &line) { Q_EMIT said(line); });
    connect(&m_worker, &RunWorker::halted, this, [this](quint64 run, const RunProgress &progress) {
        if (run == m_generation)
            takeHalt(progress);
    });
}

void Workspace::connectFollower()
{
    connect(&m_follower, &JournalFollower::runBegan, this, [this](NewRun why) {
        m_failure.clear();
        m_brokenLine.clear();
        m_journalState = {};
        showRecord(std::make_shared<RunRecord>());
        setState(State::Running);
        Q_EMIT said(newRunText(why));
    });
    connect(&m_follower, &JournalFollower::lineBroken, this, [this](quint64 number, const QString &error) {
        if (m_brokenLine.isEmpty())
            m_brokenLine = tr("line %1: %2").arg(number).arg(error);
    });
    connect(&m_follower, &JournalFollower::chunkRead, this, [this](const ChunkPointer &chunk) {
        m_record->store.append(*chunk);
        m_record->now = m_record->store.end();
        if (!m_record->maxWait)
            m_record->maxWait = maxWaitOf(m_record->store);
        followSoon();
    });
    connect(&m_follower, &JournalFollower::caughtUp, this, [this](const JournalState &state) {
        m_journalState = state;
        m_failure.clear();
        followUp();
        setState(state.finished ? State::Finished : State::Running);
    });
    connect(&m_follower, &JournalFollower::failed, this, [this](const QString &error) {
        m_failure = error;
        Q_EMIT stateChanged();
    });
}

Workspace::~Workspace() = default;

Workspace::Kept Workspace::beginSource(Source source, const QString &file)
{
    Kept old{m_record, m_baseline};
    m_worker.cancel();
    m_traffic.cancel();
    m_cliff.cancel();
    m_follower.close();
    if (source != Source::Scenario)
        m_watch.close();
    m_source = source;
    m_onSockets = false;
    m_file = file;
    m_failure.clear();
    m_brokenLine.clear();
    m_errors.clear();
    m_curve.reset();
    m_baseline.reset();
    m_journalState = {};
    m_record = std::make_shared<RunRecord>();
    m_arriving.reset();
    m_generation = 0;
    return old;
}

LoadErrors Workspace::openScenario(const QString &file, const LoadOptions &options)
{
    ScenarioWatch probe;
    if (const auto opened = probe.open(file, options); !opened)
        return opened.error();
    auto draft = PolicyDraft::open(probe.text(), file.toStdString(), options);
    if (!draft)
        return draft.error();
    probe.close();
    const Kept old = beginSource(Source::Scenario, file);
    m_watch.open(file, options);
    openPolicy(std::move(*draft));
    m_pinNext = true;
    setState(State::Idle);
    Q_EMIT opened();
    askForCliff();
    return {};
}

LoadErrors Workspace::openFetch(const fetch::FetchOrder &order)
{
    auto draft = fetchDraft(order);
    if (!draft)
        return draft.error();
    if (const QFileInfo list{QString::fromStdString(order.worklist)}; !list.isFile() || !list.isReadable())
        return {LoadError{order.worklist, {}, list.isDir() ? "is a folder, expected a worklist" : "cannot be read, expected a worklist"}};
    const Kept old = beginSource(Source::Fetch, QString::fromStdString(order.worklist));
    m_order = order;
    openPolicy(std::move(*draft));
    m_pinNext = false;
    setState(State::Idle);
    Q_EMIT opened();
    return {};
}

void Workspace::openPolicy(PolicyDraft draft)
{
    m_policy = std::make_unique<PolicyModel>(std::move(draft));
    connect(m_policy.get(), &PolicyModel::scenarioChanged, this, &Workspace::scenarioEdited);
    connect(m_policy.get(), &PolicyModel::modelReset, this, &Workspace::askForCliff);
    connect(m_policy.get(), &PolicyModel::editsDropped, this,
        [this](const QStringList &lost) { Q_EMIT said(tr("no longer applies: %1").arg(lost.join(", "))); });
}

QString Workspace::commandLine() const
{
    QString words = m_policy ? QString::fromStdString(m_policy->draft().commandLine()) : QString{};
    if (m_source == Source::Fetch) // it knows one policy
        words.remove(QStringLiteral("policies.%1.").arg(QString::fromStdString(m_policy->draft().policies().front())));
    return words;
}

void Workspace::openJournal(const QString &file)
{
    const Kept old = beginSource(Source::Journal, file);
    m_policy.reset();
    m_follower.open(file);
    setState(State::Running);
    Q_EMIT opened();
}

QString Workspace::name() const
{
    return m_source == Source::Nothing ? QString{} : QFileInfo{m_file}.completeBaseName();
}

journal::Traffic Workspace::traffic() const
{
    const EventStore &store = m_record->store;
    if (store.rowCount() == 0 || store.kind(0) != EventKind::RunStarted)
        return m_source == Source::Fetch ? journal::Traffic::Real : m_onSockets ? journal::Traffic::Loopback : journal::Traffic::Simulated;
    EventBuffer buffer;
    return std::get<journal::RunStarted>(store.event(0, buffer).payload).traffic;
}

bool Workspace::isLive() const
{
    if (m_state != State::Running)
        return false;
    return m_source == Source::Journal ? m_journalState.bytes > 0 && !m_journalState.finished : m_onSockets || m_playback.speed;
}

QString Workspace::whyNotSaved() const
{
    switch (m_source) {
    case Source::Scenario: return {};
    case Source::Nothing: return tr("no scenario is open");
    case Source::Journal: return tr("a journal is read only; a scenario can be saved");
    case Source::Fetch: return tr("only a scenario can be saved; Copy edits as --set has the policy");
    }
    return {};
}

void Workspace::followUp()
{
    m_frame.stop();
    m_record->series.follow(m_record->store);
    m_record->figures.follow(m_record->store);
    Q_EMIT grew();
}

void Workspace::pinBaseline()
{
    const std::shared_ptr<RunRecord> old = std::exchange(m_baseline, m_record);
    if (m_policy)
        m_policy->pinBaseline();
    Q_EMIT baselineChanged();
}

void Workspace::setState(State state)
{
    m_state = state;
    Q_EMIT stateChanged();
}

std::optional<Duration> Workspace::maxWait() const
{
    if (!m_policy)
        return m_record->maxWait;
    const PolicyKnob *knob = maxWaitKnob(m_policy.get());
    const auto parsed = knob ? parseDuration(knob->value) : tl::unexpected(std::string{});
    return parsed ? std::optional{*parsed} : std::nullopt;
}

void Workspace::setMaxWait(Duration wait, bool released)
{
    const PolicyKnob *knob = maxWaitKnob(m_policy.get());
    if (knob && wait != maxWait())
        m_policy->edit(QString::fromStdString(knob->setPath), QString::fromStdString(durationText(wait)), PolicyDraft::Gesture::Dragged);
    if (knob && released)
        m_policy->endDrag();
}

void Workspace::askForCliff()
{
    m_cliffDue = false;
    const PolicyKnob *knob = m_source == Source::Scenario ? maxWaitKnob(m_policy.get()) : nullptr;
    const auto query = knob ? cliffQuery(m_policy->draft(), *knob) : std::nullopt;
    if (query)
        m_cliff.compute(*query);
}

PlotData Workspace::plotData() const
{
    PlotData data;
    data.store = &m_record->store;
    data.series = &m_record->series;
    data.now = m_record->now;
    if (m_baseline && m_baseline != m_record) {
        data.ghostStore = &m_baseline->store;
        data.ghost = &m_baseline->series;
    }
    data.maxWait = maxWait();
    data.ghostMaxWait = m_baseline ? m_baseline->maxWait : std::nullopt;
    data.maxWaitCanBeMoved = maxWaitKnob(m_policy.get()) != nullptr;
    return data;
}

Inspection Workspace::inspect(journal::OperationId op) const
{
    Inspector inspector{op, m_policy ? &m_policy->draft() : nullptr};
    EventBuffer buffer;
    for (const Row row : m_record->store.rowsOf(op))
        inspector.accept(m_record->store.event(row, buffer));
    return inspector.inspection();
}

std::optional<WallTime> Workspace::wallZero() const
{
    const EventStore &store = m_record->store;
    if (store.rowCount() == 0)
        return std::nullopt;
    EventBuffer buffer;
    const journal::Event &first = store.event(0, buffer);
    return first.at.wall - first.at.monotonic.time_since_epoch();
}

} // namespace throttlescope::dashboard
