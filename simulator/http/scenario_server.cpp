// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/scenario_server.h"

#include "core/journal/json_line.h"
#include "simulator/http/control.h"
#include "simulator/http/response_writer.h"

#include <QSslCertificate>
#include <QSslKey>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace throttlescope::http {

namespace {

constexpr std::chrono::milliseconds kLongestSweep{1000};
constexpr std::chrono::milliseconds kSoon{5};
constexpr long kLargestJournalAnswer = 64L << 20;

std::chrono::milliseconds realNow()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

std::vector<QHostAddress> addressesOf(const std::string &asked)
{
    if (!asked.empty())
        return {QHostAddress{QString::fromStdString(asked)}};
    return {QHostAddress{QHostAddress::LocalHost}, QHostAddress{QHostAddress::LocalHostIPv6}};
}

QSslConfiguration configurationOf(const Certificate &certificate)
{
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setLocalCertificate(QSslCertificate{QByteArray::fromStdString(certificate.certificate), QSsl::Pem});
    configuration.setPrivateKey(QSslKey{QByteArray::fromStdString(certificate.key), QSsl::Ec, QSsl::Pem});
    configuration.setPeerVerifyMode(QSslSocket::VerifyNone); // of clients: they have no certificates
    configuration.setAllowedNextProtocols({"http/1.1"});
    return configuration;
}

bool refusesAll(const TimelineEntry &entry)
{
    return std::any_of(entry.faults.begin(), entry.faults.end(), [](const FaultShare &fault) { return fault.kind == FaultKind::Refuse; });
}

} // namespace

ScenarioServer::ScenarioServer(Scenario scenario, ServeOptions options, QObject *parent)
    : QObject(parent)
    , m_scenario(std::move(scenario))
    , m_options(std::move(options))
    , m_clock(m_options.clock, m_options.scale)
    , m_context{m_options.limits, m_clock, m_agenda, m_pool, m_poller, [this]() -> Accounts & { return m_run->accounts(); },
          [this](Connection &connection, Exchange &exchange) { answerControl(connection, exchange); }, [this] { rearm(); }, realNow()}
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &ScenarioServer::runDue);
    const auto &limits = m_options.limits;
    const auto shortest = std::min({limits.header, limits.body, limits.idle, limits.linger});
    m_sweep.setInterval(std::clamp(shortest / 4, std::chrono::milliseconds{1}, kLongestSweep));
    connect(&m_sweep, &QTimer::timeout, this, &ScenarioServer::sweep);
    m_poller.onBatchDone = [this] {
        if (m_agenda.next())
            runDue();
        return !m_agenda.next() || m_clock.realUntil(*m_agenda.next()).value_or(kMaxDuration) > kSoon;
    };
}

ScenarioServer::~ScenarioServer()
{
    m_context.runOver = true;
    m_ports.clear();
    m_run.reset();
    if (m_journal)
        std::fclose(m_journal);
}

std::optional<std::string> ScenarioServer::listen()
{
    if (!m_options.journal.empty() && !(m_journal = std::fopen(m_options.journal.c_str(), "w+b")))
        return fmt::format("{}: the journal cannot be written ({})", m_options.journal, std::strerror(errno));
    std::optional<QSslConfiguration> tls;
    if (m_options.tls) {
        auto made = makeCertificate();
        if (!made || !QSslSocket::supportsSsl())
            return "TLS is not to be had: OpenSSL made no certificate, or Qt has no TLS backend";
        m_certificate = std::move(*made);
        tls = configurationOf(m_certificate);
    }
    for (std::size_t i = 0; i < m_scenario.servers.size(); ++i) {
        auto listeners = std::make_unique<Listeners>(addressesOf(m_options.address), tls);
        Listeners &opened = *listeners;
        m_ports.push_back(std::make_unique<ServerPort>(i, m_scenario.servers[i], std::move(listeners), m_context, nullptr));
        if (!opened.listen(m_options.port == 0 ? 0 : static_cast<quint16>(m_options.port + i)))
            return fmt::format("{} cannot be served, {}", m_scenario.servers[i].name, opened.error().toStdString());
        const QHostAddress &first = opened.addresses().front();
        const QString host = first.protocol() == QAbstractSocket::IPv6Protocol ? '[' + first.toString() + ']' : first.toString();
        m_endpoints.push_back({m_scenario.servers[i].name,
            fmt::format("{}://{}:{}", m_options.tls ? "https" : "http", host.toStdString(), opened.port()), opened.port()});
    }
    beginRun();
    m_sweep.start();
    return std::nullopt;
}

void ScenarioServer::beginRun()
{
    m_agenda.clear();
    m_clock.restart();
    m_run.reset();
    if (m_journal && ::ftruncate(fileno(m_journal), 0) == 0)
        std::rewind(m_journal);
    m_run = std::make_unique<ServedRun>(m_scenario, m_clock, m_journal);
    planTimeline();
    runDue();
}

