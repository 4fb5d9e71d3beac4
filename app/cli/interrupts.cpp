// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupts.h"

#include <QSocketNotifier>

#include <atomic>
#include <fcntl.h>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

std::atomic<int> g_writeEnd{-1};
static_assert(std::atomic<int>::is_always_lock_free, "read by a signal handler");

void handle(int)
{
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = ::write(g_writeEnd.load(), &byte, 1);
}

} // namespace

Interrupts::Interrupts()
{
    if (::pipe2(m_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return; // no descriptor is left: the signals keep their own way
    g_writeEnd.store(m_pipe[1]);
    m_notifier = new QSocketNotifier{m_pipe[0], QSocketNotifier::Read, this};
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        m_notifier->setEnabled(false);
        Q_EMIT interrupted();
    });
    struct sigaction action = {};
    action.sa_handler = handle;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &m_beforeInt);
    sigaction(SIGTERM, &action, &m_beforeTerm);
}

Interrupts::~Interrupts()
{
    if (!m_notifier)
        return;
    sigaction(SIGINT, &m_beforeInt, nullptr);
    sigaction(SIGTERM, &m_beforeTerm, nullptr);
    delete m_notifier; // before the descriptor it watches
    ::close(m_pipe[0]);
    ::close(m_pipe[1]);
}

} // namespace throttlescope::cli
