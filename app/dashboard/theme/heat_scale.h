// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/theme/tokens.h"

namespace throttlescope::dashboard {

/// One hue from faint (0) to strong (1), even steps of lightness for the eye: a greyscale picture has the same order.
QColor heatColour(double shade, Look look);
/// Black or white, which is at least 4.5 : 1 on any ground: whichever is easier to read on it.
QColor inkOn(const QColor &ground);

} // namespace throttlescope::dashboard
