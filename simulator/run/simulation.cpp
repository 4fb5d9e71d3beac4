// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/simulation.h"

#include "core/version.h"
#include "simulator/scenario/policy_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope {

namespace {

constexpr unsigned kEventsBetweenLooks = 1024; ///< at the interruption flag

} // namespace

Simulation::Simulation(const Scenario &scenario, journal::EventSink *sink, std::uint64_t mostOpen)
    : m_scenario(scenario)
    , m_mostOpen(mostOpen)
    , m_recorder(sink)
    , m_draw(scenario.seed)
    , m_environment{m_draw, m_recorder}
    , m_calls(scenario, m_wakeList)
    , m_sources(workSources(scenario, m_calls, m_draw))
{
    for (const Server &server : scenario.servers) {
        auto model = std::make_unique<ServerModel>(server, scenario.timeline, scenario.start, m_draw);
        m_sites.push_back({std::move(model)});
    }
}

void Simulation::begin()
{
    m_begun = true;
    const std::string policies = policiesJson(m_scenario.policies);
    m_recorder.record({0, clock(), 0, {}, {}, 0,
        journal::RunStarted{journal::kSchemaVersion, version(), m_scenario.name, m_scenario.hash, m_scenario.seed, policies}});
    if (m_scenario.stopAfter)
        m_queue.push(MonotonicTime{*m_scenario.stopAfter}, Due::Kind::Stop, 0);
    for (std::uint32_t entry = 0; entry < m_scenario.timeline.size(); ++entry) {
        const TimelineEntry &timeline = m_scenario.timeline[entry];
        if (timeline.label.empty())
            continue;
        m_queue.push(MonotonicTime{timeline.at}, Due::Kind::Marker, entry, 1);
        if (timeline.span)
            m_queue.push(MonotonicTime{saturatingAdd(timeline.at, *timeline.span)}, Due::Kind::Marker, entry, 0);
    }
    for (std::uint32_t source = 0; source < m_sources.size(); ++source) {
        const ArrivalSource &arrivals = m_sources[source].arrivals;
        const auto at = arrivals.nextAt();
        if (!at)
            continue;
        ++m_sourcesOpen;
        if (const auto *workers = std::get_if<WorkerArrivals>(&arrivals.row().arrivals)) {
            for (int worker = 0; worker < workers->workers; ++worker)
                m_queue.push(*at, Due::Kind::Worker, source);
        } else {
            m_queue.push(*at, Due::Kind::Source, source);
        }
    }
}

void Simulation::run(const std::atomic<bool> *interrupted)
{
    m_interrupted = interrupted;
    if (!m_begun)
        begin();
    unsigned events = 0;
    while (!m_queue.empty() && m_sourcesOpen + m_operationsOpen + m_requestsOpen > 0) {
        if (++events % kEventsBetweenLooks == 0 && stopWanted())
            break;
        dispatch(m_queue.pop());
        if (!m_failure.empty())
            break;
    }
    if (stopWanted())
        stopAll();
    end();
}

bool Simulation::advance(MonotonicTime until)
{
    if (m_ended)
        return false;
    if (!m_begun)
        begin();
    while (!m_queue.empty() && m_sourcesOpen + m_operationsOpen + m_requestsOpen > 0) {
        if (m_queue.top().at > until)
            return true;
        dispatch(m_queue.pop());
        if (!m_failure.empty())
            break;
    }
    end();
    return false;
}

void Simulation::end()
{
    if (m_ended)
        return;
    m_ended = true;
    if (m_operationsOpen > 0)
        stopAll(); // nothing would ever happen to them again
    m_recorder.record({0, clock(), 0, {}, {}, 0, journal::RunFinished{m_operationsStarted, m_stopped}});
}

void Simulation::dispatch(const Due &due)
{
    m_moment += m_now == due.at ? 0 : 1;
    m_now = due.at;
    switch (due.kind()) {
    case Due::Kind::Source: startDueOperations(due.index); break;
    case Due::Kind::Worker: startWorkersNext(due.index); break;
    case Due::Kind::RequestArrives:
        if (m_requests[due.index].epoch == due.epoch)
            requestArrives(due.index);
        break;
    case Due::Kind::RequestLeaves:
        if (m_requests[due.index].epoch == due.epoch)
            requestLeaves(due.index);
        break;
    case Due::Kind::AnswerReaches:
        if (m_requests[due.index].epoch == due.epoch)
            answerReaches(due.index);
        break;
    case Due::Kind::Timer:
        if (m_operations[due.index].timerEpoch == due.epoch)
            feed(due.index, TimeReached{});
        break;
    case Due::Kind::Cancel:
        if (m_operations[due.index].epoch == due.epoch && m_operations[due.index].open())
            feed(due.index, Cancelled{});
        break;
    case Due::Kind::Marker: markTimeline(due.index, due.epoch == 1); break;
    case Due::Kind::Stop: stopAll(); break;
    }
}

void Simulation::startWorkersNext(std::uint32_t source)
{
    ArrivalSource &arrivals = m_sources[source].arrivals;
    if (m_stopped || arrivals.exhausted())
        return;
    startOperation(source, arrivals.take());
    m_sourcesOpen -= arrivals.exhausted() ? 1 : 0;
}

void Simulation::startDueOperations(std::uint32_t source)
{
    ArrivalSource &arrivals = m_sources[source].arrivals;
    while (const auto at = arrivals.nextAt()) {
        if (m_stopped || !m_failure.empty() || stopWanted())
            return;
        if (*at > m_now) {
            m_queue.push(*at, Due::Kind::Source, source);
            return;
        }
        startOperation(source, arrivals.take());
    }
    --m_sourcesOpen;
}

