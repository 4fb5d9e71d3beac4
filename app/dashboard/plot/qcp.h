// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QCustomPlot's header wants Qt's keywords, which the project does without: `signals` is a namespace of ours.
#include <QtGlobal>
#define signals Q_SIGNALS // NOLINT(readability-identifier-naming)
#define slots Q_SLOTS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef foreach
