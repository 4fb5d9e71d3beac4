// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <csignal>

class QSocketNotifier;

namespace throttlescope::cli {

/// SIGINT and SIGTERM as a Qt signal, as long as it lives; one at a time in a process. A second one ends the program at once.
class Interrupts final : public QObject {
    Q_OBJECT

public:
    Interrupts();
    ~Interrupts() override;

Q_SIGNALS:
    void interrupted();

private:
    int m_pipe[2] = {-1, -1};
    QSocketNotifier *m_notifier = nullptr;
    struct sigaction m_beforeInt = {};
    struct sigaction m_beforeTerm = {};
};

} // namespace throttlescope::cli
