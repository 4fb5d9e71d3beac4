// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/codec.h"

#include "core/engine/words.h"
#include "core/journal/json_line.h"

namespace throttlescope {

namespace {

SchemaPtr schemaOf(Schema::Kind kind, std::string json, std::string expected, std::string least = {}, std::string most = {})
{
    return std::make_shared<const Schema>(
        Schema{std::move(json), std::move(expected), {}, kind, {}, std::move(least), std::move(most), nullptr, {}, {}});
}

std::string jsonText(std::string_view text)
{
    std::string out;
    journal::appendJsonText(out, text);
    return out;
}

constexpr std::size_t kLongestName = 200;

Parsed<std::string> anyText(std::string_view text)
{
    return std::string{text};
}

} // namespace

Codec<Duration> durationCodec(Duration least, Duration most)
{
    const std::string range = least <= Duration::zero() ? "" : least == Duration{1} ? " above 0" : " from " + durationText(least);
    const auto check = [least, most](const Duration &value) -> std::string {
        if (value < least && least == Duration{1})
            return fmt::format("{} is too short, expected a duration above 0", durationText(value));
        if (value < least)
            return fmt::format("{} is negative, expected a duration of {} or more", durationText(value), durationText(least));
        return value > most ? fmt::format("{} is too long, expected at most {}", durationText(value), durationText(most)) : "";
    };
    return scalarCodec<Duration>(
        parseDuration, check, [](const Duration &value) { return Node::scalar(durationText(value), true); },
        schemaOf(Schema::Kind::Duration, R"({"$ref":"#/$defs/duration"})",
            fmt::format("a duration{} such as 250ms, 31s, 1m30s or 24h", range), durationText(least), durationText(most)));
}

Codec<Rate> rateCodec()
{
    // The model counts in microseconds: nothing starts more often than that, or less often than in a lifetime.
    const auto check = [](const Rate &rate) {
        const double interval = static_cast<double>(rate.per.count()) / rate.count;
        return interval < 1 || interval > static_cast<double>(kLongestDuration.count())
            ? fmt::format("rate {} is out of range, expected at most 1000000/s and at least one in 100 years", rateText(rate))
            : std::string{};
    };
    return scalarCodec<Rate>(
        parseRate, check, [](const Rate &rate) { return Node::scalar(rateText(rate), true); },
        schemaOf(
            Schema::Kind::Rate, R"({"type":["string","number"]})", "a rate such as 2/s, 20/min or 100/h; a bare number counts per second"));
}

Codec<double> percentCodec(double most)
{
    const auto check = [most](const double &share) {
        return share > most ? fmt::format("{} is too much, expected at most {}", percentText(share), percentText(most)) : std::string{};
    };
    return scalarCodec<double>(
        parsePercent, check, [](const double &share) { return Node::scalar(percentText(share), true); },
        schemaOf(
            Schema::Kind::Percent, R"({"type":"string","pattern":"^[0-9.]+%$"})", "a percentage such as 70%", "0%", percentText(most)));
}

Codec<double> numberCodec(double least, double most)
{
    const auto check = [least, most](const double &value) {
        return value < least || value > most
            ? fmt::format("{} is out of range, expected {} to {}", numberText(value), numberText(least), numberText(most))
            : std::string{};
    };
    return scalarCodec<double>(
        parseNumber, check, [](const double &value) { return Node::scalar(numberText(value)); },
        schemaOf(Schema::Kind::Number, fmt::format(R"({{"type":"number","minimum":{},"maximum":{}}})", least, most),
            fmt::format("a number from {} to {}", numberText(least), numberText(most)), numberText(least), numberText(most)),
        false);
}

Codec<std::int64_t> wholeCodec(std::int64_t least, std::int64_t most)
{
    const auto check = [least, most](const std::int64_t &value) {
        return value < least || value > most ? fmt::format("{} is out of range, expected {} to {}", value, least, most) : std::string{};
    };
    return scalarCodec<std::int64_t>(
        parseInteger, check, [](const std::int64_t &value) { return Node::scalar(std::to_string(value)); },
        schemaOf(Schema::Kind::Whole, fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", least, most),
            fmt::format("a whole number from {} to {}", least, most), std::to_string(least), std::to_string(most)),
        false);
}

Codec<std::uint64_t> sizeCodec()
{
    return scalarCodec<std::uint64_t>(
        parseSize, {}, [](const std::uint64_t &value) { return Node::scalar(std::to_string(value)); },
        schemaOf(Schema::Kind::Size, R"({"type":["string","integer"]})", "a size such as 512, 4kB or 1MiB"));
}

Codec<bool> truthCodec()
{
    return scalarCodec<bool>(
        parseTruth, {}, [](const bool &value) { return Node::scalar(value ? "true" : "false"); },
        schemaOf(Schema::Kind::Truth, R"({"enum":[true,false,"on","off","yes","no"]})", "true or false"), false);
}

Codec<Period> periodCodec()
{
    return scalarCodec<Period>(
        parsePeriod, {}, [](const Period &period) { return Node::scalar(periodText(period), true); },
        schemaOf(Schema::Kind::Period, R"({"type":"string"})", "a period such as 1m, 1h, 1d (a civil day) or 1mo (a civil month)"));
}

Codec<WallTime> momentCodec()
{
    const auto write = [](const WallTime &time) {
        std::string text;
        journal::appendRfc3339(text, time);
        return Node::scalar(text, true);
    };
    return scalarCodec<WallTime>(parseRfc3339, {}, write,
        schemaOf(Schema::Kind::Moment, R"({"type":"string","format":"date-time"})", "a moment such as 2026-06-02T09:00:12Z"));
}

Codec<std::string> nameCodec()
{
    const auto check = [](const std::string &text) {
        const bool control
            = std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
        if (text.empty())
            return std::string{"empty text, expected a name"};
        return control || text.size() > kLongestName
            ? fmt::format("'{}' is no name, expected 1 to {} characters on one line", shown(text), kLongestName)
            : std::string{};
    };
    return scalarCodec<std::string>(
        anyText, check, [](const std::string &text) { return Node::scalar(text, true); },
        schemaOf(Schema::Kind::Text, R"({"type":["string","number","boolean"]})", "a name"));
}

Codec<std::string> textCodec()
{
    return scalarCodec<std::string>(
        anyText, {}, [](const std::string &text) { return Node::scalar(text, true); },
        schemaOf(Schema::Kind::Text, R"({"type":["string","number","boolean"]})", "text"));
}

SchemaPtr namedSchema(const SchemaPtr &item, const std::string &what)
{
    auto schema = std::make_shared<Schema>();
    schema->json = fmt::format(R"({{"type":"object","additionalProperties":{}}})", schemaJson(*item));
    schema->expected = fmt::format("a map of {} by name", what);
    schema->item = item;
    return schema;
}

SchemaPtr otherSchema(std::string json, std::string expected)
{
    return schemaOf(Schema::Kind::Other, std::move(json), std::move(expected));
}

SchemaPtr wordsSchema(const std::vector<std::string> &words)
{
    std::vector<std::string> quoted;
    for (const std::string &word : words)
        quoted.push_back(jsonText(word));
    auto schema = std::make_shared<Schema>();
    schema->kind = Schema::Kind::Words;
    schema->json = fmt::format(R"({{"enum":[{}]}})", fmt::join(quoted, ","));
    schema->expected = fmt::format("{}{}", words.size() > 1 ? "one of " : "", fmt::join(words, ", "));
    schema->words = words;
    return schema;
}

SchemaPtr anyOfSchema(const std::vector<SchemaPtr> &alternatives, std::string expected)
{
    auto schema = std::make_shared<Schema>();
    std::vector<std::string> parts;
    for (const SchemaPtr &alternative : alternatives) {
        parts.push_back(schemaJson(*alternative));
        schema->words.insert(schema->words.end(), alternative->words.begin(), alternative->words.end());
    }
    schema->kind = Schema::Kind::Choice;
    schema->alternatives = alternatives;
    schema->json = fmt::format(R"({{"anyOf":[{}]}})", fmt::join(parts, ","));
    schema->expected = std::move(expected);
    return schema;
}

SchemaPtr listSchema(const SchemaPtr &item)
{
    auto schema = std::make_shared<Schema>();
    schema->kind = Schema::Kind::List;
    schema->json = fmt::format(R"({{"type":"array","items":{}}})", schemaJson(*item));
    schema->expected = item->kind == Schema::Kind::Record ? "a list of maps" : "a list of " + item->expected;
    schema->words = item->words;
    schema->item = item;
    return schema;
}

SchemaPtr recordSchema(std::vector<Schema::Field> fields, Node defaults)
{
    std::vector<std::string> keys;
    for (const Schema::Field &row : fields)
        keys.push_back(row.key);
    return std::make_shared<const Schema>(Schema{"", fmt::format("a map of {}", fmt::join(keys, ", ")), std::move(fields),
        Schema::Kind::Record, {}, {}, {}, nullptr, std::move(defaults), {}, {}});
}

std::string schemaJson(const Schema &schema)
{
    return schema.definition.empty() ? definitionJson(schema) : fmt::format(R"({{"$ref":"#/$defs/{}"}})", schema.definition);
}

SchemaPtr defined(const SchemaPtr &schema, std::string name)
{
    auto copy = std::make_shared<Schema>(*schema);
    copy->definition = std::move(name);
    return copy;
}

std::string definitionJson(const Schema &schema)
{
    if (schema.kind != Schema::Kind::Record)
        return schema.json;
    std::vector<std::string> properties, mandatory;
    for (const Schema::Field &row : schema.fields) {
        const std::string value = schemaJson(*row.schema);
        // null unsets what may be absent
        const std::string shape
            = row.required ? fmt::format(R"("allOf":[{}])", value) : fmt::format(R"("anyOf":[{},{{"type":"null"}}])", value);
        properties.push_back(fmt::format(R"({}:{{"description":{},{}}})", jsonText(row.key), jsonText(row.doc), shape));
        if (row.required)
            mandatory.push_back(jsonText(row.key));
    }
    const std::string required = mandatory.empty() ? "" : fmt::format(R"("required":[{}],)", fmt::join(mandatory, ","));
    return fmt::format(R"({{"type":"object","additionalProperties":false,{}"properties":{{{}}}}})", required, fmt::join(properties, ","));
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
        problems.add(entry.value.origin ? *entry.value.origin : file, entry.mark,
            fmt::format("unknown key '{}'{}", shown(entry.key), suggestion(entry.key, keys)));
        good = false;
        if (problems.full())
            return false;
    }
    for (const Schema::Field &row : fields) {
        const Node *written = row.required ? node.find(row.key) : nullptr;
        if (row.required && (!written || written->kind == Node::Kind::Null)) {
            problems.add(
                file, written ? written->mark : node.mark, fmt::format("'{}' is missing, expected {}", row.key, row.schema->expected));
            good = false;
        }
    }
    return good;
}

} // namespace throttlescope
