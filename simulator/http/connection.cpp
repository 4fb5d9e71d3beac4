// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/connection.h"

#include "simulator/http/response_writer.h"

#include <algorithm>
#include <unistd.h>

namespace throttlescope::http {

namespace {

constexpr std::size_t kOutBuffer = 256 * 1024;
constexpr std::size_t kTightBuffer = 16 * 1024; ///< where all connections together hold much

} // namespace

Connection::Connection(ConnectionHost &host)
    : m_host(host)
    , m_reader(host.limits().request)
    , m_requestBegan(host.tick())
    , m_lastProgress(host.tick())
{
}

Connection::~Connection() = default;

Exchange *Connection::find(std::uint64_t serial)
{
    const auto found = std::find_if(m_pending.begin(), m_pending.end(), [serial](const auto &each) { return each->serial == serial; });
    return found == m_pending.end() ? nullptr : found->get();
}

// --- in -----------------------------------------------------------------------------------------------------------
void Connection::received(std::string_view bytes)
{
    if (m_state != State::Open)
        return; // thrown away, and no reason to wait longer for the end
    m_lastProgress = m_host.tick();
    m_flushing = true; // the answers to one read go out together
    if (m_input.empty() && !m_paused) {
        m_input.end().assign(read(bytes)); // mostly nothing is left
    } else {
        m_input.end().append(bytes);
        if (!m_paused)
            readAgain();
    }
    m_flushing = false;
    flush();
}

void Connection::readAgain()
{
    const std::size_t left = read(m_input.view()).size();
    m_input.take(m_input.size() - left);
}

/// Reads what it can; what is left stays for the next time.
std::string_view Connection::read(std::string_view bytes)
{
    while (m_state == State::Open && !bytes.empty()) {
        if (isFull()) {
            m_paused = true;
            m_channel->setReading(false);
            return bytes;
        }
        if (!m_current) {
            m_current = m_host.pool().take();
            m_reader.begin(m_current->request);
        }
        const bool begun = m_reader.begun();
        const auto [step, consumed] = m_reader.feed(bytes);
        bytes.remove_prefix(consumed);
        m_current->held = std::min<std::size_t>(m_current->held + consumed, m_host.limits().request.header);
        if (!begun && m_reader.begun())
            m_requestBegan = m_host.tick();
        switch (step) {
        case RequestReader::Step::NeedMore:
            if (!m_reader.begun())
                m_host.pool().giveBack(std::move(m_current));
            return bytes;
        case RequestReader::Step::Continue: m_continueOwed = true; break;
        case RequestReader::Step::Complete: complete(); break;
        case RequestReader::Step::Refused: refuse(m_reader.status()); break;
        }
    }
    return m_state == State::Open ? bytes : std::string_view{};
}

bool Connection::isFull() const
{
    const ConnectionLimits &limits = m_host.limits();
    return m_pending.size() >= limits.pipelined || m_pendingBytes >= limits.pipelinedBytes;
}

bool Connection::hasRoom() const
{
    const ConnectionLimits &limits = m_host.limits();
    return m_pending.size() <= limits.pipelined / 2 && m_pendingBytes <= limits.pipelinedBytes / 2;
}

void Connection::complete()
{
    m_continueOwed = false;
    m_current->close = !m_current->request.keepAlive;
    if (m_current->close)
        m_state = State::Ending;
    m_pendingBytes += m_current->held;
    m_pending.push_back(std::move(m_current));
    m_host.dispatch(*this, *m_pending.back());
}

void Connection::refuse(int status)
{
    if (!m_current)
        m_current = m_host.pool().take();
    Exchange &exchange = *m_current;
    exchange.kind = Exchange::Kind::Own;
    exchange.stage = Exchange::Stage::Ready;
    exchange.close = true;
    exchange.wire.clear();
    const std::string_view text = refusalText(status);
    appendOwnAnswer(exchange.wire, status, "text/plain", text, {text.size(), true, false});
    m_continueOwed = false;
    m_state = State::Ending;
    m_pendingBytes += m_current->held;
    m_pending.push_back(std::move(m_current));
}

/// The client may have closed altogether: whatever is not ready it has given up, as far as the journal can tell. It is
/// sent all the same, for one that only closed its own side.
void Connection::peerEnded()
{
    m_peerEnded = true;
    if (m_state == State::Draining)
        return drop();
    if (m_state == State::Over)
        return;
    m_state = State::Ending;
    giveUp();
}

void Connection::giveUp()
{
    for (const auto &exchange : m_pending) {
        if (exchange->accounted && exchange->stage != Exchange::Stage::Ready)
            m_host.hungUp(*exchange);
    }
    const bool stalls = std::any_of(m_pending.begin(), m_pending.end(),
        [](const auto &each) { return each->answer.kind == AnswerKind::Timeout && each->kind == Exchange::Kind::Model; });
    if (stalls || (m_pending.empty() && m_out.empty()))
        drop();
}

// --- out ----------------------------------------------------------------------------------------------------------
void Connection::decided()
{
    if (m_peerEnded)
        giveUp();
}

void Connection::answered(Exchange &exchange)
{
    if (exchange.kind == Exchange::Kind::Own) {
        exchange.held += exchange.wire.size();
        m_pendingBytes += exchange.wire.size();
    }
    exchange.stage = Exchange::Stage::Ready;
    flush();
}

void Connection::startTrickle(Exchange &exchange)
{
    exchange.stage = Exchange::Stage::Trickling;
    compose(exchange, exchange.wire);
}

void Connection::release(Exchange &exchange, double share)
{
    exchange.released = share >= 1 ? exchange.wire.size() : static_cast<std::size_t>(static_cast<double>(exchange.wire.size()) * share);
    if (share >= 1)
        exchange.stage = Exchange::Stage::Ready;
    flush();
}

void Connection::writable()
{
    m_lastProgress = m_host.tick();
    flush();
}

void Connection::compose(Exchange &exchange, std::string &out)
{
    exchange.composed = true;
    const Answer &answer = exchange.answer;
    const bool body = hasBody(answer.response.status, exchange.request.method);
    const bool breaks = !answer.response.bodyComplete;
    exchange.close = exchange.close || breaks || m_peerEnded || (m_state != State::Open && &exchange == m_pending.back().get());
    appendHead(
        out, answer.response.status, answer.response.headers, {answer.bodySize, exchange.close && !breaks, exchange.request.oldVersion});
    if (!body)
        return;
    out += answer.response.body;
    const std::uint64_t size = breaks ? answer.bytesBeforeBreak : answer.bodySize;
    exchange.filler = size - std::min<std::uint64_t>(size, answer.response.body.size());
}

/// How much more may be made before the channel takes some; never nothing where it took all.
std::size_t Connection::room() const
{
    const std::size_t bound = m_host.queued() + m_out.size() - m_counted < m_host.limits().queued ? kOutBuffer : kTightBuffer;
    return bound - std::min(bound, m_out.size());
}

void Connection::fill(Exchange &exchange)
{
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(exchange.filler, room()));
    if (count == 0)
        return;
    std::string &out = m_out.end();
    const std::size_t before = out.size();
    out.append(count, 'x');
    exchange.filler -= count;
    if (exchange.file < 0)
        return;
    const ssize_t got = ::pread(exchange.file, out.data() + before, count, static_cast<off_t>(exchange.fileAt));
    if (got != static_cast<ssize_t>(count))
        return drop(); // the length was said already
    exchange.fileAt += count;
}

