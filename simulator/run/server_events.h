// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"
#include "simulator/model/server_model.h"

#include <utility>

namespace throttlescope {

/// What an operation has met at the servers so far.
struct OperationAtServer {
    std::uint32_t executions = 0;
    std::optional<MonotonicTime> due; ///< when it was told to come back
};

/// `server.answered` of an answer just decided; the operation remembers what it was told. `effect`: doing it twice is one
/// time too many.
inline journal::ServerAnswered accountFor(const Answer &answer, bool effect, OperationAtServer &operation)
{
    operation.executions += answer.executed ? 1 : 0;
    const auto due = std::exchange(operation.due, answer.due);
    const bool answered = answer.kind == AnswerKind::Respond;
    return {answered ? std::optional{answer.response.status} : std::nullopt, answer.admitted, answer.executed, effect, operation.executions,
        answer.violated, answer.fault, due, answer.due};
}

/// Calls back with a `server.window` for every window that the arrival changed, or whose key it shows.
template <typename Record>
void forEachWindow(const ServerModel &server, Record record)
{
    if (!server.touchedWindows())
        return;
    for (const WindowReading &window : server.windows()) {
        const bool herding = !window.key.empty() && window.begins; // an arrival tells its key by this alone
        if (window.changed || herding)
            record(journal::ServerWindow{window.limit, window.key, window.used, window.quota, window.begins, window.resets});
    }
}

} // namespace throttlescope
