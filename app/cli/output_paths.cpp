// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output_paths.h"

#include <fmt/format.h>

namespace throttlescope::cli {

bool sameFile(const std::filesystem::path &a, const std::filesystem::path &b)
{
    std::error_code error;
    if (std::filesystem::equivalent(a, b, error))
        return !std::filesystem::is_character_file(a, error);
    const auto whole = [&error](const std::filesystem::path &path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    };
    return whole(a) == whole(b);
}

bool keptApart(const std::string &output, const std::string &other, std::string_view what)
{
    if (output.empty() || other.empty() || !sameFile(output, other))
        return true;
    fmt::print(stderr, "throttlescope: {} would overwrite {}, expected a file of its own\n", output, what);
    return false;
}

} // namespace throttlescope::cli