void Simulation::startOperation(std::uint32_t source, std::uint64_t index)
{
    const std::uint32_t slot = m_operations.take();
    const ArrivalSource &arrivals = m_sources[source].arrivals;
    OperationRun &run = m_operations[slot];
    run.source = source;
    run.request = run.toldBy = kNone;
    run.sentAtOnce = 0;
    run.holders = 1;
    run.atServer = {};
    // The book of calls keeps it.
    const ScenarioCall &call = *m_sources[source].callOf(index, m_calls);
    run.execution.emplace(call, OperationIdentity{++m_operationsStarted, arrivals.drawKey(index), slot}, m_environment);
    if (++m_operationsOpen > m_mostOpen)
        fail(fmt::format("more than {} operations are open at once", m_mostOpen));
    if (arrivals.row().cancelAfter)
        m_queue.push(saturatingAdd(m_now, *arrivals.row().cancelAfter), Due::Kind::Cancel, slot, run.epoch);
    feed(slot, Start{});
}

void Simulation::feed(std::uint32_t operation, const Input &input)
{
    perform(operation, m_operations[operation].execution->next(clock(), input));
    if (!m_wakeList.empty())
        wakeWaiters();
}

/// Whom the step moved up is asked again at once, in order; what that moves is taken up by the same loop.
void Simulation::wakeWaiters()
{
    if (m_waking)
        return;
    m_waking = true;
    for (std::size_t i = 0; i < m_wakeList.size(); ++i) {
        const auto operation = static_cast<std::uint32_t>(m_wakeList[i]);
        if (m_operations[operation].open())
            perform(operation, m_operations[operation].execution->next(clock(), TimeReached{}));
    }
    m_wakeList.clear();
    m_waking = false;
}

void Simulation::perform(std::uint32_t operation, const Step &step)
{
    OperationRun &run = m_operations[operation];
    if (const auto *wait = std::get_if<WaitUntil>(&step)) {
        if (wait->why != Waiting::Answer) {
            giveUp(run);
            setTimer(operation, wait->at);
        }
        return;
    }
    giveUp(run);
    if (const auto *request = std::get_if<Send>(&step))
        send(operation, *request);
    else
        finishOperation(operation);
}

void Simulation::setTimer(std::uint32_t operation, MonotonicTime at)
{
    OperationRun &run = m_operations[operation];
    ++run.timerEpoch;
    if (at != kNever)
        m_queue.push(std::max(at, m_now), Due::Kind::Timer, operation, run.timerEpoch);
}

void Simulation::finishOperation(std::uint32_t operation)
{
    OperationRun &run = m_operations[operation];
    ++run.timerEpoch;
    --m_operationsOpen;
    const ArrivalSource &source = m_sources[run.source].arrivals;
    if (std::holds_alternative<WorkerArrivals>(source.row().arrivals) && !source.exhausted() && !m_stopped)
        m_queue.push(m_now, Due::Kind::Worker, run.source);
    letGo(operation);
}

void Simulation::letGo(std::uint32_t operation)
{
    OperationRun &run = m_operations[operation];
    if (--run.holders > 0)
        return;
    ++run.epoch;
    run.execution.reset();
    m_operations.free(operation);
}

void Simulation::markTimeline(std::uint32_t entry, bool begin)
{
    const TimelineEntry &timeline = m_scenario.timeline[entry];
    m_recorder.record({0, clock(), 0, {}, timeline.server, 0, journal::Marker{timeline.label, begin}});
}

void Simulation::fail(std::string why)
{
    if (m_failure.empty())
        m_failure = fmt::format("{}: {} at t={:.6f}, the run was stopped", m_scenario.file, why, secondsOf(m_now.time_since_epoch()));
}

/// Nothing starts from here on; what is open ends `unfinished`.
void Simulation::stopAll()
{
    m_stopped = true;
    m_sourcesOpen = 0;
    std::vector<std::uint32_t> open;
    for (std::uint32_t operation = 0; operation < m_operations.size(); ++operation) {
        if (m_operations[operation].open())
            open.push_back(operation);
    }
    const auto id = [this](std::uint32_t operation) { return m_operations[operation].execution->id(); };
    std::sort(open.begin(), open.end(), [id](std::uint32_t a, std::uint32_t b) { return id(a) < id(b); });
    for (const std::uint32_t operation : open) {
        if (m_operations[operation].open())
            perform(operation, m_operations[operation].execution->next(clock(), Cancelled{true}));
    }
    m_wakeList.clear();
}

void Simulation::replacePolicy(const std::string &name, std::shared_ptr<const Policy> policy)
{
    std::uint64_t waits = 0;
    for (std::uint32_t operation = 0; operation < m_operations.size(); ++operation) {
        const OperationRun &run = m_operations[operation];
        if (run.open() && run.call().row->policyName == name)
            waits += run.execution->inRetryWait() ? 1 : 0;
    }
    const std::string values = policyJson(*policy);
    m_recorder.record({0, clock(), 0, {}, {}, 0, journal::PolicyChanged{name, values, waits}});
    m_calls.replacePolicy(name, policy);
    for (std::uint32_t operation = 0; operation < m_operations.size(); ++operation) {
        OperationRun &run = m_operations[operation];
        if (run.open() && run.call().row->policyName == name)
            run.execution->next(clock(), PolicyReplaced{policy});
    }
    wakeWaiters();
}

} // namespace throttlescope
