// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/import_output.h"
#include "core/journal/json_line.h"
#include "simulator/incident/finding_words.h"
#include "simulator/incident/limit_verdict.h"
#include "simulator/incident/log_formats.h"

#include <fmt/format.h>

namespace throttlescope::cli {

namespace {

using journal::JsonLine;

std::string rfc3339(WallTime at)
{
    std::string text;
    journal::appendRfc3339(text, at);
    return text;
}

std::string textsJson(const std::vector<std::string> &texts)
{
    std::string json = "[";
    for (const std::string &text : texts) {
        json += json.size() == 1 ? "" : ",";
        journal::appendJsonText(json, text);
    }
    return json + ']';
}

void writeLog(JsonLine &json, const incident::LogSummary &log)
{
    json.member("lines", log.lines);
    json.member("requests", log.entries);
    json.member("skipped", log.malformed + log.otherFormats);
    json.member("outside", log.outside);
    json.member("out_of_order", log.outOfOrder);
    if (log.first)
        json.member("first", rfc3339(*log.first));
    if (log.last)
        json.member("last", rfc3339(*log.last));
    json.open("files", '[');
    for (const incident::FileSummary &file : log.files) {
        json.openItem();
        json.member("file", file.file);
        json.member("format", incident::formatName(file.format));
        json.member("lines", file.lines);
        json.member("requests", file.entries);
        json.member("skipped", file.malformed);
        if (!file.faults.empty())
            json.member("first_fault", fmt::format("{}:{} {}", file.file, file.faults.front().line, file.faults.front().text));
        if (!file.ending.empty())
            json.member("ending", file.ending);
        json.close('}');
    }
    json.close(']');
}

void writeNamed(JsonLine &json, std::string_view key, const std::vector<NamedCount> &named)
{
    json.open(key, '[');
    for (const NamedCount &each : named) {
        json.openItem();
        json.member("name", each.name);
        json.member("refused", each.count);
        json.close('}');
    }
    json.close(']');
}

void writeRefusals(JsonLine &json, const ImportReport &report)
{
    const incident::Incident &incident = *report.incident;
    const RefusalCounts &counts = report.counts;
    json.open("refused", '{');
    json.member("count", incident.operations.refusals);
    json.open("by_origin", '[');
    for (const RefusedShare &share : counts.byOrigin) {
        json.openItem();
        json.member("origin", incident::refuserWord(share.by));
        json.member("status", share.status);
        if (!share.how.empty())
            json.member("how", share.how);
        json.member("refused", share.count);
        json.close('}');
    }
    json.close(']');
    writeNamed(json, "by_host", counts.byHost);
    writeNamed(json, "by_route", counts.byRoute);
    writeNamed(json, "by_client", counts.byClient);
    if (incident.flood) {
        json.member("onset", rfc3339(incident.flood->onset));
        json.member("peak", rfc3339(incident.flood->peakMinute));
        json.member("peak_per_minute", incident.flood->peakRefusals);
    }
    json.close('}');
}

std::string_view word(incident::WindowKind kind)
{
    switch (kind) {
    case incident::WindowKind::Fixed: return "fixed";
    case incident::WindowKind::Sliding: return "sliding";
    case incident::WindowKind::TokenBucket: break;
    }
    return "token_bucket";
}

std::string_view word(incident::FoundBy by)
{
    switch (by) {
    case incident::FoundBy::Timing: return "timing";
    case incident::FoundBy::Headers: return "headers";
    case incident::FoundBy::Assumed: break;
    }
    return "assumed";
}

void writeLimit(JsonLine &json, const ImportReport &report, const incident::LimitFinding &finding)
{
    const incident::InferredLimit &limit = finding.limit;
    json.openItem();
    json.member("host", incident::serverName(*report.incident, finding.host));
    json.member("origin", incident::refuserWord(finding.by));
    if (!finding.how.empty())
        json.member("how", finding.how);
    json.member("refused", finding.refusals);
    if (!finding.endpoints.empty()) {
        std::vector<std::string> routes;
        for (const std::uint32_t endpoint : finding.endpoints)
            routes.push_back(incident::operationName(*report.incident, report.incident->endpoints[endpoint]));
        json.raw("routes", textsJson(routes));
    }
    json.member("found_by", word(finding.foundBy));
    json.member("quota", limit.quota);
    json.member("per", limit.per);
    json.member("window", word(limit.kind));
    if (limit.kind == incident::WindowKind::Fixed)
        json.member("align", limit.alignment == incident::Alignment::Calendar ? "calendar" : "first_request");
    json.member("burst", limit.burst);
    json.member("per_client", limit.perKey);
    if (const auto &best = finding.inference.best) {
        json.member("windows", best->windows);
        json.member("fits", best->fits);
        json.member("nearly", best->nearly);
        json.member("approximate", best->approximate);
    }
    if (const auto &next = finding.inference.runnerUp) {
        json.member("runner_up", incident::limitWords(next->limit));
        json.member("runner_up_fits", next->fits + next->nearly);
    }
    if (!finding.inference.why.empty())
        json.member("cannot_tell", finding.inference.why);
    json.close('}');
}

void writeCheck(JsonLine &json, const incident::ReplayCheck &check)
{
    json.open("verify", '{');
    json.member("logged", check.logged);
    json.member("replayed", check.replayed);
    json.member("difference", incident::difference(check.logged, check.replayed));
    if (check.worst.minute != 0) {
        json.open("worst_minute", '{');
        json.member("at", rfc3339(WallTime{std::chrono::minutes{check.worst.minute}}));
        json.member("logged", check.worst.logged);
        json.member("replayed", check.worst.replayed);
        json.close('}');
    }
    json.member("passed", !check.isApartInAll() && !check.isApartInWorst());
    json.close('}');
}

} // namespace

std::string importJson(const ImportReport &report)
{
    const incident::Incident &incident = *report.incident;
    std::string out;
    JsonLine json{out};
    json.open("read", '{');
    writeLog(json, incident.log);
    json.close('}');
    writeRefusals(json, report);
    json.open("limits", '[');
    for (const incident::LimitFinding &finding : report.limits)
        writeLimit(json, report, finding);
    json.close(']');
    json.open("operations", '{');
    json.member("count", incident.operations.operations);
    json.member("refused", incident.operations.refusedOperations);
    json.member("attempts_of_refused", incident.operations.attemptsOfRefused);
    json.member("amplification", incident.operations.amplification());
    json.member("ambiguity", incident.operations.ambiguity());
    json.close('}');
    json.open("storms", '[');
    for (const incident::Storm &storm : incident.storms) {
        json.openItem();
        json.member("host", incident::serverName(incident, storm.server));
        json.member("begin", rfc3339(storm.begin));
        json.member("span", storm.span);
        json.open("faults", '{');
        for (const auto &[status, share] : storm.faults)
            json.member(status == incident::Storm::kAborted ? std::string{"aborted"} : std::to_string(status), share);
        json.close('}');
        json.close('}');
    }
    json.close(']');
    if (!report.scenario.empty()) {
        json.raw("assumed", textsJson(report.assumed));
        json.member("scenario", report.scenario);
        json.raw("traces", textsJson(report.traceFiles));
        json.member("trace_operations", report.trace.operations);
        json.member("trace_cut", report.trace.cut);
    }
    if (report.check)
        writeCheck(json, *report.check);
    json.end();
    return out + '\n';
}

} // namespace throttlescope::cli
