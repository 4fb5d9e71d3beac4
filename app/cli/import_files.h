// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace throttlescope::cli {

/// A file that is there whole or not at all: written beside its place under another name, and put there at the end.
class WholeFile {
public:
    explicit WholeFile(std::filesystem::path place);
    ~WholeFile();
    WholeFile(const WholeFile &) = delete;
    WholeFile &operator=(const WholeFile &) = delete;

    bool write(std::string_view text);
    /// All of it has reached the disk; nothing stands in its place yet.
    bool close();
    bool put();
    /// "out/incident.yaml cannot be written (No space left on device)"; empty: nothing went wrong.
    const std::string &problem() const { return m_problem; }

private:
    struct Close {
        void operator()(std::FILE *file) const { std::fclose(file); }
    };
    bool fail();

    std::filesystem::path m_place; ///< as it was named
    std::filesystem::path m_real;
    std::string m_temporary;
    std::unique_ptr<std::FILE, Close> m_file;
    std::string m_problem;
};

} // namespace throttlescope::cli
