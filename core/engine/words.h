// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/decision.h"
#include "core/engine/outcome.h"
#include "core/engine/policy.h"
#include "core/engine/replay.h"

#include <optional>
#include <string>
#include <string_view>

/// The words of journal, scenario file and reports for the engine's closed choices; one spelling each.
namespace throttlescope {

std::string_view word(Family);
std::string_view word(TransportFailureKind);
std::string_view word(Result);
std::string_view word(RefusalReason);
std::string_view word(DelaySource);
std::string_view word(DelayRule);
std::string_view word(ReplayRule);
std::string_view word(OperationClass);
std::string_view word(WindowSpan);
std::string_view word(signals::HintForm);

/// The reason of that word, for reading expectations and journals.
std::optional<RefusalReason> refusalReason(std::string_view word);

/// "47s", "250ms", "1m30s", "60.000001s": the shortest spelling that a scenario file reads back to the same value.
std::string durationText(Duration value);

} // namespace throttlescope
