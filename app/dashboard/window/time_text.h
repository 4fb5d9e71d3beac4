// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/time.h"

#include <QString>

namespace throttlescope::dashboard {

/// "5:51.8", "1:05:51.8"
QString timeText(Duration sinceStart);
/// "09:06:03 UTC"
QString wallText(WallTime time);

} // namespace throttlescope::dashboard
