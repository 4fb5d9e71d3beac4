// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace throttlescope::journal {

/// Text of strangers (a header's value, a foreign journal) for a terminal, which obeys control characters: C0, DEL, C1 and
/// whatever is no UTF-8 stand as \xHH.
std::string printable(std::string_view text);

} // namespace throttlescope::journal
