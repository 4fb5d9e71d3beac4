// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/delay_value.h"

#include <string>
#include <string_view>

/// The plain words of a verdict. Texts are for people; nothing parses them.
namespace throttlescope::signals {

/// A value may be a megabyte: what is shown of it is cut after 200 bytes.
std::string_view shown(std::string_view text);

/// "x-ratelimit-reset 1780390859 is epoch seconds (≥ 1e9); the server's Date says 09:00:12, so 47 s".
std::string whyOf(const Told &told, std::string_view header, std::string_view raw, const Clock &clock);

/// Is there more to say than the form does? Plain seconds and milliseconds need no words.
bool needsWords(const Told &told);

} // namespace throttlescope::signals
