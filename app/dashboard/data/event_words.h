// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/journal/event.h"

#include <string>

namespace throttlescope::dashboard {

/// What happened, in one plain line without control characters: the table's last column.
std::string whatHappened(const journal::Event &event);

} // namespace throttlescope::dashboard
