// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/simulation.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

/// The way of a request: out, at the server, back. A request that was given up still occupies the server to its end, unless
/// the server lets it go.
namespace throttlescope {

namespace {

constexpr std::uint32_t kMostAtOnce = 10'000; ///< attempts of one operation at one moment: time stands still

} // namespace

void Simulation::send(std::uint32_t operation, const Send &send)
{
    const std::uint32_t slot = m_requests.take();
    OperationRun &run = m_operations[operation];
    OpenRequest &request = m_requests[slot];
    request.operation = operation;
    request.attempt = static_cast<std::uint32_t>(send.attempt);
    request.answer = kNone;
    request.fallback = send.fallback;
    request.arrived = request.left = request.delivered = false;
    run.request = slot;
    ++run.holders;
    ++m_attemptsSent;
    run.sentAtOnce = run.sentAt == m_moment ? run.sentAtOnce + 1 : 1;
    run.sentAt = m_moment;
    if (run.sentAtOnce > kMostAtOnce)
        fail(
            fmt::format("operation {} ({}) was sent {} times without a wait", run.execution->id(), callOf(request).operation, kMostAtOnce));
    if (++m_requestsOpen > m_mostOpen)
        fail(fmt::format("more than {} requests are under way at once", m_mostOpen));
    const Duration out = serverOf(request).travelOut(run.execution->currentDrawKey(), request.attempt);
    if (out == Duration::zero())
        return requestArrives(slot);
    const MonotonicTime arrives = saturatingAdd(m_now, out);
    m_queue.push(arrives, Due::Kind::RequestArrives, slot, request.epoch);
    if (arrives > send.deadline)
        setTimer(operation, send.deadline);
}

const ScenarioCall &Simulation::callOf(const OpenRequest &request) const
{
    const ScenarioCall &own = m_operations[request.operation].call();
    return request.fallback ? static_cast<const ScenarioCall &>(*own.fallback) : own;
}

/// What the server sees of it.
Request Simulation::asked(const OpenRequest &request) const
{
    const ScenarioCall &call = callOf(request);
    const OperationRun &run = m_operations[request.operation];
    const std::uint64_t drawKey = request.fallback ? fallbackDrawKey(run.execution->drawKey()) : run.execution->drawKey();
    return {call.operation, drawKey, request.attempt, call.request.method, call.request.path, &call.request.headers, call.units,
        call.request.key, run.atServer.due};
}

void Simulation::requestArrives(std::uint32_t slot)
{
    OpenRequest &request = m_requests[slot];
    OperationRun &run = m_operations[request.operation];
    request.arrived = true;
    request.arrivedAt = m_now;
    const auto server = static_cast<std::uint32_t>(callOf(request).serverIndex);
    if (run.toldBy != server)
        run.atServer.due = std::nullopt;
    run.toldBy = server;
    const std::uint32_t answerSlot = m_answers.take();
    Answer &answer = m_answers[answerSlot];
    serverOf(request).arrive(m_now, asked(request), answer, PlainHeaders::Later);
    recordArrival(request, answer);
    keepAnswer(request, answerSlot);

    const bool occupies = answer.kind == AnswerKind::Respond;
    request.left = !occupies && answer.kind != AnswerKind::Timeout;
    const MonotonicTime leaves = occupies ? saturatingAdd(m_now, answer.serverTime) : m_now;
    const MonotonicTime reaches = answer.kind == AnswerKind::Timeout ? kNever : saturatingAdd(leaves, answer.travelBack);
    if (request.delivered) { // given up on its way out
        if (serverOf(request).freesAbandoned())
            leaveServer(request, Leaving::GivenUp);
        if (request.kind == AnswerKind::Timeout)
            requestLeaves(slot);
        else if (!request.left)
            m_queue.push(leaves, Due::Kind::RequestLeaves, slot, request.epoch);
        else
            releaseIfOver(slot);
        return;
    }
    // One event where leaving and reaching are one moment; the deadline only where the answer will not make it in time.
    const MonotonicTime deadline = run.execution->attemptDeadline();
    if (occupies && (answer.travelBack > Duration::zero() || reaches > deadline))
        m_queue.push(leaves, Due::Kind::RequestLeaves, slot, request.epoch);
    if (reaches <= deadline)
        m_queue.push(reaches, Due::Kind::AnswerReaches, slot, request.epoch);
    else
        setTimer(request.operation, deadline);
}

/// A plain one needs no place of its own; it is still readable until the next request arrives.
void Simulation::keepAnswer(OpenRequest &request, std::uint32_t slot)
{
    const Answer &answer = m_answers[slot];
    request.kind = answer.kind;
    request.status = static_cast<std::int16_t>(answer.response.status);
    request.admitted = answer.admitted;
    request.answer = answer.plain ? kNone : slot;
    if (answer.plain)
        m_answers.free(slot);
}

void Simulation::recordArrival(const OpenRequest &request, const Answer &answer)
{
    if (!answer.versionRead) // else it is answered when it has written
        recordAnswer(request, answer);
    if (!m_recorder.listening())
        return;
    const std::string_view server = callOf(request).server;
    forEachWindow(serverOf(request), [this, server](const journal::ServerWindow &window) {
        m_recorder.record({0, clock(), 0, {}, server, 0, window});
    });
}

void Simulation::recordAnswer(const OpenRequest &request, const Answer &answer)
{
    OperationRun &run = m_operations[request.operation];
    const ScenarioCall &call = callOf(request);
    const journal::ServerAnswered answered = accountFor(answer, call.request.effect, run.atServer);
    if (m_recorder.listening())
        m_recorder.record(
            {0, clock(), run.execution->id(), run.call().operation, call.server, static_cast<int>(request.attempt), answered});
}

void Simulation::requestLeaves(std::uint32_t slot)
{
    leaveServer(m_requests[slot], Leaving::AtItsEnd);
    releaseIfOver(slot);
}

/// What is given up leaves as it is: what it had still to write is not written.
void Simulation::leaveServer(OpenRequest &request, Leaving leaving)
{
    if (request.left)
        return;
    request.left = true;
    m_plain.kind = request.kind;
    m_plain.admitted = request.admitted;
    Answer &answer = request.answer == kNone ? m_plain : m_answers[request.answer];
    if (answer.versionRead) {
        if (leaving == Leaving::AtItsEnd)
            serverOf(request).write(m_now, asked(request), answer);
        recordAnswer(request, answer);
    }
    serverOf(request).finished(m_now, asked(request), answer);
}

void Simulation::answerReaches(std::uint32_t slot)
{
    OpenRequest &request = m_requests[slot];
    leaveServer(request, Leaving::AtItsEnd);
    if (request.delivered)
        return releaseIfOver(slot);
    request.delivered = true;
    const std::uint32_t operation = request.operation;
    m_operations[operation].request = kNone;
    ++m_operations[operation].timerEpoch;
    switch (request.kind) {
    case AnswerKind::Respond: deliver(request); break;
    case AnswerKind::Reset: feed(operation, Answered{TransportFailure{TransportFailureKind::ConnectionReset}}); break;
    case AnswerKind::Refuse: feed(operation, Answered{TransportFailure{TransportFailureKind::ConnectionRefused}}); break;
    case AnswerKind::Timeout: return; // never reaches anybody
    }
    releaseIfOver(slot); // not before: the engine may have sent the next request meanwhile
}

void Simulation::deliver(OpenRequest &request)
{
    auto &delivered = std::get<Response>(m_response);
    if (request.answer == kNone) {
        serverOf(request).writePlain(request.arrivedAt, request.status, delivered);
    } else {
        Answer &answer = m_answers[request.answer];
        if (callOf(request).streaming && answer.response.status < 400)
            answer.response.bytesHandedOn = answer.response.bodyComplete ? answer.bodySize : answer.bytesBeforeBreak;
        swap(delivered, answer.response); // the buffers go to and fro, nothing is copied
    }
    feed(request.operation, Answered{m_response});
}

/// The operation went on without the answer.
void Simulation::giveUp(OperationRun &run)
{
    if (run.request == kNone)
        return;
    const std::uint32_t slot = run.request;
    OpenRequest &request = m_requests[slot];
    run.request = kNone;
    request.delivered = true;
    if (!request.arrived)
        return;
    if (serverOf(request).freesAbandoned())
        leaveServer(request, Leaving::GivenUp);
    if (request.kind == AnswerKind::Timeout || request.left)
        requestLeaves(slot);
}

void Simulation::releaseIfOver(std::uint32_t slot)
{
    OpenRequest &request = m_requests[slot];
    if (!request.arrived || !request.left || !request.delivered || request.operation == kNone)
        return;
    if (request.answer != kNone)
        m_answers.free(request.answer);
    const std::uint32_t operation = std::exchange(request.operation, kNone);
    ++request.epoch;
    m_requests.free(slot);
    --m_requestsOpen;
    letGo(operation);
}

} // namespace throttlescope
