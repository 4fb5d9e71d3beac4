// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"
#include "simulator/scenario/scenario_fields.h"


namespace throttlescope {

std::string schemaJson(const Schema &schema);

namespace {

/// The policy's table with the keys that are shorthand, as files may have it.
std::string policySchema()
{
    std::string json = schemaJson(*policyCodec().schema);
    const std::string_view properties = "\"properties\":{";
    const std::size_t at = json.find(properties) + properties.size();
    const std::string extra = R"("preset":{"type":"string"},"max_wait":{"type":"string"},"rate_limit_on":{"type":"array","items":{"type":"integer"}},"retry_after":{"type":"object"},)";
    return json.insert(at, extra);
}

std::string rowSchema()
{
    std::string json = schemaJson(*workloadRowCodec().schema);
    const std::string policy = policySchema();
    const std::string_view properties = "\"properties\":{";
    const std::string own = json.substr(json.find(properties) + properties.size());
    // The row's own `replay` and `policy` come last, so that they stand for the policy's of that name.
    std::string rest = policy.substr(policy.find(properties) + properties.size());
    rest.resize(rest.size() - 2);
    const std::size_t replay = rest.find("\"replay\":");
    const std::size_t after = rest.find("\"writes\":");
    rest.erase(replay, after - replay);
    return json.substr(0, json.find(properties) + properties.size()) + rest + ',' + own;
}

void appendReference(std::string &out, const Schema &schema, const std::string &prefix)
{
    for (const Schema::Field &row : schema.fields) {
        const std::string path = prefix.empty() ? row.key : prefix + '.' + row.key;
        if (row.schema->fields.empty())
            out += fmt::format("| `{}` | {} | {}{} |\n", path, row.schema->expected, row.doc, row.required ? " Required." : "");
        else
            appendReference(out, *row.schema, path);
    }
}

} // namespace

std::string scenarioSchema()
{
    std::string head = schemaJson(*scenarioHeadCodec().schema);
    const auto replace = [&head](const std::string &key, const std::string &schema) {
        const std::size_t at = head.find('"' + key + "\":{");
        const std::size_t begin = at + key.size() + 3;
        const std::size_t end = head.find('}', begin) + 1;
        head.replace(begin, end - begin, schema);
    };
    const auto byName = [](const std::string &schema) { return R"({"type":"object","additionalProperties":)" + schema + '}'; };
    replace("throttlescope", fmt::format(R"({{"const":{}}})", kScenarioVersion));
    replace("servers", byName(schemaJson(*serverCodec().schema)));
    replace("policies", byName(policySchema()));
    replace("timeline", schemaJson(*timelineCodec().schema));
    replace("workload", R"({"type":"array","items":)" + rowSchema() + '}');
    replace("expect", R"({"type":"object"})");
    return R"({"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Throttlescope scenario",)" + head.substr(1) + '\n';
}

std::string fieldReference()
{
    std::string out = "# Keys of a scenario file\n\nMade from the field table; `throttlescope check` uses the same rows.\n";
    const auto table = [&out](std::string_view title, const Schema &schema) {
        out += fmt::format("\n## {}\n| key | value | meaning |\n|---|---|---|\n", title);
        appendReference(out, schema, "");
    };
    table("Top level", *scenarioHeadCodec().schema);
    table("servers.NAME", *serverCodec().schema);
    table("policies.NAME", *policyCodec().schema);
    table("workload row", *workloadRowCodec().schema);
    return out;
}

} // namespace throttlescope
