// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/worklist_line.h"

#include "core/engine/words.h"
#include "simulator/scenario/node.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <simdjson.h>

namespace throttlescope::fetch {

namespace {

namespace json = simdjson::ondemand;

constexpr std::size_t kLongestId = 1000;
constexpr std::array<OperationClass, 4> kClasses{
    OperationClass::Read, OperationClass::Write, OperationClass::Action, OperationClass::Probe};

/// Empty where it can be asked.
std::string urlProblem(const QUrl &url)
{
    const bool web = url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("https");
    if (!url.isValid() || !web || url.host().isEmpty())
        return "no http or https URL, expected one such as https://example.com/a";
    if (!url.userInfo().isEmpty())
        return "user information in the URL, expected credentials from --header-file or --bearer-env";
    return {};
}

QUrl urlOf(std::string_view text)
{
    QUrl url{QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())), QUrl::StrictMode};
    url.setFragment(QString{}); // is never sent
    return url;
}

/// Reads one object. The first error ends it.
class ItemReader {
public:
    explicit ItemReader(std::string_view line)
        : m_text(line)
    {
    }

    tl::expected<Item, LineProblem> read()
    {
        if (!readDocument())
            return tl::unexpected(std::move(m_problem));
        if (std::string problem = net::requestProblem(requestOf(m_item)); !problem.empty())
            return tl::unexpected(LineProblem{1, problem + ", expected a request that can be sent"});
        m_item.id = m_item.id.empty() ? defaultId(m_item.url) : shownId(m_item.id);
        return std::move(m_item);
    }

private:
    bool readDocument()
    {
        json::parser parser;
        json::document document;
        json::object object;
        if (parser.iterate(m_text).get(document) || document.get_object().get(object))
            return notJson(1);
        for (auto result : object) {
            json::field field;
            if (std::move(result).get(field))
                return notJson(m_column);
            m_column = columnOf(field.key().raw()) - 1;
            std::string_view key;
            if (field.unescaped_key().get(key))
                return notJson(m_column);
            if (std::find(m_seen.begin(), m_seen.end(), key) != m_seen.end())
                return wrong(m_column, fmt::format("the key '{}' is there twice, expected once", shown(key)));
            m_seen.emplace_back(key);
            if (!readField(m_seen.back(), field.value()))
                return false;
        }
        if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) // more behind the object
            return notJson(m_column);
        if (std::find(m_seen.begin(), m_seen.end(), "url") == m_seen.end())
            return wrong(1, "'url' is missing, expected a http or https URL");
        return true;
    }

    bool readField(const std::string &key, json::value value)
    {
        static const std::vector<std::string> known{"id", "method", "url", "headers", "body", "class", "idempotent", "units"};
        const int keyColumn = m_column;
        std::string_view token = value.raw_json_token();
        m_column = columnOf(token.data());
        std::string text;
        if (key == "id")
            return readText(value, "text", m_item.id)
                && (isId(m_item.id) || wrong(m_column, fmt::format("no id, expected 1 to {} bytes of text on one line", kLongestId)));
        if (key == "method") {
            const bool good = readText(value, "a method such as GET", m_item.method);
            m_item.method = upperCase(std::move(m_item.method));
            return good;
        }
        if (key == "url")
            return readText(value, "a http or https URL", text) && readUrl(text);
        if (key == "headers")
            return readHeaders(value);
        if (key == "body") {
            const bool good = readText(value, "text", text);
            m_item.body = QByteArray::fromStdString(text);
            return good;
        }
        if (key == "class")
            return readText(value, "read, write, action or probe", text) && readClass(text);
        if (key == "idempotent") {
            bool flag = false;
            if (value.get_bool().get(flag))
                return wrong(m_column, "'idempotent' is wrong, expected true or false");
            m_item.idempotent = flag;
            return true;
        }
        if (key == "units") {
            if (value.get_uint64().get(m_item.units) || m_item.units == 0)
                return wrong(m_column, "'units' is wrong, expected a whole number from 1");
            return true;
        }
        return wrong(keyColumn, fmt::format("unknown key '{}'{}", shown(key), suggestion(key, known)));
    }

    static bool isId(const std::string &id)
    {
        return !id.empty() && id.size() <= kLongestId && id.find_first_of("\n\t") == std::string::npos && !firstNonText(id);
    }

    bool readText(json::value &value, std::string_view expected, std::string &to)
    {
        std::string_view text;
        if (value.get_string().get(text))
            return wrong(m_column, fmt::format("'{}' is wrong, expected {}", m_seen.back(), expected));
        to = text;
        return true;
    }

    bool readUrl(const std::string &text)
    {
        m_item.url = urlOf(text);
        const std::string problem = urlProblem(m_item.url);
        return problem.empty() || wrong(m_column, problem);
    }

    bool readClass(const std::string &text)
    {
        std::vector<std::string> words;
        for (const OperationClass each : kClasses) {
            words.emplace_back(word(each));
            if (words.back() == text)
                m_item.operationClass = each;
        }
        return m_item.operationClass || wrong(m_column, fmt::format("unknown class '{}'{}", shown(text), suggestion(text, words)));
    }

    bool readHeaders(json::value &value)
    {
        constexpr std::string_view expected = "expected text by name, such as {\"Accept\": \"text/html\"}";
        json::object headers;
        if (value.get_object().get(headers))
            return wrong(m_column, fmt::format("'headers' is wrong, {}", expected));
        for (auto result : headers) {
            json::field field;
            if (std::move(result).get(field))
                return notJson(m_column);
            m_column = columnOf(field.key().raw()) - 1;
            std::string_view name, text;
            if (field.unescaped_key().get(name))
                return notJson(m_column);
            HeaderField header{std::string{name}, {}};
            if (field.value().get_string().get(text))
                return wrong(m_column,
                    fmt::format("{} is wrong, {}", isToken(header.name) ? "header '" + shown(header.name) + "'" : "a header", expected));
            header.value = text;
            m_item.headers.push_back(std::move(header));
        }
        return true;
    }

    int columnOf(const char *at) const { return static_cast<int>(at - m_text.data()) + 1; }
    bool notJson(int column)
    {
        return wrong(column, "no JSON object that can be read from here on, expected one such as {\"url\": \"https://example.com/a\"}");
    }
    bool wrong(int column, std::string text)
    {
        m_problem = {column, std::move(text)};
        return false;
    }

    simdjson::padded_string m_text;
    Item m_item;
    std::vector<std::string> m_seen;
    int m_column = 1; ///< of what is being read
    LineProblem m_problem;
};

} // namespace

tl::expected<Item, LineProblem> itemFromUrl(std::string_view line)
{
    Item item;
    item.url = urlOf(line);
    const std::string problem = firstNonText(line) ? "no text, expected UTF-8" : urlProblem(item.url);
    if (!problem.empty())
        return tl::unexpected(LineProblem{1, problem});
    item.id = defaultId(item.url);
    return item;
}

tl::expected<Item, LineProblem> itemFromJson(std::string_view line)
{
    return ItemReader{line}.read();
}

} // namespace throttlescope::fetch