/// Appends what may go of an answer. True: all of it, or the connection is over.
bool Connection::emit(Exchange &exchange)
{
    if (exchange.kind == Exchange::Kind::Own) {
        if (!exchange.composed)
            m_out.end() += exchange.wire;
        exchange.composed = true;
        fill(exchange);
        return isOver() || exchange.filler == 0;
    }
    if (exchange.answer.kind != AnswerKind::Respond) {
        sendOut();
        if (exchange.accounted)
            m_host.delivered(exchange);
        m_channel->reset();
        drop();
        return true;
    }
    if (exchange.stage == Exchange::Stage::Trickling || exchange.sent > 0 || exchange.released > 0) {
        m_out.end().append(exchange.wire, exchange.sent, exchange.released - exchange.sent);
        exchange.sent = exchange.released;
        if (exchange.stage == Exchange::Stage::Trickling)
            return false;
    } else if (!exchange.composed) {
        compose(exchange, m_out.end());
    }
    fill(exchange);
    return exchange.filler == 0;
}

void Connection::flush()
{
    if (m_flushing)
        return; // `read` below dispatches, and what is answered at once comes back here
    m_flushing = true;
    bool more = true;
    while (more && m_state != State::Over) {
        more = false;
        while (!m_pending.empty() && room() > 0 && (m_state == State::Open || m_state == State::Ending)) {
            Exchange &front = *m_pending.front();
            if (front.stage == Exchange::Stage::Waiting || !emit(front))
                break;
            if (m_state == State::Over)
                break;
            popFront();
        }
        if (m_state == State::Over)
            break;
        if (m_continueOwed && m_pending.empty()) {
            m_continueOwed = false;
            m_out.end() += kContinue;
        }
        if (!sendOut())
            break;
        if (m_paused && m_state == State::Open && hasRoom()) {
            m_paused = false;
            m_channel->setReading(true);
            readAgain();
            more = true;
        }
        more = more || (!m_pending.empty() && m_pending.front()->stage == Exchange::Stage::Ready && m_pending.front()->filler > 0);
    }
    m_flushing = false;
    if (m_state == State::Ending && m_pending.empty() && m_out.empty())
        endOutput();
}

