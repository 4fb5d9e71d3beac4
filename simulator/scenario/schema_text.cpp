// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"
#include "simulator/scenario/policy_fields.h"
#include "simulator/scenario/scenario_fields.h"

namespace throttlescope {

namespace {

/// Indented, but what is short stands on one line: a change of the table shows as a change of few lines.
class Layout {
public:
    explicit Layout(std::string_view json)
        : m_json(json)
    {
        value(0);
    }

    std::string text() && { return std::move(m_text) + '\n'; }

private:
    static constexpr std::size_t kWidth = 140;

    /// The end of the value that begins here.
    std::size_t end(std::size_t from) const
    {
        std::size_t depth = 0;
        bool inText = false;
        for (std::size_t i = from; i < m_json.size(); ++i) {
            const char c = m_json[i];
            if (inText) {
                i += c == '\\' ? 1 : 0;
                inText = c != '"';
            } else if (c == '"') {
                inText = true;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                if (depth == 0)
                    return i;
                --depth;
            } else if (c == ',' && depth == 0) {
                return i;
            }
        }
        return m_json.size();
    }

    void value(std::size_t indent)
    {
        const std::size_t size = end(m_at) - m_at;
        const char open = m_json[m_at];
        if ((open != '{' && open != '[') || size + indent < kWidth) {
            m_text += m_json.substr(m_at, size);
            m_at += size;
            return;
        }
        while (m_json[m_at] != '}' && m_json[m_at] != ']') {
            m_text += m_json[m_at++]; // the bracket or a comma
            m_text += '\n' + std::string(indent + 1, ' ');
            if (open == '{') {
                const std::size_t colon = m_json.find("\":", m_at) + 2; // keys of a schema have no quotes in them
                m_text += m_json.substr(m_at, colon - m_at);
                m_at = colon;
            }
            value(indent + 1);
        }
        m_text += '\n' + std::string(indent, ' ') + m_json[m_at++];
    }

    std::string_view m_json;
    std::size_t m_at = 0;
    std::string m_text;
};

/// One table for each kind of record that stands in a list or under a name.
class Reference {
public:
    std::string text() const { return m_text; }

    void table(const std::string &title, const Schema &schema)
    {
        m_text += fmt::format("\n## {}\n\n| key | value | default | meaning |\n|---|---|---|---|\n", title);
        std::vector<Part> parts;
        rows(title == "Top level" ? "" : title, schema, schema.defaults, "", parts);
        if (title == "workload[]")
            m_text += "\nAny key of a policy but `preset` and `replay` may stand on a row, too: it overlays the row's policy.\n";
        for (const Part &part : parts)
            table(part.title, *part.schema);
    }

private:
    struct Part {
        std::string title;
        SchemaPtr schema;
    };

    static bool isPolicyKey(const Schema::Field &row)
    {
        const auto &policy = policyFileCodec().schema->fields;
        return std::any_of(
            policy.begin(), policy.end(), [&row](const Schema::Field &each) { return each.key == row.key && each.doc == row.doc; });
    }

    void rows(const std::string &title, const Schema &schema, const Node &defaults, const std::string &prefix, std::vector<Part> &parts)
    {
        for (const Schema::Field &row : schema.fields) {
            if (title == "workload[]" && isPolicyKey(row))
                continue;
            const std::string path = prefix.empty() ? row.key : prefix + '.' + row.key;
            const Node *written = defaults.find(row.key);
            if (row.schema->kind == Schema::Kind::Record) {
                rows(title, *row.schema, written ? *written : row.schema->defaults, path, parts);
                continue;
            }
            const SchemaPtr &item = row.schema->item;
            std::string value = row.schema->expected;
            if (item && item->kind == Schema::Kind::Record) {
                const bool list = row.schema->kind == Schema::Kind::List;
                const std::string part = (title.empty() ? "" : title + '.') + path + (list ? "[]" : ".NAME");
                const bool metrics = title == "expect"; // those of the run, once more
                value = metrics && !list ? "a map by name of the metrics above"
                                         : fmt::format("{}, see `{}`", list ? "a list" : "a map by name", part);
                if (!metrics || list)
                    parts.push_back({part, item});
            }
            m_text += fmt::format("| `{}` | {} | {} | {} |\n", path, value,
                row.required || row.key == "arrivals"         ? "required"
                    : written && flowText(*written) != "\"\"" ? '`' + flowText(*written) + '`'
                                                              : "",
                row.doc);
            if (title == "expect")
                continue; // every metric may have a min and a max
            for (const SchemaPtr &alternative : row.schema->alternatives) {
                if (alternative->kind == Schema::Kind::Record)
                    rows(title, *alternative, alternative->defaults, path, parts);
            }
        }
    }

    std::string m_text;
};

} // namespace

std::string scenarioSchema()
{
    const std::string json = schemaJson(*scenarioHeadCodec().schema);
    std::string definitions = fmt::format(R"("duration":{})", kDurationJson);
    for (const Schema::Field &row : policyFileCodec().schema->fields) {
        if (!row.schema->definition.empty())
            definitions += fmt::format(R"(,"{}":{})", row.schema->definition, definitionJson(*row.schema));
    }
    const SchemaPtr expect = expectSchema();
    const auto byOperation
        = std::find_if(expect->fields.begin(), expect->fields.end(), [](const Schema::Field &row) { return row.key == "by_operation"; });
    definitions += fmt::format(R"(,"metrics":{})", definitionJson(*byOperation->schema->item));
    return Layout{
        fmt::format(R"({{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Throttlescope scenario",{},"$defs":{{{}}}}})",
            json.substr(1, json.size() - 2), definitions)}
        .text();
}

std::string fieldReference()
{
    Reference reference;
    Schema top = *scenarioHeadCodec().schema;
    const auto expect = std::find_if(top.fields.begin(), top.fields.end(), [](const Schema::Field &row) { return row.key == "expect"; });
    const Schema metrics = *expect->schema;
    top.fields.erase(expect);
    reference.table("Top level", top);
    reference.table("expect", metrics);
    return "# Keys of a scenario file\n\nMade from the field table that the loader reads by. Every key that is not required may be left "
           "out, or be `null`.\n"
        + reference.text();
}

} // namespace throttlescope
