// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace throttlescope::cli {

/// DESIGN.md section 8.
enum ExitCode { kPassed = 0, kFailed = 1, kUsage = 2, kCouldNotRun = 3, kInterrupted = 130 };

/// Each adds its subcommand; what it comes to is written to `exitCode` when it is run.
void addRunCommand(CLI::App &app, int &exitCode);
void addCheckCommand(CLI::App &app, int &exitCode);
void addExplainCommand(CLI::App &app, int &exitCode);
void addWhyCommand(CLI::App &app, int &exitCode);
void addPresetsCommand(CLI::App &app, int &exitCode);
void addServeCommand(CLI::App &app, int &exitCode);
void addHintCommand(CLI::App &app, int &exitCode);
void addFetchCommand(CLI::App &app, int &exitCode);
void addCompareCommand(CLI::App &app, int &exitCode);
void addImportCommand(CLI::App &app, int &exitCode);
void addReportCommand(CLI::App &app, int &exitCode);
void addSweepCommand(CLI::App &app, int &exitCode);

} // namespace throttlescope::cli