void Connection::popFront()
{
    std::unique_ptr<Exchange> front = std::move(m_pending.front());
    m_pending.erase(m_pending.begin());
    m_pendingBytes -= front->held;
    if (front->accounted)
        m_host.delivered(*front);
    if (front->close) {
        m_state = State::Ending;
        for (auto &behind : m_pending) { // never to be answered
            if (behind->accounted)
                m_host.hungUp(*behind);
            m_host.takeBack(std::move(behind));
        }
        m_pending.clear();
    }
    m_host.takeBack(std::move(front));
}

/// True: the channel took everything.
bool Connection::sendOut()
{
    if (m_out.empty())
        return true;
    const std::size_t sent = m_channel->send(m_out.view());
    if (sent > 0)
        m_lastProgress = m_host.tick();
    m_out.take(sent);
    count();
    return m_out.empty();
}

/// Among what all connections hold.
void Connection::count()
{
    m_host.queued() += m_out.size() - m_counted;
    m_counted = m_out.size();
}

// --- the end ------------------------------------------------------------------------------------------------------
void Connection::endOutput()
{
    m_state = State::Draining;
    m_lastProgress = m_host.tick();
    if (m_peerEnded)
        return drop();
    m_input.clear();
    if (m_paused)
        m_channel->setReading(true);
    m_channel->endOutput();
}

void Connection::retire()
{
    if (m_state != State::Open)
        return;
    m_state = State::Ending;
    if (m_pending.empty() && m_out.empty())
        drop();
}

void Connection::drop()
{
    if (m_state == State::Over)
        return;
    m_state = State::Over;
    m_channel->close();
    for (auto &exchange : m_pending) {
        if (exchange->accounted)
            m_host.hungUp(*exchange);
        m_host.takeBack(std::move(exchange));
    }
    m_pending.clear();
    m_out.clear();
    count();
    m_host.closed(*this);
}

void Connection::checkDeadlines()
{
    const ConnectionLimits &limits = m_host.limits();
    const auto since = [this](std::chrono::milliseconds moment) { return m_host.tick() - moment; };
    switch (m_state) {
    case State::Over: return;
    case State::Draining:
        if (since(m_lastProgress) > limits.linger)
            drop();
        return;
    case State::Open:
    case State::Ending: break;
    }
    if (!m_out.empty() && since(m_lastProgress) > limits.body)
        return drop(); // it does not read what it asked for
    if (m_state == State::Ending || m_paused)
        return;
    const bool reading = m_current && m_reader.begun();
    const bool late = reading && (m_reader.headerRead() ? since(m_lastProgress) > limits.body : since(m_requestBegan) > limits.header);
    if (late) {
        refuse(408);
        flush();
    } else if (!reading && m_pending.empty() && since(m_lastProgress) > limits.idle) {
        drop();
    }
}

} // namespace throttlescope::http
