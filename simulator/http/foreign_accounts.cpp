// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/foreign_accounts.h"

#include "core/engine/classify.h"
#include "core/version.h"
#include "simulator/scenario/policy_text.h"

#include <algorithm>

namespace throttlescope::http {

namespace {

bool changesOnRefusal(const OnLimit &rules)
{
    return rules.counts == Counts::All || rules.earlyRetry == EarlyRetry::Extend;
}

/// Whether a refused request can change a window, or shows its key by one. Else nobody has to look.
bool refusalsTellOfWindows(const Server &server)
{
    return changesOnRefusal(server.onLimit) || std::any_of(server.limits.begin(), server.limits.end(), [](const Limit &limit) {
        return !limit.keyHeader.empty() || (limit.onLimit && changesOnRefusal(*limit.onLimit));
    });
}

journal::AttemptFinished ended(const Answer &answer, Ending ending, Duration took)
{
    using journal::AttemptEnd;
    const auto broken = [took](TransportFailureKind kind) {
        return journal::AttemptFinished{false, AttemptEnd::TransportFailed, {}, kind, Family::Transport, took, nullptr};
    };
    switch (answer.kind) {
    case AnswerKind::Reset: return broken(TransportFailureKind::ConnectionReset);
    case AnswerKind::Refuse: return broken(TransportFailureKind::ConnectionRefused);
    case AnswerKind::Timeout: return broken(TransportFailureKind::AttemptTimeout);
    case AnswerKind::Respond: break;
    }
    if (ending == Ending::HungUp)
        return {false, AttemptEnd::Cancelled, {}, {}, Family::Success, took, nullptr};
    const int status = answer.response.status;
    return {false, AttemptEnd::Answered, status, {}, familyOf(answer.response, status == 429 || !answer.violated.empty()), took, nullptr};
}

std::optional<ClientClock> clientOf(const RunClock &clock)
{
    return clock.kind() == RunClock::Kind::Manual ? std::nullopt : std::optional{ClientClock{clock.scale(), clock.wallAtZero()}};
}

} // namespace

ForeignAccounts::ForeignAccounts(const Scenario &scenario, const RunClock &clock, journal::EventSink &sink)
    : m_scenario(scenario)
    , m_clock(clock)
    , m_recorder(&sink)
    , m_draw(scenario.seed)
{
    m_servers.reserve(scenario.servers.size());
    for (const Server &server : scenario.servers)
        m_servers.push_back({&server, ServerModel{server, scenario.timeline, scenario.start, m_draw, clientOf(clock)},
            Operations{server, scenario.workload}, refusalsTellOfWindows(server)});
}

void ForeignAccounts::readClock()
{
    const MonotonicTime now = m_clock.now();
    m_now = {now, m_scenario.start + now.time_since_epoch()};
}

void ForeignAccounts::record(const Operation &operation, std::size_t server, std::uint32_t attempt, journal::Payload &&payload)
{
    m_recorder.record(
        {0, m_now, operation.id, operation.kind->name, m_servers[server].server->name, static_cast<int>(attempt), std::move(payload)});
}

void ForeignAccounts::begin()
{
    readClock();
    const std::string policies = policiesJson(m_scenario.policies);
    m_recorder.record({0, m_now, 0, {}, {}, 0,
        journal::RunStarted{
            journal::kSchemaVersion, version(), m_scenario.name, m_scenario.hash, m_scenario.seed, policies, journal::Traffic::Loopback}});
}

/// Without draw key and due: they matter on arrival alone, and the operation may be over before its request leaves.
Request ForeignAccounts::requestOf(const Exchange &exchange)
{
    return {exchange.operationName, 0, exchange.attempt, exchange.request.method, exchange.request.path(), &exchange.request.headers,
        exchange.units, {}, {}};
}

Duration ForeignAccounts::travelOut(std::size_t server, const Exchange &exchange)
{
    return m_servers[server].model.travelOut(exchange.serial, 1);
}

void ForeignAccounts::arrive(std::size_t server, Exchange &exchange)
{
    readClock();
    const Operation *givenUp = nullptr;
    m_current = nullptr;
    Operation &operation = m_servers[server].operations.claim(exchange.request, givenUp);
    if (givenUp) {
        Operation gone = *givenUp;
        finishOperation(gone, server, Result::Failed);
    }
    m_current = &exchange.request;
    exchange.operation = &operation;
    exchange.operationName = operation.kind->name;
    exchange.units = operation.kind->units;
    exchange.attempt = ++operation.attempts;
    const Now now = m_now;
    exchange.arrived = now.monotonic;
    if (operation.id == 0) {
        operation.id = ++m_operationsStarted;
        const WorkloadRow *row = operation.kind->row;
        record(operation, server, 0,
            journal::OperationStarted{"foreign", exchange.request.method, row ? row->operationClass : std::nullopt,
                row ? row->replay.rule : ReplayRule::Never, operation.kind->units});
    }
    const Duration waited = operation.ended ? now.monotonic - *operation.ended : Duration::zero();
    if (operation.throttled)
        operation.metadata.rateLimitWait = saturatingAdd(operation.metadata.rateLimitWait, waited);
    record(operation, server, exchange.attempt, journal::AttemptStarted{false, false, waited, {}});
    Request request = requestOf(exchange);
    request.drawKey = operation.drawKey;
    request.due = operation.atServer.due;
    m_servers[server].model.arrive(now.monotonic, request, exchange.answer);
    exchange.accounted = true;
    exchange.atServer = exchange.answer.kind == AnswerKind::Respond || exchange.answer.kind == AnswerKind::Timeout;
    recordArrival(server, exchange);
    m_current = nullptr;
}

void ForeignAccounts::recordArrival(std::size_t server, Exchange &exchange)
{
    const Answer &answer = exchange.answer;
    Operation &operation = *exchange.operation;
    record(
        operation, server, exchange.attempt, accountFor(answer, hasEffect(*operation.kind, exchange.request.method), operation.atServer));
    const ServerAccount &account = m_servers[server];
    if (!answer.admitted && !account.refusalsTellOfWindows)
        return;
    forEachWindow(account.model, [this, &account](const journal::ServerWindow &window) {
        m_recorder.record({0, m_now, 0, {}, account.server->name, 0, window});
    });
}

void ForeignAccounts::leave(std::size_t server, Exchange &exchange)
{
    m_servers[server].model.finished(m_clock.now(), requestOf(exchange), exchange.answer);
}

void ForeignAccounts::end(std::size_t server, Exchange &exchange, Ending ending)
{
    m_current = &exchange.request;
    Operation &operation = *exchange.operation;
    const Answer &answer = exchange.answer;
    readClock();
    const MonotonicTime now = m_now.monotonic;
    const journal::AttemptFinished finished = ended(answer, ending, now - exchange.arrived);
    record(operation, server, exchange.attempt, finished);
    operation.status = finished.status;
    operation.ended = now;
    operation.cutOff = m_stopping && ending == Ending::HungUp;
    operation.throttled = finished.end == journal::AttemptEnd::Answered && finished.family == Family::RateLimited;
    if (operation.throttled) {
        operation.metadata.rateLimitEncountered = true;
        recordThrottled(server, exchange);
    }
    const bool succeeded = finished.end == journal::AttemptEnd::Answered && finished.family == Family::Success;
    if (succeeded && !operation.finished)
        finishOperation(operation, server, Result::Succeeded);
    m_servers[server].operations.release(operation, succeeded);
    m_current = nullptr;
}

void ForeignAccounts::recordThrottled(std::size_t server, const Exchange &exchange)
{
    const Answer &answer = exchange.answer;
    const auto *retryAfter = findHeader(answer.response.headers, "Retry-After");
    if (answer.due && retryAfter) {
        const bool plain = retryAfter->find_first_not_of("0123456789") == std::string::npos;
        m_hint.delay = *answer.due - exchange.arrived;
        m_hint.header = "Retry-After";
        m_hint.form = plain ? signals::HintForm::DelaySeconds : signals::HintForm::HttpDate;
        m_hint.raw = *retryAfter;
    }
    record(*exchange.operation, server, exchange.attempt,
        journal::RateLimitDetected{answer.response.status, answer.due && retryAfter ? &m_hint : nullptr, false});
}

void ForeignAccounts::finishOperation(Operation &operation, std::size_t server, Result result)
{
    record(operation, server, 0,
        journal::OperationFinished{
            result, {}, false, operation.status, static_cast<int>(operation.attempts), {}, operation.metadata, {}, {}});
}

void ForeignAccounts::mark(const TimelineEntry &entry, bool begin)
{
    readClock();
    m_recorder.record({0, m_now, 0, {}, entry.server, 0, journal::Marker{entry.label, begin}});
}

void ForeignAccounts::finish(bool stopped)
{
    readClock();
    for (std::size_t server = 0; server < m_servers.size(); ++server) {
        std::vector<Operation *> open;
        m_servers[server].operations.forEachOpen([&open](Operation &operation) { open.push_back(&operation); });
        std::sort(open.begin(), open.end(), [](const Operation *a, const Operation *b) { return a->id < b->id; });
        for (Operation *operation : open) {
            finishOperation(*operation, server, operation->underWay > 0 || operation->cutOff ? Result::Unfinished : Result::Failed);
            operation->finished = true;
        }
    }
    m_recorder.record({0, m_now, 0, {}, {}, 0, journal::RunFinished{m_operationsStarted, stopped}});
}

} // namespace throttlescope::http
