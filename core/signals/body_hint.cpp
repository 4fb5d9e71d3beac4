// SPDX-License-Identifier: Apache-2.0
#include "core/signals/body_hint.h"

#include "core/signals/numbers.h"
#include "core/signals/why.h"

#include <algorithm>
#include <fmt/format.h>
#include <simdjson.h>

namespace throttlescope::signals {

namespace {

using simdjson::dom::element;

/// "[@type=type.googleapis.com/…]": the array's element that has this member. The segment ends at the bracket.
std::optional<element> picked(element from, std::string_view segment)
{
    const std::size_t equals = segment.find('=');
    simdjson::dom::array array;
    if (equals == std::string_view::npos || from.get_array().get(array))
        return std::nullopt;
    const std::string_view key = segment.substr(1, equals - 1);
    const std::string_view value = segment.substr(equals + 1, segment.size() - equals - 2);
    for (const element each : array) {
        std::string_view text;
        if (!each.at_key(key).get_string().get(text) && text == value)
            return each;
    }
    return std::nullopt;
}

std::optional<element> found(element from, std::string_view pointer)
{
    while (!pointer.empty()) {
        pointer.remove_prefix(1); // the slash
        const bool picks = !pointer.empty() && pointer.front() == '[';
        const std::size_t end = std::min(picks ? pointer.find(']') + 1 : pointer.find('/'), pointer.size());
        const std::string_view segment = pointer.substr(0, end);
        pointer.remove_prefix(end);
        element next;
        std::size_t index = 0;
        if (picks) {
            const auto choice = picked(from, segment);
            if (!choice)
                return std::nullopt;
            next = *choice;
        } else if (from.is_array() && segment.size() == 1 && isDigit(segment.front())) {
            index = static_cast<std::size_t>(segment.front() - '0');
            if (from.at(index).get(next))
                return std::nullopt;
        } else if (from.at_key(segment).get(next)) {
            return std::nullopt;
        }
        from = next;
    }
    return from;
}

/// A number's text as its value reads: the notation in the body (1e3, 64.570) does not matter.
std::optional<std::string> textOf(element value)
{
    std::string_view text;
    if (!value.get_string().get(text))
        return std::string{text};
    std::uint64_t whole = 0;
    if (!value.get_uint64().get(whole))
        return fmt::format("{}", whole);
    double number = 0;
    if (value.get_double().get(number) || !(number >= 0) || number > 1e15)
        return std::nullopt;
    return fmt::format("{:.9f}", number);
}

std::optional<BodyHint> hintOf(const BodyRow &row, element document, const Clock &clock)
{
    const auto value = found(document, row.pointer);
    const auto text = value ? textOf(*value) : std::nullopt;
    auto told = text ? valueOfForm(row.form, *text, clock) : std::nullopt;
    if (!told)
        return std::nullopt;
    return BodyHint{*told, row.dialect, row.pointer, std::string{shown(*text)}};
}

} // namespace

std::optional<BodyHint> readBodyHint(std::string_view body, const Dialect *named, const Clock &clock)
{
    // Cheap tests first: an error page, or a body that speaks of no retry, is not parsed.
    const std::size_t start = std::min(body.find_first_not_of(" \t\r\n"), body.size());
    if (start == body.size() || (body[start] != '{' && body[start] != '[') || body.find("retry") == std::string_view::npos)
        return std::nullopt;
    simdjson::dom::parser parser;
    element document;
    if (parser.parse(body.data(), body.size()).get(document))
        return std::nullopt;
    const auto rows = bodyRows();
    const bool own = named && std::any_of(rows.begin(), rows.end(), [named](const BodyRow &row) { return row.dialect == *named; });
    for (const BodyRow &row : rows) {
        if (own ? row.dialect != *named : row.onlyWhenNamed)
            continue;
        if (auto hint = hintOf(row, document, clock))
            return hint;
    }
    return std::nullopt;
}

} // namespace throttlescope::signals
