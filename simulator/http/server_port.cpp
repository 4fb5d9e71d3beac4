// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/server_port.h"

#include "simulator/http/control.h"
#include "simulator/http/tls_channel.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace throttlescope::http {

namespace {

constexpr int kTrickleSteps = 20;

} // namespace

ServerPort::ServerPort(std::size_t index, const Server &server, std::unique_ptr<Listeners> listeners, PortContext &context, QObject *parent)
    : QObject(parent)
    , m_index(index)
    , m_server(server)
    , m_listeners(std::move(listeners))
    , m_context(context)
{
    m_listeners->onPlain = [this](int descriptor) {
        if (m_context.connections >= m_context.limits.connections)
            ::close(descriptor);
        else
            addConnection([&](Connection &connection) { return std::make_unique<PlainChannel>(m_context.poller, descriptor, connection); });
    };
    m_listeners->onTls = [this](std::unique_ptr<QSslSocket> socket) {
        if (m_context.connections >= m_context.limits.connections)
            return socket->abort();
        TlsChannel *channel = nullptr;
        addConnection([&](Connection &connection) {
            auto made = std::make_unique<TlsChannel>(std::move(socket), connection);
            channel = made.get();
            return made;
        });
        channel->start();
    };
}

ServerPort::~ServerPort()
{
    m_listeners.reset();
    dropAll();
}

template <typename MakeChannel>
void ServerPort::addConnection(MakeChannel makeChannel)
{
    auto connection = std::make_shared<Connection>(static_cast<ConnectionHost &>(*this));
    connection->open(makeChannel(*connection));
    ++m_context.connections;
    m_connections.emplace(connection.get(), std::move(connection));
}

void ServerPort::closed(Connection &connection)
{
    const auto found = m_connections.find(&connection);
    if (found == m_connections.end())
        return;
    --m_context.connections;
    if (m_retired.empty())
        QMetaObject::invokeMethod(this, &ServerPort::freeRetired, Qt::QueuedConnection);
    m_retired.push_back(std::move(found->second)); // it is still on the stack
    m_connections.erase(found);
}

void ServerPort::dropAll(const Connection *but)
{
    std::vector<std::shared_ptr<Connection>> all;
    for (const auto &[connection, owned] : m_connections) {
        if (connection != but)
            all.push_back(owned);
    }
    for (const auto &connection : all)
        connection->drop();
}

void ServerPort::checkDeadlines()
{
    std::vector<std::shared_ptr<Connection>> all;
    all.reserve(m_connections.size());
    for (const auto &each : m_connections)
        all.push_back(each.second);
    for (const auto &connection : all)
        connection->checkDeadlines();
}

void ServerPort::refuse()
{
    m_listeners->close();
    std::vector<std::shared_ptr<Connection>> all;
    for (const auto &each : m_connections)
        all.push_back(each.second);
    for (const auto &connection : all)
        connection->retire();
}

std::optional<std::string> ServerPort::accept()
{
    if (m_listeners->reopen())
        return std::nullopt;
    return fmt::format("{} cannot be served, {}", m_server.name, m_listeners->error().toStdString());
}

// --- a request's way ----------------------------------------------------------------------------------------------
void ServerPort::dispatch(Connection &connection, Exchange &exchange)
{
    exchange.serial = ++m_context.serial;
    if (m_context.control && isControl(exchange.request)) {
        exchange.kind = Exchange::Kind::Own;
        m_context.control(connection, exchange);
        return connection.answered(exchange);
    }
    const Duration out = m_context.accounts().travelOut(m_index, exchange);
    if (out == Duration::zero())
        return arrive(connection, exchange);
    exchange.onItsWay = true;
    m_context.agenda.at(saturatingAdd(m_context.clock.now(), out),
        [this, serial = exchange.serial, weak = connection.weak_from_this()] { arriveOnTime(serial, weak); });
    m_context.agendaChanged();
}

void ServerPort::arriveOnTime(std::uint64_t serial, const std::weak_ptr<Connection> &connection)
{
    const auto open = connection.lock();
    if (Exchange *exchange = open ? open->find(serial) : nullptr)
        return arrive(*open, *exchange);
    if (const auto abandoned = m_abandoned.find(serial); abandoned != m_abandoned.end())
        arriveAbandoned(*abandoned->second);
}

/// Given up on its way out: it occupies the server all the same, unless that lets it go.
void ServerPort::arriveAbandoned(Exchange &exchange)
{
    exchange.onItsWay = false;
    m_context.accounts().arrive(m_index, exchange);
    if (exchange.accounted)
        hungUp(exchange);
    m_context.agenda.at(
        saturatingAdd(exchange.arrived, exchange.answer.serverTime), [this, serial = exchange.serial] { leaveOnTime(serial, {}); });
    m_context.agendaChanged();
}

