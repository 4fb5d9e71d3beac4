// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <string>

namespace throttlescope::model {

/// A refusal has a dozen of them, and each is all of a header's value.
template <typename Integer>
void appendNumber(std::string &text, Integer number)
{
    const fmt::format_int digits{number};
    text.append(digits.data(), digits.size());
}

} // namespace throttlescope::model
