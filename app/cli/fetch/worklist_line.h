// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/worklist.h"

#include <string>
#include <string_view>
#include <tl/expected.hpp>

/// A single line of a worklist, read in one of its two forms.
namespace throttlescope::fetch {

/// The first thing wrong with a line. The text names what was expected, and shows no URL, header value or body.
struct LineProblem {
    int column = 1;
    std::string text;
    bool operator==(const LineProblem &) const = default;
};

tl::expected<Item, LineProblem> itemFromUrl(std::string_view line);
tl::expected<Item, LineProblem> itemFromJson(std::string_view line);

} // namespace throttlescope::fetch
