// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"

#include <cstdint>
#include <optional>

class QNetworkReply;

namespace throttlescope::net {

/// None before the status line has come.
std::optional<int> statusOf(const QNetworkReply &reply);

/// What a finished reply means to the engine; takes what is left of its body. The status is read before error(), since Qt
/// sets that for every status from 400 on as well. `handedOn`: bytes of the body that were taken before.
/// Of a body over `largest` bytes that much is kept, as one that broke off.
/// Not seen: Qt 6.4 takes a chunked body that stops short for whole when the connection closes together with its last bytes.
Outcome outcomeOf(QNetworkReply &reply, std::uint64_t handedOn, std::uint64_t largest);

} // namespace throttlescope::net
