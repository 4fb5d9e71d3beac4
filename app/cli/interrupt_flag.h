// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>

namespace throttlescope::cli {

/// True once SIGINT or SIGTERM came while an InterruptFlag was there.
std::atomic<bool> &interrupted();

/// While it is there, SIGINT and SIGTERM only set interrupted(); a second one ends the program at once.
class InterruptFlag {
public:
    InterruptFlag();
    ~InterruptFlag();
    InterruptFlag(const InterruptFlag &) = delete;
    InterruptFlag &operator=(const InterruptFlag &) = delete;

private:
    struct sigaction m_before = {};
    struct sigaction m_beforeTerm = {};
};

} // namespace throttlescope::cli
