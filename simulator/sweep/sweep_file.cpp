// SPDX-License-Identifier: Apache-2.0
#include "simulator/sweep/sweep_file.h"

#include "core/journal/json_line.h"
#include "core/version.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <simdjson.h>

namespace throttlescope {

namespace {

constexpr int kFormat = 1;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

std::string textList(const std::vector<std::string> &texts)
{
    std::string out = "[";
    for (const std::string &text : texts) {
        out += out.size() > 1 ? "," : "";
        journal::appendJsonText(out, text);
    }
    return out + ']';
}

using Object = simdjson::dom::element;

std::vector<std::string> textsIn(const Object &object, const char *key)
{
    std::vector<std::string> texts;
    for (const Object each : object[key].get_array())
        texts.emplace_back(std::string_view{each});
    return texts;
}

/// Throws what simdjson throws where a key is not there, or is something else.
SweepHeader headerIn(const Object &object)
{
    SweepHeader header;
    header.file = std::string_view{object["file"]};
    header.hash = std::string_view{object["hash"]};
    header.vary = textsIn(object, "vary");
    header.set = textsIn(object, "set");
    header.metrics = textsIn(object, "metrics");
    if (std::uint64_t samples = 0; object["samples"].get(samples) == simdjson::SUCCESS)
        header.samples = samples;
    header.firstSeed = object["first_seed"];
    header.seeds = object["seeds"];
    header.shard = object["shard"];
    header.shards = object["shards"];
    return header;
}

SweepRow rowIn(const Object &object)
{
    SweepRow row;
    row.run = object["run"];
    row.seed = object["seed"];
    row.at = textsIn(object, "at");
    row.judged = !object["passed"].is_null();
    row.passed = !row.judged || bool{object["passed"]};
    for (const Object each : object["values"].get_array())
        row.values.push_back(each.get_double());
    return row;
}

std::vector<TippingPoint> tipsIn(const Object &object)
{
    std::vector<TippingPoint> tips;
    for (const Object each : object["tips"].get_array())
        tips.push_back({std::string{std::string_view{each["below"]}}, std::string{std::string_view{each["above"]}}, each["passed_below"],
            each["passed_above"]});
    return tips;
}

bool fits(const SweepRow &row, const SweepFile &file)
{
    const bool ascends = file.rows.empty() || file.rows.back().run < row.run;
    return ascends && row.values.size() == file.header.metrics.size() && row.at.size() == file.header.vary.size();
}

} // namespace

std::string headerLine(const SweepHeader &header)
{
    std::string out;
    journal::JsonLine json{out};
    json.member("sweep", kFormat);
    json.member("version", version());
    json.member("file", header.file);
    json.member("hash", header.hash);
    json.raw("vary", textList(header.vary));
    json.raw("set", textList(header.set));
    json.raw("metrics", textList(header.metrics));
    json.member("samples", header.samples);
    json.member("first_seed", header.firstSeed);
    json.member("seeds", header.seeds);
    json.member("shard", header.shard);
    json.member("shards", header.shards);
    json.end();
    return out + '\n';
}

std::string rowLine(const SweepRow &row)
{
    std::string out;
    journal::JsonLine json{out};
    json.member("run", row.run);
    json.member("seed", row.seed);
    json.raw("at", textList(row.at));
    row.judged ? json.member("passed", row.passed) : json.raw("passed", "null");
    std::string values = "[";
    for (const double value : row.values)
        values += (values.size() > 1 ? "," : "") + numberText(value);
    json.raw("values", values + ']');
    json.end();
    return out + '\n';
}

std::string tipsJson(const std::vector<TippingPoint> &tips)
{
    std::string out = "[";
    for (const TippingPoint &tip : tips) {
        out += out.size() > 1 ? "," : "";
        journal::JsonLine json{out};
        json.member("below", tip.below);
        json.member("above", tip.above);
        json.member("passed_below", tip.passedBelow);
        json.member("passed_above", tip.passedAbove);
        json.end();
    }
    return out + ']';
}

std::string tipsLine(const std::vector<TippingPoint> &tips)
{
    std::string out;
    journal::JsonLine json{out};
    json.raw("tips", tipsJson(tips));
    json.end();
    return out + '\n';
}

std::string sweepText(const SweepFile &sweep)
{
    std::string text = headerLine(sweep.header);
    for (const SweepRow &row : sweep.rows)
        text += rowLine(row);
    return sweep.tips ? text + tipsLine(*sweep.tips) : text;
}

tl::expected<SweepPlan, std::string> planOf(const SweepHeader &header)
{
    SweepPlan plan;
    plan.samples = header.samples;
    plan.firstSeed = header.firstSeed;
    plan.seeds = header.seeds;
    plan.shard = header.shard;
    plan.shards = header.shards;
    for (const std::string &vary : header.vary) {
        auto axis = parseAxis(vary);
        if (!axis)
            return tl::unexpected(axis.error());
        plan.axes.push_back(std::move(*axis));
    }
    return plan;
}

tl::expected<SweepFile, std::string> readSweep(const std::filesystem::path &path)
{
    std::error_code error;
    std::ifstream in{path, std::ios::binary};
    if (!in || std::filesystem::is_directory(path, error))
        return tl::unexpected(fmt::format("{} cannot be read, expected a file of sweep --out", path.string()));
    SweepFile file;
    simdjson::dom::parser parser;
    std::string line;
    for (std::uint64_t number = 1; std::getline(in, line) && !in.eof(); ++number) { // a line without an end was cut
        const auto broken = [&](std::string_view expected) {
            return tl::unexpected(fmt::format("{}:{}:1: expected {}", path.string(), number, expected));
        };
        if (line.size() > kLongestLine)
            return broken("a line of a sweep, which is shorter");
        try {
            const Object object = parser.parse(line);
            if (number == 1)
                file.header = headerIn(object);
            else if (!object["tips"].error())
                file.tips = tipsIn(object);
            else if (const SweepRow row = rowIn(object); fits(row, file)) {
                file.rows.push_back(row);
                file.tips.reset(); // they were those of fewer runs
            } else
                return broken("a run of this sweep, after those before it");
        } catch (const simdjson::simdjson_error &) {
            return broken(number == 1 ? "the first line of a sweep" : "a run of a sweep");
        }
        file.wholeBytes += line.size() + 1;
    }
    if (file.wholeBytes == 0)
        return tl::unexpected(fmt::format("{}:1:1: expected the first line of a sweep", path.string()));
    return file;
}

tl::expected<SweepFile, std::string> mergeSweeps(const std::vector<std::filesystem::path> &paths)
{
    SweepFile whole;
    std::vector<std::uint64_t> shards;
    for (const auto &path : paths) {
        auto part = readSweep(path);
        if (!part)
            return part;
        shards.push_back(part->header.shard);
        SweepHeader header = part->header;
        header.shard = 1;
        SweepHeader expected = shards.size() == 1 ? header : whole.header;
        if (header != expected)
            return tl::unexpected(fmt::format("{} is of another sweep than {}", path.string(), paths.front().string()));
        whole.header = std::move(header);
        whole.rows.insert(whole.rows.end(), part->rows.begin(), part->rows.end());
    }
    std::sort(whole.rows.begin(), whole.rows.end(), [](const SweepRow &a, const SweepRow &b) { return a.run < b.run; });
    for (std::uint64_t shard = 1; shard <= whole.header.shards; ++shard) {
        if (std::count(shards.begin(), shards.end(), shard) != 1)
            return tl::unexpected(fmt::format("shard {} of {} is {}", shard, whole.header.shards,
                std::count(shards.begin(), shards.end(), shard) == 0 ? "missing" : "there twice"));
    }
    const auto plan = planOf(whole.header);
    if (!plan)
        return tl::unexpected(plan.error());
    for (std::uint64_t run = 0; run < plan->runs(); ++run) {
        if (run >= whole.rows.size() || whole.rows[run].run != run)
            return tl::unexpected(fmt::format("run {} of {} is missing: shard {} has not come to its end, the same command goes on with it",
                run + 1, plan->runs(), run % whole.header.shards + 1));
    }
    whole.header.shards = 1;
    return whole;
}

} // namespace throttlescope
