// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>

namespace throttlescope {

/// The whole of a file that is no larger than `most`; the size is asked before anything is read. The error says what is
/// wrong in one sentence.
tl::expected<std::string, std::string> readFile(const std::filesystem::path &file, std::uintmax_t most);

} // namespace throttlescope
