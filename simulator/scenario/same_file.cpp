// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/same_file.h"

namespace throttlescope {

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

} // namespace throttlescope