void ScenarioServer::planTimeline()
{
    for (const TimelineEntry &entry : m_scenario.timeline) {
        const MonotonicTime begin{entry.at};
        const auto end = entry.span ? std::optional{saturatingAdd(begin, *entry.span)} : std::nullopt;
        if (!entry.label.empty()) {
            m_agenda.at(begin, [this, &entry] { m_run->accounts().mark(entry, true); });
            if (end)
                m_agenda.at(*end, [this, &entry] { m_run->accounts().mark(entry, false); });
        }
        const auto port
            = std::find_if(m_ports.begin(), m_ports.end(), [&entry](const auto &each) { return each->server().name == entry.server; });
        if (port == m_ports.end() || !end || !refusesAll(entry))
            continue;
        m_agenda.at(begin, [port = port->get()] { port->refuse(); });
        m_agenda.at(*end, [port = port->get()] { port->accept(); });
    }
    if (m_scenario.stopAfter)
        m_agenda.at(MonotonicTime{*m_scenario.stopAfter}, [this] { Q_EMIT stopReached(); });
}

void ScenarioServer::runDue()
{
    if (m_running)
        return;
    m_running = true;
    while (m_agenda.next() && *m_agenda.next() <= m_clock.now())
        m_agenda.take()();
    m_running = false;
    rearm();
}

void ScenarioServer::rearm()
{
    const auto next = m_agenda.next();
    if (m_running || !next || (next == m_armedFor && m_timer.isActive()))
        return;
    const auto wait = m_clock.realUntil(*next);
    if (!wait)
        return;
    m_armedFor = next;
    constexpr Duration longest = std::chrono::hours{1}; // a timer counts milliseconds in 32 bits
    m_timer.start(std::chrono::ceil<std::chrono::milliseconds>(std::min(*wait, longest)));
}

void ScenarioServer::sweep()
{
    m_context.tick = realNow();
    for (const auto &port : m_ports)
        port->checkDeadlines();
    m_run->flush();
}

// --- control ------------------------------------------------------------------------------------------------------
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
        body = journalSoFar(status);
        type = status == 200 ? "application/jsonl" : "text/plain";
    } else if (std::holds_alternative<Reset>(asked)) {
        if (connection.pending() > 1) {
            status = 409;
            type = "text/plain";
            body = "This connection has requests before it; reset on one of its own.\n";
        } else {
            reset(connection);
        }
    } else if (const auto *moved = std::get_if<Advance>(&asked)) {
        if (m_clock.kind() == RunClock::Kind::Manual) {
            advance(moved->by);
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
    const Framing framing{body.size(), exchange.close, exchange.request.oldVersion};
    exchange.wire.clear();
    appendOwnAnswer(exchange.wire, status, type, exchange.request.method == "HEAD" ? std::string_view{} : body, framing);
}

void ScenarioServer::reset(const Connection &connection)
{
    for (const auto &port : m_ports) {
        port->dropAll(&connection);
        port->forgetAbandoned();
        if (!port->listeners().isOpen())
            port->accept();
    }
    beginRun();
}

void ScenarioServer::advance(Duration by)
{
    const MonotonicTime until = saturatingAdd(m_clock.now(), by);
    m_running = true;
    while (m_agenda.next() && *m_agenda.next() <= until) {
        m_clock.moveTo(*m_agenda.next());
        m_agenda.take()();
    }
    m_clock.moveTo(until);
    m_running = false;
}

std::string ScenarioServer::stateJson() const
{
    std::string out;
    journal::JsonLine line{out};
    line.member("scenario", m_scenario.name);
    line.member("t", m_clock.now());
    line.member("clock", m_clock.kind() == RunClock::Kind::Manual ? "manual" : "real");
    line.member("time_scale", m_clock.scale());
    line.member("operations_started", m_run->accounts().operationsStarted());
    line.open("servers", '[');
    for (std::size_t i = 0; i < m_ports.size(); ++i) {
        const ServerModel &model = m_run->accounts().model(i);
        line.openItem();
        line.member("name", m_endpoints[i].server);
        line.member("url", m_endpoints[i].url);
        line.member("connections", m_ports[i]->connections());
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

std::string ScenarioServer::journalSoFar(int &status)
{
    if (!m_journal) {
        status = 404;
        return "No journal is written; start with --journal FILE.\n";
    }
    m_run->flush();
    const long end = std::ftell(m_journal);
    if (end > kLargestJournalAnswer) {
        status = 507;
        return fmt::format("The journal is over 64 MiB, read it where it is: {}\n", m_options.journal);
    }
    std::string text(static_cast<std::size_t>(std::max(0L, end)), '\0');
    std::rewind(m_journal);
    text.resize(std::fread(text.data(), 1, text.size(), m_journal));
    std::fseek(m_journal, end, SEEK_SET);
    return text;
}

RunReport ScenarioServer::finish(bool stopped)
{
    m_sweep.stop();
    m_timer.stop();
    RunReport report = m_run->finish(stopped, m_options.journal);
    m_agenda.clear();
    m_context.runOver = true;
    m_ports.clear();
    return report;
}

} // namespace throttlescope::http
