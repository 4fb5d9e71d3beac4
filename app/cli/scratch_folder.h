// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace throttlescope::cli {

/// A folder among the temporary ones for what the dashboard is to draw; gone with it. An InterruptFlag should be there as long.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder &) = delete;
    ScratchFolder &operator=(const ScratchFolder &) = delete;

    /// False: none could be made, which is said on stderr.
    bool isThere() const { return !m_path.empty(); }
    std::string file(const std::string &name) const { return (m_path / name).string(); }

private:
    std::filesystem::path m_path;
};

} // namespace throttlescope::cli
