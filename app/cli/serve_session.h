// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/interrupts.h"
#include "app/cli/serve_files.h"

#include <QObject>
#include <QProcess>
#include <QTimer>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::cli {

/// From the open ports to whatever ends the run: the client's end, a signal, the scenario's stop_after, or a lost port.
class ServeSession final : public QObject {
    Q_OBJECT

public:
    enum class End { Signal, ClientDone, ClientFailed, ClientMissing, Stop, PortLost };

    /// `server` is listening; it and `interrupts` outlive it. `command` empty: nobody is started. `stdoutIsOurs`: the client's goes to
    /// stderr.
    ServeSession(http::ScenarioServer &server, Interrupts &interrupts, std::vector<std::string> command, const QString &certificate,
        bool stdoutIsOurs);

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
    QProcess m_client;
    QTimer m_patience; ///< with a client that was asked to end
    std::optional<End> m_end;
};

} // namespace throttlescope::cli
