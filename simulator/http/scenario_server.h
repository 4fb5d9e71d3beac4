// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/http/scenario_ports.h"
#include "simulator/http/served_run.h"

#include <QObject>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace throttlescope::http {

struct ServeOptions : PortOptions {
    std::string journal; ///< file; empty: none
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
    const std::vector<Endpoint> &endpoints() const { return m_ports.endpoints(); }
    /// PEM; empty without TLS.
    const std::string &certificate() const { return m_ports.certificate(); }
    /// Open ones, of all ports.
    std::size_t connections() const { return m_ports.connections(); }
    /// Bytes of answers that are made and not yet taken, of all connections.
    std::size_t queued() const { return m_ports.queued(); }
    ForeignAccounts &accounts() { return m_run->accounts(); }

    /// Closes everything, ends the run and judges it. Once.
    RunReport finish(bool stopped);

Q_SIGNALS:
    /// The scenario's stop_after is reached.
    void stopReached();
    /// A port could not be opened again; the report says which, and why.
    void portLost();

private:
    void beginRun();
    void answerControl(Connection &connection, Exchange &exchange);
    std::string stateJson() const;
    std::string journalSoFar(Exchange &exchange, int &status);

    const Scenario m_scenario;
    const ServeOptions m_options;
    std::FILE *m_journal = nullptr;
    std::unique_ptr<ServedRun> m_run;
    ScenarioPorts m_ports;
};

} // namespace throttlescope::http
