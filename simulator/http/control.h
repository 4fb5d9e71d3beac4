// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"
#include "simulator/http/request_reader.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// What the program answers itself, below /_throttlescope/ on every port: never counted, never in the journal.
namespace throttlescope::http {

inline constexpr std::string_view kControlPrefix = "/_throttlescope/";

inline bool isControl(const ReceivedRequest &request)
{
    return request.path().substr(0, kControlPrefix.size()) == kControlPrefix;
}

struct AskHealth { };
struct AskState { };
struct AskJournal { };
struct Reset { };
/// `advance?by=30s`: moves a manual clock on.
struct Advance {
    Duration by{};
};
struct NotUnderstood {
    int status = 404;
    std::string why;
};
using ControlRequest = std::variant<AskHealth, AskState, AskJournal, Reset, Advance, NotUnderstood>;

/// What a control request asks for; health, state and journal by GET or HEAD, reset and advance by POST.
ControlRequest readControl(const ReceivedRequest &request);

} // namespace throttlescope::http
