// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/signals/verdict.h"

#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::cli {

/// What the caller's client would do with a delay; the engine's defaults where nothing is said.
struct HintPolicy {
    Duration maxWait = std::chrono::seconds{60};
    std::optional<Duration> own; ///< `hint: at_least`: its own delay, of which and the server's the longer counts
    std::optional<Duration> totalTimeout; ///< what is left of it
};

/// A verdict for people: value, form, source, dialect, rule, windows, what was not believed, and what a client does about it.
/// Control characters and what is not UTF-8 are escaped: the text may come from anywhere.
std::string verdictText(const signals::Verdict &verdict, int status, const HintPolicy &policy);

/// What a client does about it, in one sentence.
std::string adviceText(const signals::Verdict &verdict, int status, const HintPolicy &policy);

/// The same as one JSON object, without a line end; `advice` where it is not empty.
void appendVerdictJson(std::string &out, const signals::Verdict &verdict, std::string_view advice = {});

} // namespace throttlescope::cli
