// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/journal/event.h"

#include <string>

namespace throttlescope::dashboard {

/// What happened, in one plain line without control characters: the table's last column.
std::string whatHappened(const journal::Event &event);

/// The event with every name that somebody chose taken out, for a projector: operations, servers, policies, labels.
journal::Event withoutNames(const journal::Event &event);

} // namespace throttlescope::dashboard
