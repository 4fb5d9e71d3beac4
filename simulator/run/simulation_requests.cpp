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
    // A fallback's calls come from the same book, so every Call here is a ScenarioCall.
    request.call = send.fallback ? static_cast<const ScenarioCall *>(run.execution->currentCall().get()) : run.call;
    request.operation = operation;
    request.site = &m_sites[request.call->serverIndex];
    request.drawKey = run.execution->currentDrawKey();
    request.attempt = static_cast<std::uint32_t>(send.attempt);
    request.deadline = send.deadline;
    request.arrived = request.left = request.delivered = false;
    run.request = slot;
    ++run.requestsOpen;
    ++m_attemptsSent;
    run.sentAtOnce = run.lastSent == m_now ? run.sentAtOnce + 1 : 1;
    run.lastSent = m_now;
    if (run.sentAtOnce > kMostAtOnce)
        fail(fmt::format("operation {} ({}) was sent {} times without a wait", run.id, run.call->operation, kMostAtOnce));
    if (++m_requestsOpen > m_mostOpen)
        fail(fmt::format("more than {} requests are under way at once", m_mostOpen));
    const Duration out = request.site->server->travelOut(request.drawKey, request.attempt);
    if (out == Duration::zero())
        return requestArrives(slot);
    const MonotonicTime arrives = saturatingAdd(m_now, out);
    m_queue.push(arrives, Due::Kind::RequestArrives, slot, request.epoch);
    if (arrives > send.deadline)
        setTimer(operation, send.deadline);
}

Request Simulation::requestOf(const OpenRequest &request, const OperationRun &run) const
{
    const ScenarioCall &call = *request.call;
    return {call.operation, request.drawKey, request.attempt, call.request.method, call.request.path, &call.request.headers, call.units,
        call.request.key, run.atServer.due};
}

void Simulation::requestArrives(std::uint32_t slot)
{
    OpenRequest &request = m_requests[slot];
    OperationRun &run = m_operations[request.operation];
    request.arrived = true;
    if (run.toldBy != request.site)
        run.atServer.due = std::nullopt;
    run.toldBy = request.site;
    request.site->server->arrive(m_now, requestOf(request, run), request.answer);
    recordArrival(request, run);

    const Answer &answer = request.answer;
    const bool occupies = answer.kind == AnswerKind::Respond;
    request.left = !occupies && answer.kind != AnswerKind::Timeout;
    const MonotonicTime leaves = occupies ? saturatingAdd(m_now, answer.serverTime) : m_now;
    const MonotonicTime reaches = answer.kind == AnswerKind::Timeout ? kNever : saturatingAdd(leaves, answer.travelBack);
    if (request.delivered) { // given up on its way out
        if (request.site->server->freesAbandoned())
            leaveServer(request, Leaving::GivenUp);
        if (answer.kind == AnswerKind::Timeout)
            requestLeaves(slot);
        else if (!request.left)
            m_queue.push(leaves, Due::Kind::RequestLeaves, slot, request.epoch);
        else
            releaseIfOver(slot);
        return;
    }
    // One event where leaving and reaching are one moment; the deadline only where the answer will not make it in time.
    if (occupies && (answer.travelBack > Duration::zero() || reaches > request.deadline))
        m_queue.push(leaves, Due::Kind::RequestLeaves, slot, request.epoch);
    if (reaches <= request.deadline)
        m_queue.push(reaches, Due::Kind::AnswerReaches, slot, request.epoch);
    else
        setTimer(request.operation, request.deadline);
}

void Simulation::recordArrival(const OpenRequest &request, OperationRun &run)
{
    if (!request.answer.versionRead) // else it is answered when it has written
        recordAnswer(request, run);
    if (!m_recorder.listening())
        return;
    const std::string_view server = request.call->server;
    forEachWindow(*request.site->server, [this, server](const journal::ServerWindow &window) {
        m_recorder.record({0, clock(), 0, {}, server, 0, window});
    });
}

void Simulation::recordAnswer(const OpenRequest &request, OperationRun &run)
{
    const journal::ServerAnswered answered = accountFor(request.answer, request.call->request.effect, run.atServer);
    if (m_recorder.listening())
        m_recorder.record({0, clock(), run.id, run.call->operation, request.call->server, static_cast<int>(request.attempt), answered});
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
    OperationRun &run = m_operations[request.operation];
    const Request asked = requestOf(request, run);
    if (request.answer.versionRead) {
        if (leaving == Leaving::AtItsEnd)
            request.site->server->write(m_now, asked, request.answer);
        recordAnswer(request, run);
    }
    request.site->server->finished(m_now, asked, request.answer);
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
    switch (request.answer.kind) {
    case AnswerKind::Respond: {
        Response &response = request.answer.response;
        if (request.call->streaming && response.status < 400) {
            response.bytesHandedOn = response.bodyComplete ? request.answer.bodySize : request.answer.bytesBeforeBreak;
        }
        swap(std::get<Response>(m_response), response); // the buffers go to and fro, nothing is copied
        feed(operation, Answered{m_response});
        break;
    }
    case AnswerKind::Reset: feed(operation, Answered{TransportFailure{TransportFailureKind::ConnectionReset}}); break;
    case AnswerKind::Refuse: feed(operation, Answered{TransportFailure{TransportFailureKind::ConnectionRefused}}); break;
    case AnswerKind::Timeout: return; // never reaches anybody
    }
    releaseIfOver(slot); // not before: the engine may have sent the next request meanwhile
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
    if (request.site->server->freesAbandoned())
        leaveServer(request, Leaving::GivenUp);
    if (request.answer.kind == AnswerKind::Timeout || request.left)
        requestLeaves(slot);
}

void Simulation::releaseIfOver(std::uint32_t slot)
{
    OpenRequest &request = m_requests[slot];
    if (!request.arrived || !request.left || !request.delivered || !request.call)
        return;
    const std::uint32_t operation = request.operation;
    request.call = nullptr;
    ++request.epoch;
    m_requests.free(slot);
    --m_requestsOpen;
    --m_operations[operation].requestsOpen;
    recycle(operation);
}

} // namespace throttlescope
