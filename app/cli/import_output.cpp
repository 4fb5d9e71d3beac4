// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/import_output.h"

#include "simulator/incident/finding_words.h"
#include "simulator/incident/log_formats.h"
#include "simulator/scenario/problems.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace throttlescope::cli {

namespace {

using incident::grouped;

/// "nginx combined and HAR"
std::string formatsText(const incident::LogSummary &log)
{
    std::vector<std::string> titles;
    for (const incident::FileSummary &file : log.files) {
        const std::string title = incident::formatTitle(file.format);
        if (std::find(titles.begin(), titles.end(), title) == titles.end())
            titles.push_back(title);
    }
    std::string text;
    for (std::size_t i = 0; i < titles.size(); ++i)
        text += (i == 0 ? "" : i + 1 == titles.size() ? " and " : ", ") + titles[i];
    return text;
}

std::string firstFault(const incident::LogSummary &log)
{
    for (const incident::FileSummary &file : log.files) {
        if (!file.faults.empty())
            return fmt::format(" (first: {}:{} {})", file.faults.front().file, file.faults.front().line, file.faults.front().text);
    }
    return {};
}

std::string percentText(double share)
{
    const double percent = 100 * share;
    return std::abs(percent) < 1 ? fmt::format("{:+.1f} %", percent) : fmt::format("{:+.0f} %", percent);
}

std::string refusedText(const ImportReport &report)
{
    const incident::Incident &incident = *report.incident;
    const RefusalCounts &counts = report.counts;
    std::string text = fmt::format("refused {}   ", grouped(incident.operations.refusals));
    constexpr std::size_t most = 6;
    for (std::size_t i = 0; i < std::min(most, counts.byOrigin.size()); ++i) {
        const RefusedShare &share = counts.byOrigin[i];
        text += fmt::format("{}{} {} {}{}", i == 0 ? "" : " · ", grouped(share.count), incident::refuserWord(share.by), share.status,
            share.how.empty() ? "" : fmt::format(" ({})", share.how));
    }
    if (counts.byOrigin.size() > most)
        text += fmt::format(" · and {} more", counts.byOrigin.size() - most);
    text += '\n';
    const auto list = [&text](std::string_view word, const std::vector<NamedCount> &named) {
        if (named.size() < 2)
            return;
        text += fmt::format("{:<8}", word);
        for (std::size_t i = 0; i < std::min<std::size_t>(3, named.size()); ++i)
            text += fmt::format("{}{} {}", i == 0 ? "" : " · ", grouped(named[i].count), named[i].name);
        text += named.size() > 3 ? " · …\n" : "\n";
    };
    list("hosts", counts.byHost);
    list("routes", counts.byRoute);
    return text;
}

std::string floodText(const incident::Incident &incident, const RefusalCounts &counts)
{
    const incident::Flood &flood = *incident.flood;
    const Duration offset = incident.log.offset;
    std::string text = fmt::format("onset {}, peak {} ({}/min)", incident::clockText(flood.onset, offset, true),
        incident::clockText(flood.peakMinute, offset, false), grouped(flood.peakRefusals));
    if (!counts.byClient.empty())
        text += fmt::format("; client {} made {:.0f} %", counts.byClient.front().name, 100 * flood.topKeys.front().share);
    return text + '\n';
}

std::string retriesText(const incident::GroupingTotals &totals)
{
    std::string text = fmt::format("retries {} refusals belong to {} operation{} ({:.1f} attempts each)", grouped(totals.refusals),
        grouped(totals.refusedOperations), totals.refusedOperations == 1 ? "" : "s", totals.amplification());
    if (totals.ambiguity() >= 0.2)
        text += "; equal calls are hard to tell apart here, take it for a guess";
    return text + '\n';
}

std::string limitsText(const ImportReport &report)
{
    std::string text;
    for (const incident::LimitFinding &finding : report.limits) {
        std::string where;
        if (report.limits.size() > 1)
            where = fmt::format("{} {}{}: ", incident::serverName(*report.incident, finding.host), incident::refuserWord(finding.by),
                finding.how.empty() ? "" : fmt::format(" ({})", finding.how));
        where += incident::routesWords(finding, *report.incident);
        text += fmt::format("limit   {}{}\n", where, incident::findingWords(finding));
    }
    return text;
}

std::string stormsText(const incident::Incident &incident)
{
    std::string text;
    for (const incident::Storm &storm : incident.storms) {
        std::string faults;
        for (const auto &[status, share] : storm.faults)
            faults += fmt::format("{}{:.0f} % {}", faults.empty() ? "" : ", ", 100 * share,
                status == incident::Storm::kAborted ? "aborted" : std::to_string(status == 599 ? 500 : status));
        text += fmt::format("storm   {}, {} s: {} of {}\n", incident::clockText(storm.begin, incident.log.offset, true),
            storm.span.count() / 1'000'000, faults, incident::serverName(incident, storm.server));
    }
    return text;
}

/// What had to be left out, or thrown together.
std::string cautionsText(const ImportReport &report)
{
    const incident::Incident &incident = *report.incident;
    std::string text;
    for (const incident::FileSummary &file : incident.log.files) {
        if (!file.ending.empty())
            text += fmt::format("note    {} {}\n", shown(file.file), file.ending);
        if (file.zoneAssumed && !report.zoneNamed)
            text += fmt::format(
                "note    the times of {} have no zone, they were taken for UTC; --time-zone names another\n", shown(file.file));
    }
    if (incident.clientsShared > 0)
        text += fmt::format("note    more than {} clients; {} requests of the others share one pseudonym\n",
            grouped(incident.clientRanks.size()), grouped(incident.clientsShared));
    if (report.trace.cut)
        text += fmt::format("note    the trace holds {} of {} operations, {}: --since and --until choose others\n",
            grouped(report.trace.operations), grouped(incident.operations.operations),
            incident::spanText(report.trace.start, report.trace.end, incident.log.offset));
    if (incident.operations.forgotten > 0)
        text += fmt::format("note    {} operations were given up for want of room: retries of theirs count as new ones\n",
            grouped(incident.operations.forgotten));
    return text;
}

} // namespace

