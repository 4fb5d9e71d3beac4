// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweep_report.h"

#include "app/cli/commands.h"
#include "app/cli/dashboard_process.h"
#include "app/cli/scratch_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace throttlescope::cli {

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
    const ScratchFolder scratch;
    if (!scratch.isThere())
        return kCouldNotRun;
    const std::string file = scratch.file("sweep");
    std::ofstream stream{file, std::ios::binary};
    stream << sweepText(sweep);
    stream.close();
    if (!stream) {
        fmt::print(stderr, "throttlescope: what is drawn cannot be written to {} ({})\n", file, std::strerror(errno));
        return kCouldNotRun;
    }
    Drawing drawing;
    drawing.out = out;
    drawing.files = {file};
    return draw(drawing);
}

} // namespace throttlescope::cli
