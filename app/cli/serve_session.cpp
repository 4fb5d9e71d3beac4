// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/serve_session.h"

#include <QCoreApplication>
#include <QProcessEnvironment>
#include <csignal>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

constexpr int kPatienceMilliseconds = 5000;

} // namespace

ServeSession::ServeSession(
    http::ScenarioServer &server, Interrupts &interrupts, std::vector<std::string> command, const QString &certificate, bool stdoutIsOurs)
    : m_server(server)
    , m_command(std::move(command))
{
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, &m_client, &QProcess::kill);
    connect(&interrupts, &Interrupts::interrupted, this, [this] { stop(End::Signal); });
    connect(&m_server, &http::ScenarioServer::stopReached, this, [this] { stop(End::Stop); });
    connect(&m_server, &http::ScenarioServer::portLost, this, [this] { stop(End::PortLost); });
    connect(&m_client, &QProcess::finished, this, &ServeSession::clientEnded);
    connect(&m_client, &QProcess::errorOccurred, this, &ServeSession::clientMissing);
    if (!m_command.empty())
        startClient(certificate, stdoutIsOurs);
}

void ServeSession::startClient(const QString &certificate, bool stdoutIsOurs)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("THROTTLESCOPE_URL", QString::fromStdString(m_server.endpoints().front().url));
    for (const http::Endpoint &endpoint : m_server.endpoints())
        environment.insert(QString::fromStdString(urlVariable(endpoint.server)), QString::fromStdString(endpoint.url));
    if (!certificate.isEmpty())
        environment.insert("THROTTLESCOPE_CERTIFICATE", certificate);
    m_client.setProcessEnvironment(environment);
    m_client.setProcessChannelMode(QProcess::ForwardedChannels);
    m_client.setInputChannelMode(QProcess::ForwardedInputChannel);
    m_client.setChildProcessModifier([stdoutIsOurs] {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM); // it does not outlive us, whatever ends us
        if (stdoutIsOurs)
            ::dup2(STDERR_FILENO, STDOUT_FILENO);
    });
    QStringList arguments;
    for (std::size_t i = 1; i < m_command.size(); ++i)
        arguments << QString::fromStdString(m_command[i]);
    m_client.start(QString::fromStdString(m_command.front()), arguments);
}

ServeSession::End ServeSession::run()
{
    if (!m_end || m_client.state() != QProcess::NotRunning)
        QCoreApplication::exec();
    return *m_end;
}

void ServeSession::clientEnded(int code, QProcess::ExitStatus status)
{
    m_patience.stop();
    if (m_end)
        return QCoreApplication::quit();
    if (status == QProcess::CrashExit)
        fmt::print(stderr, "throttlescope: {} was killed by a signal\n", m_command.front());
    else if (code != 0)
        fmt::print(stderr, "throttlescope: {} ended with exit code {}\n", m_command.front(), code);
    over(status == QProcess::NormalExit && code == 0 ? End::ClientDone : End::ClientFailed);
}

void ServeSession::clientMissing(QProcess::ProcessError error)
{
    if (error != QProcess::FailedToStart)
        return; // what else may be wrong ends it, too
    fmt::print(stderr, "throttlescope: {} cannot be started ({})\n", m_command.front(), m_client.errorString().toStdString());
    over(End::ClientMissing);
}

/// The first reason to stop counts. A client is asked to end, and then made to.
void ServeSession::stop(End end)
{
    if (m_end)
        return;
    m_end = end;
    if (m_client.state() == QProcess::NotRunning)
        return QCoreApplication::quit();
    if (end == End::Stop)
        fmt::print(
            stderr, "throttlescope: {} was still running at stop_after, it is ended without a verdict of its own\n", m_command.front());
    m_client.terminate();
    m_patience.start(kPatienceMilliseconds);
}

void ServeSession::over(End end)
{
    m_end = m_end.value_or(end);
    QCoreApplication::quit();
}

} // namespace throttlescope::cli
