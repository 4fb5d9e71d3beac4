// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/serve_files.h"

#include <QObject>
#include <QProcess>
#include <QSocketNotifier>
#include <QTimer>
#include <memory>
#include <string>
#include <vector>

namespace throttlescope::cli {

/// Turns SIGINT and SIGTERM into an event of Qt's loop. One at a time in a process.
class StopSignals final : public QObject {
    Q_OBJECT

public:
    explicit StopSignals(QObject *parent = nullptr);
    ~StopSignals() override;

Q_SIGNALS:
    void asked();

private:
    void read();

    std::unique_ptr<QSocketNotifier> m_notifier;
};

/// From the open ports to whatever ends the run: the client's end, a signal, or the scenario's stop_after.
class ServeSession final : public QObject {
    Q_OBJECT

public:
    enum class End { Signal, ClientDone, ClientFailed, ClientMissing, Stop };

    /// `server` is listening. `command` empty: nobody is started. `stdoutIsOurs`: the client's goes to stderr.
    ServeSession(http::ScenarioServer &server, std::vector<std::string> command, const QString &certificate, bool stdoutIsOurs);

    /// Runs Qt's event loop until the end.
    End run();

private:
    void startClient(const QString &certificate, bool stdoutIsOurs);
    void clientEnded(int code, QProcess::ExitStatus status);
    void clientMissing(QProcess::ProcessError error);
    void stop(End end);
    void over(End end);

    http::ScenarioServer &m_server;
    std::vector<std::string> m_command;
    StopSignals m_signals;
    QProcess m_client;
    QTimer m_patience; ///< with a client that was asked to end
    std::optional<End> m_end;
};

} // namespace throttlescope::cli
