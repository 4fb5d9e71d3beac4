// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/workspace.h"

#include "app/dashboard/session/fetch_traffic.h"
#include "app/dashboard/session/loopback_traffic.h"

#include <utility>

/// The part of a workspace that starts runs and takes what comes of them.
namespace throttlescope::dashboard {

namespace {

constexpr double kFirstOnSockets = 20;
constexpr std::chrono::milliseconds kShownWhole{500}; ///< a replay that takes longer is shown as it comes, which costs it time

} // namespace

void Workspace::run()
{
    if (!m_policy)
        return;
    if (m_state == State::Paused && !m_loopback) {
        m_playback.paused = false;
        m_worker.resume();
        return setState(State::Running);
    }
    start();
}

void Workspace::start()
{
    m_playback.paused = false;
    startFresh(m_policy->draft().scenario());
}

void Workspace::startFresh(const ScenarioPointer &scenario)
{
    m_failure.clear();
    m_arriving = std::make_shared<RunRecord>();
    m_arriving->maxWait = maxWait();
    m_arrivingSince.start();
    m_onSockets = m_loopback || m_source == Source::Fetch;
    if (m_source == Source::Fetch) {
        m_worker.cancel();
        m_generation = m_traffic.start(std::make_unique<FetchTraffic>(*m_order, scenario->scenario.policies.begin()->second));
    } else if (m_onSockets) {
        m_worker.cancel();
        const auto scale = static_cast<std::int64_t>(m_playback.speed.value_or(kFastestOnSockets));
        m_generation = m_traffic.start(std::make_unique<LoopbackTraffic>(scenario, scale));
    } else {
        m_traffic.cancel();
        m_generation = m_worker.start(scenario, m_playback);
    }
    setState(m_playback.paused ? State::Paused : State::Running);
}

void Workspace::pause()
{
    if (m_state != State::Running || m_source == Source::Journal)
        return;
    m_onSockets ? m_traffic.cancel() : m_worker.pause();
}

void Workspace::step()
{
    if (m_source != Source::Scenario || m_loopback)
        return;
    if (m_state != State::Running && m_state != State::Paused) {
        m_playback.paused = true;
        startFresh(m_policy->draft().scenario());
    }
    m_worker.step();
}

void Workspace::setSpeed(std::optional<double> speed)
{
    m_playback.speed = m_loopback ? speed.value_or(kFastestOnSockets) : speed;
    m_worker.setSpeed(m_playback.speed);
    if (m_onSockets && m_state == State::Running)
        Q_EMIT said(tr("the sockets keep their speed, the next run has the new one"));
    Q_EMIT stateChanged();
}

void Workspace::setLoopback(bool loopback)
{
    m_loopback = loopback;
    m_playback.paused = false;
    if (loopback && !m_playback.speed)
        m_playback.speed = kFirstOnSockets;
    Q_EMIT stateChanged();
}

void Workspace::setRetuneLive(bool live)
{
    m_retuneLive = live;
    Q_EMIT stateChanged();
}

void Workspace::scenarioEdited(const ScenarioPointer &scenario)
{
    const bool underWay = m_state == State::Running || m_state == State::Paused;
    if (retunesLive() && underWay && m_onSockets)
        m_traffic.retune(scenario->scenario.policies);
    else if (retunesLive() && underWay)
        m_worker.retune(scenario);
    else if (m_source == Source::Scenario) { // real requests are sent on demand alone
        m_playback.paused = false; // the answer to what-if is the whole run
        startFresh(scenario);
    }
    followSoon(); // the limit's line
    // A replay has the processors to itself; one that is played takes its time.
    m_cliffDue = m_state == State::Running && !m_onSockets && !m_playback.speed;
    m_cliffDue ? m_cliff.cancel() : askForCliff();
}

void Workspace::takeBatch(quint64 generation, const ChunkPointer &chunk)
{
    if (generation != m_generation || !chunk)
        return;
    RunRecord &record = m_arriving ? *m_arriving : *m_record;
    record.store.append(*chunk);
    record.now = std::max(record.now, record.store.end());
    record.series.follow(record.store); // now, so that no turn of the event loop has it all to do
    record.figures.follow(record.store);
    const bool played = m_onSockets || m_playback.speed || m_playback.paused || m_record->store.rowCount() == 0;
    if (m_arriving && (played || m_arrivingSince.hasExpired(kShownWhole.count())))
        showArrived();
    if (!m_arriving)
        followSoon();
}

void Workspace::takeProgress(const RunProgress &progress)
{
    if (m_arriving)
        return;
    m_record->now = std::max(m_record->now, progress.reached);
    followSoon();
}

void Workspace::takeHalt(const RunProgress &progress)
{
    showArrived();
    m_record->now = std::max(m_record->now, progress.reached);
    m_playback.paused = true;
    followUp();
    setState(State::Paused);
    if (m_cliffDue)
        askForCliff();
}

void Workspace::takeEnd(quint64 generation, const RunEnd &end)
{
    const bool ended = m_onSockets || !end.report->interrupted; // in virtual time only another run interrupts
    if (generation != m_generation || !ended)
        return;
    showArrived();
    m_failure = end.failure;
    m_record->report = end.report;
    m_record->now = std::max(m_record->now, end.finish);
    followUp();
    if (std::exchange(m_pinNext, false) && !end.report->interrupted)
        pinBaseline();
    setState(State::Finished);
    if (m_cliffDue)
        askForCliff();
}

void Workspace::showArrived()
{
    if (m_arriving)
        showRecord(std::exchange(m_arriving, nullptr));
}

void Workspace::showRecord(std::shared_ptr<RunRecord> record)
{
    const std::shared_ptr<RunRecord> old = std::exchange(m_record, std::move(record)); // until nobody looks at it
    Q_EMIT recordReplaced();
}

void Workspace::followSoon()
{
    if (!m_frame.isActive())
        m_frame.start();
}

} // namespace throttlescope::dashboard
