// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace throttlescope::fetch {

/// Why a fetch does not run, or does not go on. One line for a person; never a query string, a header's value or a body.
struct Problem {
    enum class Kind { Usage, CouldNotRun };
    Kind kind = Kind::Usage;
    std::string text;
    bool operator==(const Problem &) const = default;
};

template <typename T>
using OrProblem = tl::expected<T, Problem>;

inline tl::unexpected<Problem> usage(std::string text)
{
    return tl::unexpected(Problem{Problem::Kind::Usage, std::move(text)});
}
inline tl::unexpected<Problem> couldNotRun(std::string text)
{
    return tl::unexpected(Problem{Problem::Kind::CouldNotRun, std::move(text)});
}

} // namespace throttlescope::fetch
