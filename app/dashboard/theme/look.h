// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/theme/tokens.h"

class QApplication;

namespace throttlescope::dashboard {

enum class LookChoice { System, Light, Dark };

/// Palette, style and style sheet of the whole application, all from the table of tokens.
void applyLook(QApplication &application, LookChoice choice);
Look shownLook();

} // namespace throttlescope::dashboard
