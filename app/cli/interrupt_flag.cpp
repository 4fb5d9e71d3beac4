// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt_flag.h"

namespace throttlescope::cli {

namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "written by a signal handler");

} // namespace

std::atomic<bool> &interrupted()
{
    return g_interrupted;
}

InterruptFlag::InterruptFlag()
{
    struct sigaction action = {};
    action.sa_handler = [](int) { g_interrupted.store(true); };
    action.sa_flags = static_cast<int>(SA_RESETHAND); // a second Ctrl-C ends it at once
    sigaction(SIGINT, &action, &m_before);
    sigaction(SIGTERM, &action, &m_beforeTerm);
}

InterruptFlag::~InterruptFlag()
{
    sigaction(SIGINT, &m_before, nullptr);
    sigaction(SIGTERM, &m_beforeTerm, nullptr);
}

} // namespace throttlescope::cli
