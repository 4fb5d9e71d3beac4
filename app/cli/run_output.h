// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/run_batch.h"

#include <cstdio>
#include <string>
#include <vector>

namespace throttlescope::cli {

/// What a provider would show a client, in one line: early returns and how early, how late after the hint, the herd at a
/// window's reset, amplification, duplicate effects.
std::string mannersText(const journal::Metrics &metrics);
enum class Manners { WhereBad, Always };

/// The lines of DESIGN.md section 8, one a scenario and more for what failed.
class LinePrinter {
public:
    explicit LinePrinter(const std::vector<LoadedScenario> &scenarios);
    void print(const FinishedRun &run, Manners manners = Manners::WhereBad) const;
    void summary(const std::vector<FinishedRun> &runs, std::size_t asked) const;

private:
    std::size_t m_nameWidth = 15;
};

/// GitHub workflow commands: `::error file=…,line=…,col=…::…`.
void printAnnotation(std::FILE *to, const std::string &file, Mark mark, const std::string &text);
void printAnnotations(std::FILE *to, const FinishedRun &run);
void printJson(const std::vector<FinishedRun> &runs);
/// False, said on stderr: it could not be written.
bool writeJUnit(const std::vector<FinishedRun> &runs, const std::string &file);

} // namespace throttlescope::cli
