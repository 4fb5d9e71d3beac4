// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope {

/// One value of a scenario that a sweep varies.
struct Axis {
    enum class Scale { List, Linear, Log };

    std::string path; ///< as `--set` takes it
    Scale scale = Scale::List;
    std::vector<std::string> values; ///< of the grid, in order, as `--set` takes them
    double least = 0, most = 0; ///< of a range: seconds of a duration, else the number itself
    bool isDuration = false; ///< a range of durations

    /// A value of a range, written as the range's ends are: durations to a microsecond.
    std::string text(double value) const;
    /// The place in the range, 0 to 1, as a value.
    double at(double share) const;
};

/// "PATH=5s..120s:24" (linear, both ends included), "PATH=5s..120s:24:log", "PATH=a,b,c". The error says what was expected.
tl::expected<Axis, std::string> parseAxis(std::string_view text);

inline constexpr std::size_t kMostAxisValues = 100'000;

} // namespace throttlescope
