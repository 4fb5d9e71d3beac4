// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/scenario_ports.h"

#include "simulator/model/faults.h"

#include <QSslCertificate>
#include <QSslKey>
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace throttlescope::http {

namespace {

constexpr std::chrono::milliseconds kLongestSweep{1000};
constexpr std::chrono::milliseconds kSoon{5};

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

ScenarioPorts::ScenarioPorts(const Scenario &scenario, PortOptions options, Owner owner)
    : m_scenario(scenario)
    , m_options(std::move(options))
    , m_owner(std::move(owner))
    , m_clock(m_options.clock, m_options.scale)
    , m_context{m_options.limits, m_clock, m_agenda, m_pool, m_poller, m_owner.accounts, m_owner.control, [this] { rearm(); }, realNow()}
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &ScenarioPorts::runDue);
    const auto &limits = m_options.limits;
    const auto shortest = std::min({limits.header, limits.body, limits.idle, limits.linger});
    m_sweep.setInterval(std::clamp(shortest / 4, std::chrono::milliseconds{1}, kLongestSweep));
    connect(&m_sweep, &QTimer::timeout, this, &ScenarioPorts::sweep);
    m_poller.onBatchDone = [this] {
        if (m_agenda.next())
            runDue();
        return !m_agenda.next() || m_clock.realUntil(*m_agenda.next()).value_or(kMaxDuration) > kSoon;
    };
}

ScenarioPorts::~ScenarioPorts()
{
    close();
}

void ScenarioPorts::close()
{
    m_sweep.stop();
    m_timer.stop();
    m_agenda.clear();
    m_context.runOver = true;
    m_ports.clear();
}

std::optional<std::string> ScenarioPorts::listen()
{
    const auto &servers = m_scenario.servers;
    const auto occ = std::find_if(servers.begin(), servers.end(), [](const Server &server) { return server.kind == ServerKind::Occ; });
    if (occ != servers.end())
        return fmt::format(
            "{} cannot be served, its 'model: occ' is for virtual time; expected throttlescope run without --live", occ->name);
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
        if (m_options.port != 0 && m_options.port + i > std::numeric_limits<std::uint16_t>::max())
            return fmt::format("{} cannot be served, port {} is none", m_scenario.servers[i].name, m_options.port + i);
        if (!opened.listen(m_options.port == 0 ? 0 : static_cast<quint16>(m_options.port + i)))
            return fmt::format("{} cannot be served, {}", m_scenario.servers[i].name, opened.error().toStdString());
        const QHostAddress &first = opened.addresses().front();
        const QString host = first.protocol() == QAbstractSocket::IPv6Protocol ? '[' + first.toString() + ']' : first.toString();
        m_endpoints.push_back({m_scenario.servers[i].name,
            fmt::format("{}://{}:{}", m_options.tls ? "https" : "http", host.toStdString(), opened.port()), opened.port()});
    }
    m_sweep.start();
    return std::nullopt;
}

void ScenarioPorts::startClock()
{
    m_agenda.clear();
    m_clock.restart();
}

void ScenarioPorts::begin()
{
    planTimeline();
    runDue();
}

void ScenarioPorts::clear(const Connection *but)
{
    for (const auto &port : m_ports) {
        port->dropAll(but);
        port->forgetAbandoned();
        accept(*port);
    }
}

void ScenarioPorts::dropAll()
{
    for (const auto &port : m_ports)
        port->dropAll();
}

void ScenarioPorts::at(MonotonicTime time, std::function<void()> task)
{
    m_agenda.at(time, std::move(task));
    rearm();
}

void ScenarioPorts::planTimeline()
{
    for (const TimelineEntry &entry : m_scenario.timeline) {
        const MonotonicTime begin = model::beginOf(entry);
        const MonotonicTime end = model::endOf(entry);
        if (!entry.label.empty()) {
            m_agenda.at(begin, [this, &entry] { m_owner.accounts().mark(entry, true); });
            if (entry.span)
                m_agenda.at(end, [this, &entry] { m_owner.accounts().mark(entry, false); });
        }
        const auto port
            = std::find_if(m_ports.begin(), m_ports.end(), [&entry](const auto &each) { return each->server().name == entry.server; });
        if (port == m_ports.end() || !entry.span || !refusesAll(entry))
            continue;
        for (const MonotonicTime edge : {begin, end})
            m_agenda.at(edge, [this, edge, port = port->get()] { refuseOrAccept(*port, edge); });
    }
    if (m_scenario.stopAfter)
        m_agenda.at(MonotonicTime{*m_scenario.stopAfter}, [this] { Q_EMIT stopReached(); });
}

/// By the moment, not by whose edge it is: where one span ends as the next begins, the port stays closed.
void ScenarioPorts::refuseOrAccept(ServerPort &port, MonotonicTime at)
{
    const bool refuses = std::any_of(m_scenario.timeline.begin(), m_scenario.timeline.end(), [&](const TimelineEntry &entry) {
        return entry.server == port.server().name && refusesAll(entry) && at >= model::beginOf(entry) && at < model::endOf(entry);
    });
    if (refuses)
        port.refuse();
    else
        accept(port);
}

void ScenarioPorts::accept(ServerPort &port)
{
    const auto error = port.accept();
    if (!error)
        return;
    if (m_failure.empty())
        m_failure = *error;
    Q_EMIT portLost();
}

void ScenarioPorts::runDue()
{
    if (m_running)
        return;
    m_running = true;
    while (m_agenda.next() && *m_agenda.next() <= m_clock.now())
        m_agenda.take()();
    m_running = false;
    rearm();
}

void ScenarioPorts::rearm()
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

void ScenarioPorts::sweep()
{
    m_context.tick = realNow();
    for (const auto &port : m_ports)
        port->checkDeadlines();
    Q_EMIT swept();
}

void ScenarioPorts::advance(Duration by)
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

} // namespace throttlescope::http
