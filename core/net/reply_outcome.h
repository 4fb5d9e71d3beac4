// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"

#include <optional>

class QNetworkReply;

namespace throttlescope::net {

/// None before the status line has come.
std::optional<int> statusOf(const QNetworkReply &reply);

/// What a finished reply means to the engine; takes what is left of its body. The status is read before error(), since Qt
/// sets that for every status from 400 on as well.
Outcome outcomeOf(QNetworkReply &reply);

} // namespace throttlescope::net
