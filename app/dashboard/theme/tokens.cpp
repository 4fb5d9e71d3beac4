// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/theme/tokens.h"

#include "app/dashboard/theme/look.h"

#include <QFontDatabase>

namespace throttlescope::dashboard {

namespace {

const Tokens kLight{
    .window = QColor{"#F6F6F4"},
    .panel = QColor{"#FFFFFF"},
    .line = QColor{"#E2E2DD"},
    .grid = QColor{"#ECECE8"},
    .text = QColor{"#1B1C1A"},
    .muted = QColor{"#6A6B66"},
    .chip = QColor{"#EEF0EE"},
    .selection = QColor{"#E7F1F8"},
    .accent = QColor{"#0072B2"},
    .success = QColor{"#009E73"},
    .rateLimited = QColor{"#E69F00"},
    .ambiguous = QColor{"#D55E00"},
    .transport = QColor{"#CC79A7"},
    .wait = QColor{"#56B4E9"},
    .alarm = QColor{"#B3261E"},
    .onAccent = QColor{"#FFFFFF"},
    .onAlarm = QColor{"#FFFFFF"},
    .onAmbiguous = QColor{"#0E1114"},
};

const Tokens kDark{
    .window = QColor{"#131518"},
    .panel = QColor{"#1A1D21"},
    .line = QColor{"#2B3036"},
    .grid = QColor{"#23272C"},
    .text = QColor{"#E9EAEC"},
    .muted = QColor{"#98A0A8"},
    .chip = QColor{"#24292F"},
    .selection = QColor{"#1E2B36"},
    .accent = QColor{"#56B4E9"},
    .success = QColor{"#2BC49A"},
    .rateLimited = QColor{"#F0B33A"},
    .ambiguous = QColor{"#F07A3A"},
    .transport = QColor{"#E09AC4"},
    .wait = QColor{"#6FC0EE"},
    .alarm = QColor{"#FF6B5E"},
    .onAccent = QColor{"#0E1114"},
    .onAlarm = QColor{"#0E1114"},
    .onAmbiguous = QColor{"#0E1114"},
};

double g_textScale = 1;

} // namespace

const Tokens &tokens(Look look)
{
    return look == Look::Light ? kLight : kDark;
}

const Tokens &tokens()
{
    return tokens(shownLook());
}

QColor colourOf(AttemptOutcome outcome, const Tokens &tokens)
{
    switch (outcome) {
    case AttemptOutcome::Success: return tokens.success;
    case AttemptOutcome::RateLimited: return tokens.rateLimited;
    case AttemptOutcome::Ambiguous: return tokens.ambiguous;
    case AttemptOutcome::Transport:
    case AttemptOutcome::Interrupted: return tokens.transport;
    case AttemptOutcome::Permanent: return tokens.text;
    case AttemptOutcome::Cancelled: return tokens.muted;
    }
    return tokens.text;
}

QFont textFont(TextSize size, QFont::Weight weight)
{
    static const QString family
        = QFontDatabase::hasFamily("Inter") ? QStringLiteral("Inter") : QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    QFont font{family};
    font.setPixelSize(qRound(static_cast<int>(size) * g_textScale));
    font.setWeight(weight);
    font.setStyleStrategy(QFont::PreferAntialias);
    return font;
}

QFont fixedFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(qRound(static_cast<int>(TextSize::Body) * g_textScale));
    return font;
}

double textScale()
{
    return g_textScale;
}

void setTextScale(double scale)
{
    g_textScale = scale;
}

} // namespace throttlescope::dashboard