std::string readText(const incident::LogSummary &log)
{
    std::string text = fmt::format("read {} line{} ({})", grouped(log.lines), log.lines == 1 ? "" : "s", formatsText(log));
    if (const std::uint64_t skipped = log.malformed + log.otherFormats; skipped > 0)
        text += fmt::format(", {} skipped{}", grouped(skipped), firstFault(log));
    if (log.outside > 0)
        text += fmt::format(", {} outside of the span", grouped(log.outside));
    return text + '\n';
}

std::string checkText(const incident::ReplayCheck &check, Duration offset)
{
    std::string text = fmt::format("replayed {} refusals of {} ({})", grouped(check.replayed), grouped(check.logged),
        percentText(incident::difference(check.logged, check.replayed)));
    if (check.worst.minute != 0)
        text
            += fmt::format(", worst minute {} ({})", incident::clockText(WallTime{std::chrono::minutes{check.worst.minute}}, offset, false),
                percentText(incident::difference(check.worst.logged, check.worst.replayed)));
    return text + '\n';
}

std::string importText(const ImportReport &report)
{
    const incident::Incident &incident = *report.incident;
    std::string text = readText(incident.log);
    if (incident.operations.refusals == 0) {
        text += fmt::format("nothing was refused: 0 of {}\n", grouped(incident.operations.attempts));
    } else {
        text += refusedText(report) + floodText(incident, report.counts) + limitsText(report);
        text += retriesText(incident.operations);
    }
    text += stormsText(incident) + cautionsText(report);
    if (!report.scenario.empty() && !report.assumed.empty())
        text += fmt::format("ASSUMED {}\n", fmt::join(report.assumed, ", "));
    if (!report.scenario.empty())
        text += fmt::format("wrote {} and {}\n", report.scenario, fmt::join(report.traceFiles, ", "));
    if (report.check)
        text += checkText(*report.check, incident.log.offset);
    return text;
}

} // namespace throttlescope::cli
