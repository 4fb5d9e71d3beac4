// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <atomic>

namespace throttlescope::dashboard {

/// Tells a run's letters from those of any other run, whichever worker sends them. Never 0.
inline quint64 nextRunNumber()
{
    static std::atomic<quint64> last{0};
    return ++last;
}

} // namespace throttlescope::dashboard
