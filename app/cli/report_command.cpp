// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/dashboard_process.h"
#include "app/cli/option_checks.h"
#include "app/cli/output_paths.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace throttlescope::cli {

namespace {

int report(const Drawing &drawing)
{
    for (const std::string &file : drawing.files) {
        if (!keptApart(drawing.out, file, "what is reported"))
            return kUsage;
    }
    return draw(drawing);
}

} // namespace

void addReportCommand(CLI::App &app, int &exitCode)
{
    auto drawing = std::make_shared<Drawing>();
    drawing->out = "report.html";
    CLI::App *command = app.add_subcommand("report", "Draw journals, scenarios or sweeps into one page, without a display");
    command->add_option("files", drawing->files, "Journals (.jsonl), scenarios (.yaml) or files of sweep --out")->required();
    command->add_option("-o,--out", drawing->out, "The page: .html, .pdf, .png or .svg, by its name's end")
        ->check(pathGiven())
        ->capture_default_str();
    command->add_option("--set", drawing->set, "PATH=VALUE, changes a value of the scenarios")->allow_extra_args(false);
    command->add_option("--theme", drawing->theme, "light or dark")->check(CLI::IsMember({"light", "dark"}))->capture_default_str();
    command->footer("Exit codes: 0 drawn, 1 drawn and an expectation failed, 2 usage or an invalid file, 3 it could not be drawn.\n"
                    "Example: throttlescope report out/*.jsonl -o report.html");
    command->callback([drawing, &exitCode] { exitCode = report(*drawing); });
}

} // namespace throttlescope::cli
