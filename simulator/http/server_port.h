// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/connection.h"
#include "simulator/http/listeners.h"
#include "simulator/http/plain_channel.h"
#include "simulator/http/run_clock.h"

#include <QObject>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace throttlescope::http {

/// What the ports of one scenario share.
struct PortContext {
    const ConnectionLimits &limits;
    RunClock &clock;
    Agenda &agenda;
    ExchangePool &pool;
    Poller &poller;
    /// Of the run under way, which a reset replaces.
    std::function<Accounts &()> accounts;
    /// Answers a control request into `exchange.wire`; empty: such a request is one like any other.
    std::function<void(Connection &, Exchange &)> control;
    std::function<void()> agendaChanged;
    std::chrono::milliseconds tick{};
    std::size_t connections = 0; ///< open, of all ports
    std::size_t queued = 0; ///< bytes made and not taken, of all connections
    std::uint64_t serial = 0;
    bool runOver = false; ///< it is judged: what happens to connections now is no part of it
};

/// One server of the scenario on its port: its connections, and what the model decides carried out in time.
class ServerPort final : public QObject, private ConnectionHost {
    Q_OBJECT

public:
    ServerPort(std::size_t index, const Server &server, std::unique_ptr<Listeners> listeners, PortContext &context, QObject *parent);
    ~ServerPort() override;

    const Server &server() const { return m_server; }
    Listeners &listeners() { return *m_listeners; }
    std::size_t connections() const { return m_connections.size(); }

    /// The port refuses: no listener, idle connections closed, busy ones after their answers.
    void refuse();
    /// The port is open again. Else why it is not, in one line.
    std::optional<std::string> accept();
    void checkDeadlines();
    /// Every connection but one, at once.
    void dropAll(const Connection *but = nullptr);
    /// Exchanges whose connection is gone are forgotten: the run they belong to is over.
    void forgetAbandoned() { m_abandoned.clear(); }

private:
    using Abandoned = std::map<std::uint64_t, std::unique_ptr<Exchange>>; ///< by serial: the oldest first

    const ConnectionLimits &limits() const override { return m_context.limits; }
    ExchangePool &pool() override { return m_context.pool; }
    std::chrono::milliseconds tick() const override { return m_context.tick; }
    std::size_t &queued() override { return m_context.queued; }
    void dispatch(Connection &connection, Exchange &exchange) override;
    void delivered(Exchange &exchange) override;
    void hungUp(Exchange &exchange) override;
    void takeBack(std::unique_ptr<Exchange> exchange) override;
    void closed(Connection &connection) override;

    template <typename MakeChannel>
    void addConnection(MakeChannel makeChannel);
    void arrive(Connection &connection, Exchange &exchange);
    void arriveOnTime(std::uint64_t serial, const std::weak_ptr<Connection> &connection);
    void arriveAbandoned(Exchange &exchange);
    void letGo(Abandoned::iterator abandoned);
    void answerLater(Connection &connection, Exchange &exchange, MonotonicTime leaves, MonotonicTime reaches);
    void trickle(Connection &connection, Exchange &exchange, MonotonicTime complete);
    void leave(Exchange &exchange);
    void leaveOnTime(std::uint64_t serial, const std::weak_ptr<Connection> &connection);
    void later(MonotonicTime time, Connection &connection, std::uint64_t serial, void (ServerPort::*task)(Connection &, Exchange &));
    void answerNow(Connection &connection, Exchange &exchange);
    void freeRetired() { m_retired.clear(); }

    const std::size_t m_index;
    const Server m_server;
    std::unique_ptr<Listeners> m_listeners;
    PortContext &m_context;
    std::unordered_map<Connection *, std::shared_ptr<Connection>> m_connections;
    std::vector<std::shared_ptr<Connection>> m_retired;
    Abandoned m_abandoned; ///< their clients went, and they are still at the server or on their way to it
};

} // namespace throttlescope::http
