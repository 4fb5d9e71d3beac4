// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/report.h"

#include "core/engine/words.h"
#include "core/journal/json_line.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::fetch {

namespace {

constexpr std::size_t kMostListed = 20;
constexpr std::array<Verdict, 4> kVerdicts{Verdict::Agreed, Verdict::Changed, Verdict::NoSuch, Verdict::Unchecked};

std::size_t countOf(const std::vector<ItemReport> &reports, Verdict verdict, bool acknowledged)
{
    return static_cast<std::size_t>(std::count_if(reports.begin(), reports.end(),
        [=](const ItemReport &each) { return each.judgement.verdict == verdict && each.acknowledged == acknowledged; }));
}

/// The worklist's order, which is the order of the output whatever the order of the asking.
std::vector<const ItemReport *> inListOrder(const std::vector<ItemReport> &reports)
{
    std::vector<const ItemReport *> sorted;
    for (const ItemReport &report : reports)
        sorted.push_back(&report);
    std::sort(sorted.begin(), sorted.end(), [](const ItemReport *a, const ItemReport *b) { return a->item < b->item; });
    return sorted;
}

std::string plural(std::size_t count, std::string_view what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void listUnchecked(std::string &out, const std::vector<Item> &items, const std::vector<ItemReport> &reports)
{
    std::size_t listed = 0;
    for (const ItemReport *report : inListOrder(reports)) {
        const Judgement &judgement = report->judgement;
        if (judgement.verdict != Verdict::Unchecked || ++listed > kMostListed)
            continue;
        out += fmt::format("  {}  {}{}{}\n", items[report->item].id, judgement.reason,
            judgement.status ? fmt::format(", status {}", *judgement.status) : "",
            judgement.hint ? fmt::format(", come back in {}", durationText(*judgement.hint)) : "");
    }
    if (listed > kMostListed)
        out += fmt::format("  and {} more; --json lists all\n", listed - kMostListed);
}

void nameItem(journal::JsonLine &json, const Item &item)
{
    json.member("id", item.id);
    json.member("line", item.line);
    json.member("url", shownUrl(item.url));
}

void appendItem(journal::JsonLine &json, const Item &item, const ItemReport &report)
{
    const Judgement &judgement = report.judgement;
    json.openItem();
    nameItem(json, item);
    json.member("result", word(judgement.verdict));
    if (report.acknowledged)
        json.member("acknowledged", true);
    json.member("status", judgement.status);
    if (judgement.settled)
        json.member("digest", judgement.settled->answer.digest);
    if (!judgement.reason.empty())
        json.member("reason", judgement.reason);
    json.member("hint_seconds", judgement.hint);
    json.close('}');
}

std::string alsoKnown(const RunFacts &facts)
{
    std::string out;
    if (facts.settledBefore > 0)
        out += fmt::format(", {} settled before", facts.settledBefore);
    if (facts.skippedLines > 0)
        out += fmt::format(", {} skipped", plural(facts.skippedLines, "line"));
    return out;
}

/// What one server would get of a plan.
struct ServerShare {
    std::size_t requests = 0;
    Duration last{}; ///< start, from the first
};

std::map<std::string, ServerShare> sharesOf(const std::vector<Item> &items, const Plan &plan, const std::vector<PacedStart> &starts)
{
    std::map<std::string, ServerShare> servers;
    for (std::size_t i = 0; i < plan.order.size(); ++i) {
        ServerShare &server = servers[net::serverName(items[plan.order[i]].url)];
        ++server.requests;
        server.last = std::max(server.last, starts[i].start);
    }
    return servers;
}

} // namespace

std::string reportTable(const std::vector<Item> &items, const std::vector<ItemReport> &reports, const RunFacts &facts)
{
    std::string out;
    for (const Verdict verdict : kVerdicts) {
        const std::size_t known = countOf(reports, verdict, true);
        out += fmt::format("{:<10}{:>8}{}\n", word(verdict), countOf(reports, verdict, false),
            known > 0 ? fmt::format("   and {} acknowledged", known) : "");
    }
    listUnchecked(out, items, reports);
    out += plural(items.size(), "item");
    out += alsoKnown(facts);
    out += fmt::format(", {}{}, seed {}\n", plural(facts.requests, "request"), facts.interrupted ? ", interrupted" : "", facts.seed);
    return out;
}

std::string reportJson(const std::vector<Item> &items, const std::vector<ItemReport> &reports, const RunFacts &facts)
{
    std::string out;
    journal::JsonLine json{out};
    for (const Verdict verdict : kVerdicts)
        json.member(word(verdict), countOf(reports, verdict, false));
    json.member("acknowledged", countOf(reports, Verdict::Changed, true) + countOf(reports, Verdict::NoSuch, true));
    json.member("settled_before", facts.settledBefore);
    json.member("skipped_lines", facts.skippedLines);
    json.member("requests", facts.requests);
    json.raw("seed", std::to_string(facts.seed));
    json.member("interrupted", facts.interrupted);
    json.open("items", '[');
    for (const ItemReport *report : inListOrder(reports))
        appendItem(json, items[report->item], *report);
    json.close(']');
    json.end();
    out += '\n';
    return out;
}

std::string planText(
    const std::vector<Item> &items, const Plan &plan, const std::vector<PacedStart> &starts, const Policy &policy, const RunFacts &facts)
{
    std::string out;
    for (std::size_t i = 0; i < plan.order.size(); ++i) {
        const Item &item = items[plan.order[i]];
        out += fmt::format("{:>12}  {:<6} {}\n", durationText(starts[i].start), item.method, item.id);
    }
    for (const auto &[name, server] : sharesOf(items, plan, starts))
        out += fmt::format("{}: {}, the last after {}\n", name, plural(server.requests, "request"), durationText(server.last));
    out += fmt::format("policy {}, {} to ask", policy.name, plan.order.size());
    if (facts.leftOut > 0)
        out += fmt::format(", {} over --max-requests", facts.leftOut);
    out += alsoKnown(facts);
    out += fmt::format(", seed {}; nothing was sent, and what limits a server has is not known\n", facts.seed);
    return out;
}

std::string planJson(
    const std::vector<Item> &items, const Plan &plan, const std::vector<PacedStart> &starts, const Policy &policy, const RunFacts &facts)
{
    std::string out;
    journal::JsonLine json{out};
    json.member("dry_run", true);
    json.member("policy", policy.name);
    json.member("to_ask", plan.order.size());
    json.member("over_max_requests", facts.leftOut);
    json.member("settled_before", facts.settledBefore);
    json.member("skipped_lines", facts.skippedLines);
    json.raw("seed", std::to_string(facts.seed));
    json.null("server_limits"); // not known before anything was sent
    json.open("servers", '[');
    for (const auto &[name, server] : sharesOf(items, plan, starts)) {
        json.openItem();
        json.member("server", name);
        json.member("requests", server.requests);
        json.member("last_start_seconds", server.last);
        json.close('}');
    }
    json.close(']');
    json.open("items", '[');
    for (std::size_t i = 0; i < plan.order.size(); ++i) {
        const Item &item = items[plan.order[i]];
        json.openItem();
        nameItem(json, item);
        json.member("method", item.method);
        json.member("start_seconds", starts[i].start);
        json.close('}');
    }
    json.close(']');
    json.end();
    out += '\n';
    return out;
}

} // namespace throttlescope::fetch
