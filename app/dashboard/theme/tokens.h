// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/event_kind.h"

#include <QColor>
#include <QFont>

namespace throttlescope::dashboard {

enum class Look { Light, Dark };

/// Every colour that is drawn. Both looks come from this one table; colour carries meaning and nothing else.
struct Tokens {
    QColor window, panel, line, grid; ///< surfaces
    QColor text, muted, chip, selection;
    QColor accent; ///< what can be moved
    QColor success, rateLimited, ambiguous, transport, wait; ///< Okabe–Ito, lightened for dark
    QColor alarm; ///< REAL TRAFFIC and failed expectations, nothing else
    QColor onAccent, onAlarm, onAmbiguous; ///< text upon them
};

const Tokens &tokens(Look look);
/// Of the look that is shown; set by applyLook().
const Tokens &tokens();

QColor colourOf(AttemptOutcome outcome, const Tokens &tokens);

/// Sizes in the type scale of the interface, as pixels at 100 % text.
enum class TextSize { Label = 11, Body = 12, Headline = 15, Figure = 21 };
/// The interface's font with digits of one width.
QFont textFont(TextSize size, QFont::Weight weight = QFont::Normal);
/// For headers as received.
QFont fixedFont();
/// 1 at 100 % text; what a row or a margin grows by.
double textScale();
void setTextScale(double scale);

} // namespace throttlescope::dashboard
