// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/filter_keys.h"

#include "core/engine/words.h"
#include "simulator/scenario/problems.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

enum class Takes : std::uint8_t { Number, Status, Moment, Name, Words, EventName, OutcomeWord, ResultWord, ReasonWord };

struct KeyRow {
    FilterKey key;
    Takes takes;
    FilterHelp help;
};

constexpr std::array<KeyRow, 14> kKeys{{
    {FilterKey::Op, Takes::Number, {"op", "a number, 3..9, < <= > >=", "the operation's number", "op:31"}},
    {FilterKey::Event, Takes::EventName, {"event", "the beginning of an event's name", "events of these kinds", "event:rate_limit"}},
    {FilterKey::Operation, Takes::Name, {"operation", "a name, or its beginning and *", "the operation's name", "operation:convert"}},
    {FilterKey::Server, Takes::Name, {"server", "a name, or its beginning and *", "the server's name", "server:api|backup*"}},
    {FilterKey::Attempt, Takes::Number, {"attempt", "a number, 2..4, < <= > >=", "the number of the attempt", "attempt>=2"}},
    {FilterKey::Status, Takes::Status, {"status", "a number, 4xx, 500..504, < <= > >=", "the status of a response", "status:429|5xx"}},
    {FilterKey::Outcome, Takes::OutcomeWord,
        {"outcome", "success, rate_limited, ambiguous, transport, interrupted, permanent or cancelled", "how an attempt ended",
            "outcome:ambiguous|transport"}},
    {FilterKey::Result, Takes::ResultWord,
        {"result", "succeeded, failed, rejected, cancelled or unfinished", "how an operation ended", "-result:succeeded"}},
    {FilterKey::Reason, Takes::ReasonWord, {"reason", "a reason for a refusal", "why it was refused or rejected", "reason:wait_exceeded"}},
    {FilterKey::Wait, Takes::Moment,
        {"wait", "a duration, 1s..1m, < <= > >=", "the delay asked for, scheduled, refused or slept", "wait>30s"}},
    {FilterKey::Took, Takes::Moment, {"took", "a duration, 1s..1m, < <= > >=", "how long an attempt took", "took>=500ms"}},
    {FilterKey::Time, Takes::Moment, {"t", "a duration, 1m..2m, < <= > >=", "when, since the start of the run", "t>1m30s"}},
    {FilterKey::Label, Takes::Words,
        {"label", "a part of a label's name", "while that label of the scenario holds", "label:\"db failover\""}},
    {FilterKey::Words, Takes::Words, {"", "any word; quotes keep spaces together", "the text of the row", "\"too early\""}},
}};

const KeyRow &rowOf(FilterKey key)
{
    return *std::find_if(kKeys.begin(), kKeys.end(), [key](const KeyRow &row) { return row.key == key; });
}

template <typename E>
std::vector<std::string> wordsOf(int count)
{
    std::vector<std::string> words;
    for (int i = 0; i < count; ++i)
        words.emplace_back(word(static_cast<E>(i)));
    return words;
}

using Value = tl::expected<FilterValue, std::string>;

Value oneOf(std::string_view text, const std::vector<std::string> &known)
{
    const auto found = std::find(known.begin(), known.end(), loweredText(text));
    if (found == known.end())
        return tl::unexpected(fmt::format("no '{}'{}", shown(text), suggestion(text, known)));
    const auto index = found - known.begin();
    return FilterValue{*found, index, index, false};
}

Value eventNamed(std::string_view text)
{
    const std::string beginning = loweredText(text);
    std::vector<std::string> names;
    for (std::size_t kind = 0; kind < kEventKinds; ++kind)
        names.emplace_back(eventName(static_cast<EventKind>(kind)));
    if (std::none_of(names.begin(), names.end(), [&](const std::string &name) { return name.rfind(beginning, 0) == 0; }))
        return tl::unexpected(fmt::format("no event begins with '{}'{}", shown(text), suggestion(text, names)));
    return FilterValue{beginning, 0, 0, true};
}

