// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace throttlescope::cli {

ScratchFolder::ScratchFolder()
{
    const std::filesystem::path among = std::filesystem::temp_directory_path();
    std::string name = (among / "throttlescope-XXXXXX").string(); // mkdtemp fills it in
    if (::mkdtemp(name.data()))
        m_path = name;
    else
        fmt::print(stderr, "throttlescope: no folder for what is drawn can be made in {} ({})\n", among.string(), std::strerror(errno));
}

ScratchFolder::~ScratchFolder()
{
    std::error_code error;
    if (isThere())
        std::filesystem::remove_all(m_path, error);
}

} // namespace throttlescope::cli
