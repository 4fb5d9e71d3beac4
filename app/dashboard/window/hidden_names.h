// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/inspector.h"
#include "simulator/scenario/scenario.h"

#include <QString>
#include <utility>
#include <vector>

/// What is shown on a projector: any name that somebody gave (of an operation, a server, a policy, a label) may be a
/// customer's. Presets, keys and a server's windows are nobody's.
namespace throttlescope::dashboard {

/// Names, and what stands in their place.
using HiddenNames = std::vector<std::pair<QString, QString>>;
HiddenNames namesIn(const Scenario &scenario);
/// Whole words alone: "read" is in "already".
QString withoutNames(QString words, const HiddenNames &names);

/// In all that the story shows.
void hideNames(Inspection &story);

} // namespace throttlescope::dashboard
