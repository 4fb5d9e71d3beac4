// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/codec.h"

#include "core/engine/words.h"
#include "core/journal/json_line.h"

namespace throttlescope {

namespace {

SchemaPtr schemaOf(std::string json, std::string expected)
{
    return std::make_shared<const Schema>(Schema{std::move(json), std::move(expected), {}});
}

std::string jsonText(std::string_view text)
{
    std::string out;
    journal::appendJsonText(out, text);
    return out;
}

Parsed<std::string> anyText(std::string_view text)
{
    return std::string{text};
}

} // namespace

Codec<Duration> durationCodec(Duration least, Duration most)
{
    const std::string range = least == Duration::zero() ? "" : least == Duration{1} ? " above 0" : " from " + durationText(least);
    const auto check = [least, most](const Duration &value) -> std::string {
        if (value < least && least == Duration{1})
            return fmt::format("{} is too short, expected a duration above 0", durationText(value));
        if (value < least)
            return fmt::format("{} is negative, expected a duration of {} or more", durationText(value), durationText(least));
        return value > most ? fmt::format("{} is too long, expected at most {}", durationText(value), durationText(most)) : "";
    };
    return scalarCodec<Duration>(parseDuration, check, [](const Duration &value) { return Node::scalar(durationText(value), true); },
        schemaOf(R"({"type":"string","pattern":"^[+-]?([0-9.]+(us|ms|s|min|m|h|d))+$"})", fmt::format("a duration{} such as 250ms, 31s, 1m30s or 24h", range)));
}

Codec<Rate> rateCodec()
{
    return scalarCodec<Rate>(parseRate, {}, [](const Rate &rate) { return Node::scalar(rateText(rate), true); },
        schemaOf(R"({"type":["string","number"]})", "a rate such as 2/s, 20/min or 100/h; a bare number counts per second"));
}

Codec<double> percentCodec(double most)
{
    const auto check = [most](const double &share) { return share > most ? fmt::format("{} is too much, expected at most {}", percentText(share), percentText(most)) : std::string{}; };
    return scalarCodec<double>(parsePercent, check, [](const double &share) { return Node::scalar(percentText(share), true); },
        schemaOf(R"({"type":"string","pattern":"^[0-9.]+%$"})", "a percentage such as 70%"));
}

Codec<double> numberCodec(double least, double most)
{
    const auto check = [least, most](const double &value) { return value < least || value > most ? fmt::format("{} is out of range, expected {} to {}", numberText(value), numberText(least), numberText(most)) : std::string{}; };
    return scalarCodec<double>(parseNumber, check, [](const double &value) { return Node::scalar(numberText(value)); },
        schemaOf(fmt::format(R"({{"type":"number","minimum":{},"maximum":{}}})", least, most), fmt::format("a number from {} to {}", numberText(least), numberText(most))), false);
}

Codec<std::int64_t> wholeCodec(std::int64_t least, std::int64_t most)
{
    const auto check = [least, most](const std::int64_t &value) { return value < least || value > most ? fmt::format("{} is out of range, expected {} to {}", value, least, most) : std::string{}; };
    return scalarCodec<std::int64_t>(parseInteger, check, [](const std::int64_t &value) { return Node::scalar(std::to_string(value)); },
        schemaOf(fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", least, most), fmt::format("a whole number from {} to {}", least, most)), false);
}

Codec<std::uint64_t> sizeCodec()
{
    return scalarCodec<std::uint64_t>(parseSize, {}, [](const std::uint64_t &value) { return Node::scalar(std::to_string(value)); },
        schemaOf(R"({"type":["string","integer"]})", "a size such as 512, 4kB or 1MiB"));
}

Codec<bool> truthCodec()
{
    return scalarCodec<bool>(parseTruth, {}, [](const bool &value) { return Node::scalar(value ? "true" : "false"); }, schemaOf(R"({"type":["boolean","string"]})", "true or false"));
}

Codec<Period> periodCodec()
{
    return scalarCodec<Period>(parsePeriod, {}, [](const Period &period) { return Node::scalar(periodText(period), true); },
        schemaOf(R"({"type":"string"})", "a period such as 1m, 1h, 1d (a civil day) or 1mo (a civil month)"));
}

Codec<WallTime> momentCodec()
{
    const auto write = [](const WallTime &time) {
        std::string text;
        journal::appendRfc3339(text, time);
        return Node::scalar(text, true);
    };
    return scalarCodec<WallTime>(parseRfc3339, {}, write, schemaOf(R"({"type":"string","format":"date-time"})", "a moment such as 2026-06-02T09:00:12Z"));
}

Codec<std::string> textCodec(bool nonEmpty)
{
    const auto check = [nonEmpty](const std::string &text) { return nonEmpty && text.empty() ? std::string{"empty, expected text"} : std::string{}; };
    return scalarCodec<std::string>(anyText, check, [](const std::string &text) { return Node::scalar(text, true); }, schemaOf(R"({"type":["string","number","boolean"]})", "text"));
}

SchemaPtr wordsSchema(const std::vector<std::string> &words)
{
    std::vector<std::string> quoted;
    for (const std::string &word : words)
        quoted.push_back(jsonText(word));
    return schemaOf(fmt::format(R"({{"enum":[{}]}})", fmt::join(quoted, ",")), fmt::format("{}{}", words.size() > 1 ? "one of " : "", fmt::join(words, ", ")));
}

std::string schemaJson(const Schema &schema);

SchemaPtr anyOfSchema(const std::vector<SchemaPtr> &alternatives, std::string expected)
{
    std::vector<std::string> parts;
    for (const SchemaPtr &alternative : alternatives)
        parts.push_back(schemaJson(*alternative));
    return schemaOf(fmt::format(R"({{"anyOf":[{}]}})", fmt::join(parts, ",")), std::move(expected));
}

SchemaPtr listSchema(const SchemaPtr &item)
{
    return schemaOf(fmt::format(R"({{"type":"array","items":{}}})", schemaJson(*item)), "a list of " + item->expected);
}

SchemaPtr recordSchema(std::vector<Schema::Field> fields)
{
    std::vector<std::string> keys;
    for (const Schema::Field &row : fields)
        keys.push_back(row.key);
    return std::make_shared<const Schema>(Schema{"", fmt::format("a map of {}", fmt::join(keys, ", ")), std::move(fields)});
}

std::string schemaJson(const Schema &schema)
{
    if (schema.fields.empty())
        return schema.json;
    std::vector<std::string> properties, mandatory;
    for (const Schema::Field &row : schema.fields) {
        std::string property = schemaJson(*row.schema);
        if (property.size() > 2 && !row.doc.empty()) // the sentence goes in front of the fragment's own keys
            property.insert(1, fmt::format("\"description\":{},", jsonText(row.doc)));
        properties.push_back(fmt::format("{}:{}", jsonText(row.key), property));
        if (row.required)
            mandatory.push_back(jsonText(row.key));
    }
    return fmt::format(R"({{"type":["object","null"],"additionalProperties":false,"required":[{}],"properties":{{{}}}}})", fmt::join(mandatory, ","), fmt::join(properties, ","));
}

bool checkKeys(const Node &node, const std::vector<Schema::Field> &fields, Problems &problems)
{
    if (!node.isMap()) {
        std::vector<std::string> keys;
        for (const Schema::Field &row : fields)
            keys.push_back(row.key);
        return refuse(node, problems, fmt::format("{}, expected a map with {}", node.kindName(), fmt::join(keys, ", ")));
    }
    bool good = true;
    const std::string file = node.origin ? *node.origin : "";
    for (const Node::Entry &entry : node.entries) {
        const bool known = std::any_of(fields.begin(), fields.end(), [&entry](const Schema::Field &row) { return row.key == entry.key; });
        if (known)
            continue;
        std::vector<std::string> keys;
        for (const Schema::Field &row : fields)
            keys.push_back(row.key);
        problems.add(entry.value.origin ? *entry.value.origin : file, entry.mark, fmt::format("unknown key '{}'{}", entry.key, suggestion(entry.key, keys)));
        good = false;
    }
    for (const Schema::Field &row : fields) {
        if (row.required && !node.find(row.key)) {
            problems.add(file, node.mark, fmt::format("'{}' is missing, expected {}", row.key, row.schema->expected));
            good = false;
        }
    }
    return good;
}

} // namespace throttlescope
