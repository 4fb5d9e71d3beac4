// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweep_report.h"

#include "app/cli/commands.h"
#include "app/cli/dashboard_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

/// A file of its own among the temporary ones, for as long as this lives.
class ScratchFile {
public:
    ScratchFile()
        : m_name((std::filesystem::temp_directory_path() / "throttlescope-sweep-XXXXXX").string())
        , m_file(::mkstemp(m_name.data()))
    {
    }
    ~ScratchFile()
    {
        if (m_file >= 0) {
            ::close(m_file);
            ::unlink(m_name.c_str());
        }
    }
    ScratchFile(const ScratchFile &) = delete;
    ScratchFile &operator=(const ScratchFile &) = delete;

    const std::string &name() const { return m_name; }
    bool write(std::string_view text) const
    {
        while (m_file >= 0 && !text.empty()) {
            const ssize_t written = ::write(m_file, text.data(), text.size());
            if (written < 0)
                return false;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return m_file >= 0;
    }

private:
    std::string m_name;
    int m_file;
};

} // namespace

std::string reportProblem(const std::string &out)
{
    constexpr std::array<std::string_view, 4> kEnds{".html", ".pdf", ".png", ".svg"};
    std::string end = std::filesystem::path{out}.extension().string();
    std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (out.empty() || std::find(kEnds.begin(), kEnds.end(), end) != kEnds.end())
        return {};
    return fmt::format("--report {}: expected a name that ends in .html, .pdf, .png or .svg", out);
}

int drawSweep(const SweepFile &sweep, const std::string &out)
{
    const ScratchFile scratch;
    std::string text = headerLine(sweep.header);
    for (const SweepRow &row : sweep.rows)
        text += rowLine(row);
    if (sweep.tips)
        text += tipsLine(*sweep.tips);
    if (!scratch.write(text)) {
        fmt::print(stderr, "throttlescope: what is drawn cannot be written to {} ({})\n", scratch.name(), std::strerror(errno));
        return kCouldNotRun;
    }
    Drawing drawing;
    drawing.out = out;
    drawing.files = {scratch.name()};
    return draw(drawing);
}

} // namespace throttlescope::cli