/// "5xx": all of them.
std::optional<FilterValue> statusClass(std::string_view text)
{
    if (text.size() != 3 || text[0] < '1' || text[0] > '9' || loweredText(text.substr(1)) != "xx")
        return std::nullopt;
    const std::int64_t first = (text[0] - '0') * 100;
    return FilterValue{{}, first, first + 99, false};
}

Value singleNumber(Takes takes, std::string_view text)
{
    if (takes == Takes::Moment)
        return parseDuration(text).map([](Duration duration) { return FilterValue{{}, duration.count(), duration.count(), false}; });
    if (takes == Takes::Status) {
        if (const auto all = statusClass(text))
            return *all;
    }
    return parseInteger(text).map([](std::int64_t number) { return FilterValue{{}, number, number, false}; });
}

Value numberOrRange(Takes takes, std::string_view text)
{
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos)
        return singleNumber(takes, text);
    const auto low = singleNumber(takes, text.substr(0, dots));
    const auto high = singleNumber(takes, text.substr(dots + 2));
    if (!low || !high)
        return low ? high : low;
    if (high->high < low->low)
        return tl::unexpected(fmt::format("'{}' runs backwards, expected the lesser one first", shown(text)));
    return FilterValue{{}, low->low, high->high, false};
}

Value nameOf(std::string_view text, bool quoted)
{
    const bool prefix = !quoted && text.back() == '*';
    return FilterValue{std::string{text.substr(0, text.size() - (prefix ? 1 : 0))}, 0, 0, prefix};
}

} // namespace

std::optional<FilterKey> filterKey(std::string_view name)
{
    const std::string lower = loweredText(name);
    const auto found = std::find_if(kKeys.begin(), kKeys.end(), [&lower](const KeyRow &row) { return row.help.key == lower; });
    return found == kKeys.end() ? std::nullopt : std::optional{found->key};
}

std::vector<std::string> filterKeyNames()
{
    std::vector<std::string> names;
    for (const KeyRow &row : kKeys) {
        if (!row.help.key.empty())
            names.emplace_back(row.help.key);
    }
    return names;
}

std::string_view valuesOf(FilterKey key)
{
    return rowOf(key).help.values;
}

bool isNumeric(FilterKey key)
{
    const Takes takes = rowOf(key).takes;
    return takes == Takes::Number || takes == Takes::Status || takes == Takes::Moment;
}

std::optional<Comparison> comparisonAt(std::string_view text, std::size_t &at)
{
    static constexpr std::pair<std::string_view, Comparison> spellings[] = {{"<=", Comparison::AtMost}, {">=", Comparison::AtLeast},
        {"<", Comparison::Below}, {">", Comparison::Above}, {":", Comparison::Is}, {"=", Comparison::Is}};
    for (const auto &[spelling, comparison] : spellings) {
        if (text.substr(at, spelling.size()) == spelling) {
            at += spelling.size();
            return comparison;
        }
    }
    return std::nullopt;
}

tl::expected<FilterValue, std::string> parseFilterValue(const FilterTerm &term, std::string_view text, bool quoted)
{
    const Takes takes = rowOf(term.key).takes;
    switch (takes) {
    case Takes::Number:
    case Takes::Status:
    case Takes::Moment: return numberOrRange(takes, text);
    case Takes::Name: return nameOf(text, quoted);
    case Takes::Words: return FilterValue{loweredText(text), 0, 0, false};
    case Takes::EventName: return eventNamed(text);
    case Takes::OutcomeWord: return oneOf(text, wordsOf<AttemptOutcome>(kAttemptOutcomes));
    case Takes::ResultWord: return oneOf(text, wordsOf<Result>(5));
    case Takes::ReasonWord: return oneOf(text, wordsOf<RefusalReason>(17));
    }
    return FilterValue{};
}

std::string loweredText(std::string_view text)
{
    std::string lower{text};
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return lowered(c); });
    return lower;
}

const std::vector<FilterHelp> &filterHelp()
{
    static const std::vector<FilterHelp> help = [] {
        std::vector<FilterHelp> rows;
        for (const KeyRow &row : kKeys)
            rows.push_back(row.help);
        return rows;
    }();
    return help;
}

} // namespace throttlescope::dashboard
