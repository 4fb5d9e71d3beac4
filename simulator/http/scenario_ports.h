// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/certificate.h"
#include "simulator/http/server_port.h"

#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::http {

struct PortOptions {
    RunClock::Kind clock = RunClock::Kind::Real;
    std::int64_t scale = 1; ///< scenario seconds in a real one; 1 on a manual clock
    std::uint16_t port = 0; ///< of the first server, the others follow; 0: any
    std::string address; ///< instead of the loopback
    bool tls = false;
    ConnectionLimits limits;
};

struct Endpoint {
    std::string server;
    std::string url; ///< without a slash at its end
    std::uint16_t port = 0;
};

/// All servers of a scenario on real sockets, in scenario time: clock, agenda and timeline. Who accounts for requests, and
/// what control requests do, is the owner's. Lives in the thread of its event loop.
class ScenarioPorts final : public QObject {
    Q_OBJECT

public:
    struct Owner {
        std::function<Accounts &()> accounts; ///< of the run under way
        /// Answers a control request into `exchange.wire`; empty: there is no control.
        std::function<void(Connection &, Exchange &)> control;
    };

    /// `scenario` outlives it.
    ScenarioPorts(const Scenario &scenario, PortOptions options, Owner owner);
    ~ScenarioPorts() override;

    /// Opens every port. Else what was in the way, in one line.
    std::optional<std::string> listen();
    /// t = 0 is now, and nothing is planned.
    void startClock();
    /// The timeline takes its course; after startClock(), and once `accounts` has a run.
    void begin();
    /// Before a run that follows another: every connection but one is dropped, every port accepts.
    void clear(const Connection *but);
    /// Every connection, at once: what was asked on them is hung up on.
    void dropAll();
    /// Closes everything; what happens to connections is no part of the run any more. Once.
    void close();

    const std::vector<Endpoint> &endpoints() const { return m_endpoints; }
    /// PEM; empty without TLS.
    const std::string &certificate() const { return m_certificate.certificate; }
    /// Open ones: of all ports, or of one server.
    std::size_t connections() const { return m_context.connections; }
    std::size_t connections(std::size_t server) const { return m_ports[server]->connections(); }

    /// Why a port could not be opened again, in one line; empty: none was lost.
    const std::string &failure() const { return m_failure; }

    /// Bytes of answers that are made and not yet taken, of all connections.
    std::size_t queued() const { return m_context.queued; }

    const RunClock &clock() const { return m_clock; }
    /// Does a task at that time, or at the next occasion where it has passed.
    void at(MonotonicTime time, std::function<void()> task);
    /// Moves a manual clock.
    void advance(Duration by);

Q_SIGNALS:
    /// The scenario's stop_after is reached.
    void stopReached();
    /// A port that refused could not be opened again: the run cannot go on as the scenario has it. See failure().
    void portLost();
    /// Now and then, in real time.
    void swept();

private:
    void planTimeline();
    void refuseOrAccept(ServerPort &port, MonotonicTime at);
    void accept(ServerPort &port);
    void runDue();
    void rearm();
    void sweep();

    const Scenario &m_scenario;
    const PortOptions m_options;
    const Owner m_owner;
    Certificate m_certificate;
    RunClock m_clock;
    Agenda m_agenda;
    ExchangePool m_pool;
    Poller m_poller;
    PortContext m_context;
    std::vector<std::unique_ptr<ServerPort>> m_ports;
    std::vector<Endpoint> m_endpoints;
    QTimer m_timer; ///< the agenda's
    QTimer m_sweep;
    std::string m_failure;
    std::optional<MonotonicTime> m_armedFor;
    bool m_running = false; ///< tasks of the agenda
};

} // namespace throttlescope::http
