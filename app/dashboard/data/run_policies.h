// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_store.h"

#include <optional>

namespace throttlescope::dashboard {

/// The max_wait that a run began with, as run.started says it; none where its policies have different ones, or where it is
/// not told.
std::optional<Duration> maxWaitOf(const EventStore &store);

} // namespace throttlescope::dashboard