void ServerPort::arrive(Connection &connection, Exchange &exchange)
{
    exchange.onItsWay = false;
    m_context.accounts().arrive(m_index, exchange);
    connection.decided();
    if (connection.isOver())
        return;
    const MonotonicTime leaves = saturatingAdd(exchange.arrived, exchange.answer.serverTime);
    switch (exchange.answer.kind) {
    case AnswerKind::Respond: return answerLater(connection, exchange, leaves, saturatingAdd(leaves, exchange.answer.travelBack));
    case AnswerKind::Reset:
    case AnswerKind::Refuse:
        return answerLater(connection, exchange, exchange.arrived, saturatingAdd(exchange.arrived, exchange.answer.travelBack));
    case AnswerKind::Timeout: return; // until the client goes
    }
}

void ServerPort::answerLater(Connection &connection, Exchange &exchange, MonotonicTime leaves, MonotonicTime reaches)
{
    if (reaches == exchange.arrived) {
        leave(exchange);
        return connection.answered(exchange);
    }
    m_context.agenda.at(leaves, [this, serial = exchange.serial, weak = connection.weak_from_this()] { leaveOnTime(serial, weak); });
    if (exchange.answer.fault == "slow")
        trickle(connection, exchange, reaches);
    else
        later(reaches, connection, exchange.serial, &ServerPort::answerNow);
    m_context.agendaChanged();
}

/// Bytes all along, so that no inactivity timeout of a client strikes; the last ones when the answer is due.
void ServerPort::trickle(Connection &connection, Exchange &exchange, MonotonicTime complete)
{
    connection.startTrickle(exchange);
    const Duration span = complete - exchange.arrived;
    for (int step = 1; step <= kTrickleSteps; ++step) {
        m_context.agenda.at(
            exchange.arrived + span / kTrickleSteps * step + (step == kTrickleSteps ? span % kTrickleSteps : Duration::zero()),
            [serial = exchange.serial, weak = connection.weak_from_this(), share = static_cast<double>(step) / kTrickleSteps] {
                const auto open = weak.lock();
                if (Exchange *found = open ? open->find(serial) : nullptr)
                    open->release(*found, share);
            });
    }
}

void ServerPort::later(MonotonicTime time, Connection &connection, std::uint64_t serial, void (ServerPort::*task)(Connection &, Exchange &))
{
    m_context.agenda.at(time, [this, serial, task, weak = connection.weak_from_this()] {
        const auto open = weak.lock();
        if (Exchange *exchange = open ? open->find(serial) : nullptr)
            (this->*task)(*open, *exchange);
    });
    m_context.agendaChanged();
}

void ServerPort::answerNow(Connection &connection, Exchange &exchange)
{
    connection.answered(exchange);
}

void ServerPort::leave(Exchange &exchange)
{
    if (exchange.atServer && !m_context.runOver)
        m_context.accounts().leave(m_index, exchange);
    exchange.atServer = false;
}

void ServerPort::leaveOnTime(std::uint64_t serial, const std::weak_ptr<Connection> &connection)
{
    const auto open = connection.lock();
    if (Exchange *exchange = open ? open->find(serial) : nullptr)
        return leave(*exchange);
    const auto abandoned = m_abandoned.find(serial);
    if (abandoned != m_abandoned.end())
        letGo(abandoned);
}

void ServerPort::letGo(Abandoned::iterator abandoned)
{
    leave(*abandoned->second);
    m_context.pool.giveBack(std::move(abandoned->second));
    m_abandoned.erase(abandoned);
}

void ServerPort::delivered(Exchange &exchange)
{
    if (!m_context.runOver)
        m_context.accounts().end(m_index, exchange, Ending::Answered);
    exchange.accounted = false;
}

void ServerPort::hungUp(Exchange &exchange)
{
    if (exchange.answer.kind == AnswerKind::Timeout || m_server.latency.abandoned == throttlescope::Abandoned::Freed)
        leave(exchange);
    if (!m_context.runOver)
        m_context.accounts().end(m_index, exchange, Ending::HungUp);
    exchange.accounted = false;
}

void ServerPort::takeBack(std::unique_ptr<Exchange> exchange)
{
    if (!exchange->atServer && !exchange->onItsWay)
        return m_context.pool.giveBack(std::move(exchange));
    const std::uint64_t serial = exchange->serial;
    m_abandoned.emplace(serial, std::move(exchange));
    if (m_abandoned.size() > m_context.limits.abandoned)
        letGo(m_abandoned.begin());
}

} // namespace throttlescope::http
