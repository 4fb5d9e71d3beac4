// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/certificate.h"
#include "simulator/http/served_run.h"
#include "simulator/http/server_port.h"

#include <QObject>
#include <QTimer>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::http {

struct ServeOptions {
    RunClock::Kind clock = RunClock::Kind::Real;
    std::int64_t scale = 1; ///< scenario seconds in a real one; 1 on a manual clock
    std::uint16_t port = 0; ///< of the first server, the others follow; 0: any
    std::string address; ///< instead of the loopback
    bool tls = false;
    std::string journal; ///< file; empty: none
    ConnectionLimits limits;
};

struct Endpoint {
    std::string server;
    std::string url; ///< without a slash at its end
    std::uint16_t port = 0;
};

/// All servers of a scenario on real sockets, from `listen` to `finish`. Lives in the thread of its event loop.
///
/// What HTTP/1.1 asks of a server: RFC 9112 (messages, chunked bodies, pipelining, persistence) and RFC 9110 (100-continue,
/// HEAD). On a real clock calendar windows keep their place relative to the scenario's `start`, while the dates in headers
/// are the machine's own, so that a client that reads its clock understands them.
class ScenarioServer final : public QObject {
    Q_OBJECT

public:
    /// `scenario` as `serverSide` left it.
    ScenarioServer(Scenario scenario, ServeOptions options, QObject *parent = nullptr);
    ~ScenarioServer() override;

    /// Opens every port and begins the run. Else what was in the way, in one line.
    std::optional<std::string> listen();
    const std::vector<Endpoint> &endpoints() const { return m_endpoints; }
    /// PEM; empty without TLS.
    const std::string &certificate() const { return m_certificate.certificate; }
    /// Open ones, of all ports.
    std::size_t connections() const { return m_context.connections; }
    Accounts &accounts() { return m_run->accounts(); }

    /// Closes everything, ends the run and judges it. Once.
    RunReport finish(bool stopped);

Q_SIGNALS:
    /// The scenario's stop_after is reached.
    void stopReached();

private:
    void beginRun();
    void planTimeline();
    void runDue();
    void rearm();
    void sweep();
    void answerControl(Connection &connection, Exchange &exchange);
    /// A new run from t = 0; `connection` alone stays.
    void reset(const Connection &connection);
    void advance(Duration by);
    std::string stateJson() const;
    std::string journalSoFar(int &status);

    const Scenario m_scenario;
    const ServeOptions m_options;
    Certificate m_certificate;
    RunClock m_clock;
    Agenda m_agenda;
    ExchangePool m_pool;
    Poller m_poller;
    std::FILE *m_journal = nullptr;
    std::unique_ptr<ServedRun> m_run;
    PortContext m_context;
    std::vector<std::unique_ptr<ServerPort>> m_ports;
    std::vector<Endpoint> m_endpoints;
    QTimer m_timer; ///< the agenda's
    QTimer m_sweep;
    std::optional<MonotonicTime> m_armedFor;
    bool m_running = false; ///< tasks of the agenda
};

} // namespace throttlescope::http
