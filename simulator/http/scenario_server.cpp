// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/scenario_server.h"

#include "core/journal/json_line.h"
#include "simulator/http/control.h"
#include "simulator/http/response_writer.h"
#include "simulator/run/journal_file.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <unistd.h>

namespace throttlescope::http {

namespace {

constexpr WallTime kLastMoment{std::chrono::sys_days{std::chrono::year{9999} / 12 / 31}};

} // namespace

ScenarioServer::ScenarioServer(Scenario scenario, ServeOptions options, QObject *parent)
    : QObject(parent)
    , m_scenario(std::move(scenario))
    , m_options(std::move(options))
    , m_ports(m_scenario, m_options,
          {[this]() -> Accounts & { return m_run->accounts(); },
              [this](Connection &connection, Exchange &exchange) { answerControl(connection, exchange); }})
{
    connect(&m_ports, &ScenarioPorts::stopReached, this, &ScenarioServer::stopReached);
    connect(&m_ports, &ScenarioPorts::portLost, this, &ScenarioServer::portLost);
    connect(&m_ports, &ScenarioPorts::swept, this, [this] { m_run->flush(); });
}

ScenarioServer::~ScenarioServer()
{
    m_ports.close();
    m_run.reset();
    if (m_journal)
        std::fclose(m_journal);
}

std::optional<std::string> ScenarioServer::listen()
{
    if (auto error = m_ports.listen())
        return error;
    // Not before: an old journal is lost to a run, not to a port in use.
    if (!m_options.journal.empty() && !(m_journal = std::fopen(m_options.journal.c_str(), "w+b")))
        return journalError(m_options.journal, errno);
    beginRun();
    return std::nullopt;
}

void ScenarioServer::beginRun()
{
    m_run.reset();
    if (m_journal && ::ftruncate(fileno(m_journal), 0) == 0)
        std::rewind(m_journal);
    m_ports.startClock();
    m_run = std::make_unique<ServedRun>(m_scenario, m_ports.clock(), m_journal);
    m_ports.begin();
}

void ScenarioServer::answerControl(Connection &connection, Exchange &exchange)
{
    int status = 200;
    std::string_view type = "application/json";
    std::string body = "{}\n";
    const ControlRequest asked = readControl(exchange.request);
    if (std::holds_alternative<AskHealth>(asked)) {
        body = "{\"status\":\"ok\"}\n";
    } else if (std::holds_alternative<AskState>(asked)) {
        body = stateJson();
    } else if (std::holds_alternative<AskJournal>(asked)) {
        body = journalSoFar(exchange, status);
        type = status == 200 ? "application/jsonl" : "text/plain";
    } else if (std::holds_alternative<Reset>(asked)) {
        if (connection.pending() > 1) {
            status = 409;
            type = "text/plain";
            body = "This connection has requests before it; reset on one of its own.\n";
        } else {
            m_ports.clear(&connection);
            beginRun();
        }
    } else if (const auto *moved = std::get_if<Advance>(&asked)) {
        const MonotonicTime until = saturatingAdd(m_ports.clock().now(), moved->by);
        if (m_scenario.start >= kLastMoment || until.time_since_epoch() > kLastMoment - m_scenario.start) {
            status = 400;
            type = "text/plain";
            body = "The clock would leave the year 9999.\n";
        } else if (m_ports.clock().kind() == RunClock::Kind::Manual) {
            m_ports.advance(moved->by);
            body = stateJson();
        } else {
            status = 409;
            type = "text/plain";
            body = "The clock runs by itself; advance needs --clock manual.\n";
        }
    } else {
        const auto &unknown = std::get<NotUnderstood>(asked);
        status = unknown.status;
        type = "text/plain";
        body = unknown.why;
    }
    const Framing framing{body.size() + exchange.filler, exchange.close, exchange.request.oldVersion};
    const bool head = exchange.request.method == "HEAD";
    exchange.wire.clear();
    appendOwnAnswer(exchange.wire, status, type, head ? std::string_view{} : body, framing);
    if (head)
        exchange.filler = 0;
}

std::string ScenarioServer::stateJson() const
{
    std::string out;
    journal::JsonLine line{out};
    line.member("scenario", m_scenario.name);
    line.member("t", m_ports.clock().now());
    line.member("clock", m_ports.clock().kind() == RunClock::Kind::Manual ? "manual" : "real");
    line.member("time_scale", m_ports.clock().scale());
    line.member("operations_started", m_run->accounts().operationsStarted());
    line.open("servers", '[');
    for (std::size_t i = 0; i < m_scenario.servers.size(); ++i) {
        const Endpoint &endpoint = m_ports.endpoints()[i];
        const ServerModel &model = m_run->accounts().model(i);
        line.openItem();
        line.member("name", endpoint.server);
        line.member("url", endpoint.url);
        line.member("connections", m_ports.connections(i));
        line.member("in_flight", model.inFlight());
        line.open("limits", '[');
        for (const WindowReading &window : model.windows()) {
            line.openItem();
            line.member("limit", window.limit);
            line.member("used", window.used);
            line.member("quota", window.quota);
            line.member("resets", window.resets);
            line.close('}');
        }
        line.close(']');
        line.close('}');
    }
    line.close(']');
    line.raw("metrics", journal::metricsJson(m_run->metrics().total()));
    line.end();
    return out + '\n';
}

/// Handed out from the file, as it stands now, so that nobody holds it; what is said instead.
std::string ScenarioServer::journalSoFar(Exchange &exchange, int &status)
{
    if (!m_journal) {
        status = 404;
        return "No journal is written; start with --journal FILE.\n";
    }
    m_run->flush();
    exchange.file = fileno(m_journal);
    exchange.filler = static_cast<std::uint64_t>(std::max(0L, std::ftell(m_journal)));
    return {};
}

RunReport ScenarioServer::finish(bool stopped)
{
    m_run->accounts().stopping();
    m_ports.dropAll();
    RunReport report = m_run->finish(stopped, m_options.journal);
    m_ports.close();
    if (report.error.empty())
        report.error = m_ports.failure();
    return report;
}

} // namespace throttlescope::http
