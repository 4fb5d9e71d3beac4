// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/json_reader.h"

#include "simulator/incident/entry_fields.h"
#include "simulator/incident/json_fault.h"

#include <fmt/format.h>

#include <cmath>

namespace throttlescope::incident {

using simdjson::dom::element;

std::string_view JsonMembers::text(std::string_view key) const
{
    std::string_view value;
    return m_object.at_key(key).get(value) ? std::string_view{} : value;
}

std::optional<std::uint64_t> JsonMembers::count(std::string_view key) const
{
    return countOf(scalar(key));
}

std::optional<JsonMembers> JsonMembers::object(std::string_view key) const
{
    simdjson::dom::object found;
    return m_object.at_key(key).get(found) ? std::nullopt : std::optional{JsonMembers{found}};
}

std::optional<element> JsonMembers::element(std::string_view key) const
{
    simdjson::dom::element found;
    if (!m_object.at_key(key).get(found))
        return found;
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    const auto inner = object(key.substr(0, dot));
    return inner ? inner->element(key.substr(dot + 1)) : std::nullopt;
}

std::string JsonMembers::scalarOf(const std::optional<simdjson::dom::element> &found)
{
    if (!found)
        return {};
    std::string_view text;
    std::int64_t whole = 0;
    std::uint64_t large = 0;
    double real = 0;
    if (!found->get(text))
        return std::string{text};
    if (!found->get(whole))
        return fmt::format("{}", whole);
    if (!found->get(large))
        return fmt::format("{}", large);
    // The shortest text that reads as this number is what the log has, but for an exponent.
    if (!found->get(real))
        return std::abs(real) < 1e15 && std::abs(real) >= 1e-4 ? fmt::format("{}", real) : fmt::format("{:.9f}", real);
    return {};
}

std::string_view JsonMembers::firstText(simdjson::dom::element found)
{
    std::string_view text;
    if (!found.get(text))
        return text;
    simdjson::dom::array items;
    if (found.get(items) || items.begin() == items.end() || (*items.begin()).get(text))
        return {};
    return text;
}

Reading JsonReader::read(std::string_view line, LogEntry &entry)
{
    m_line = line;
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] != '{')
        return malformed(begin == std::string_view::npos ? 1 : begin + 1, "expected a JSON object");
    m_padded.reserve(line.size() + simdjson::SIMDJSON_PADDING);
    m_padded.assign(line);
    simdjson::dom::object object;
    if (m_parser.parse(m_padded.data(), m_padded.size(), false).get(object)) {
        const Complaint fault = jsonFault(line);
        return malformed(fault.column, fault.what);
    }
    clear(entry);
    return readObject(JsonMembers{object}, entry);
}

Reading JsonReader::wrong(std::string_view key, std::string_view what)
{
    const std::size_t last = key.rfind('.') + 1; // npos + 1 is 0
    const std::size_t found = m_line.find(fmt::format("\"{}\"", key.substr(last)));
    return malformed(found == std::string_view::npos ? 1 : found + 1, what);
}

bool JsonReader::setStatus(LogEntry &entry, const std::optional<simdjson::dom::element> &element)
{
    if (!element || element->is_null())
        return true;
    const std::string text = JsonMembers::scalarOf(element);
    const auto status = text.empty() ? std::optional<std::optional<int>>{std::in_place} : statusOf(text);
    if (!status)
        return false;
    entry.status = *status;
    return true;
}

void JsonReader::addHeaders(LogEntry &entry, const std::optional<JsonMembers> &headers)
{
    if (!headers)
        return;
    for (const auto &[name, value] : headers->all())
        addHeader(entry, name, JsonMembers::firstText(value));
}

} // namespace throttlescope::incident
