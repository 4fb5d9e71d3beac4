// SPDX-License-Identifier: Apache-2.0
#include "core/signals/counters.h"

#include "core/signals/numbers.h"

#include <algorithm>

namespace throttlescope::signals {

namespace {

/// Cuts the part before the first of `separators` off, trimmed; the rest stands behind it.
std::string_view cut(std::string_view &rest, std::string_view separators)
{
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    const std::string_view part = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
    return part;
}

using Entry = std::optional<WindowBook::Entry>;

/// "32/40": used first.
bool usedOfLimit(std::string_view text, Entry entry)
{
    const auto used = countValue(cut(text, "/"));
    const auto limit = countValue(text);
    if (!used || !limit)
        return false;
    if (entry) {
        entry->window.limit = *limit;
        entry->source.used = *used;
    }
    return true;
}

/// "api-usage=25/5000; per-app-api-usage=17/250(appName=sample-app)"
bool namedUsedOfLimit(std::string_view text, std::uint8_t group, WindowBook &book)
{
    while (!text.empty()) {
        std::string_view part = cut(text, ";,");
        const std::string_view name = cut(part, "=");
        if (!usedOfLimit(cut(part, "("), book.at(group, name)))
            return false;
    }
    return true;
}

/// "total=100; remaining=99; resets=41": looks like a structured field and is none.
bool totalRemainingResets(const HeaderField &field, Entry entry)
{
    std::string_view text = field.value;
    bool any = false;
    while (!text.empty()) {
        std::string_view part = cut(text, ";,");
        const std::string_view name = cut(part, "=");
        const auto number = countValue(part);
        if (!number)
            return false;
        any = true;
        if (!entry)
            continue;
        if (name == "total")
            entry->window.limit = *number;
        else if (name == "remaining")
            entry->window.remaining = *number;
        else if (const auto delay = valueOfForm(Form::Seconds, part, {}); name == "resets" && delay)
            WindowBook::setReset(*entry, *delay, field);
    }
    return any;
}

/// "Microsoft.Compute/GetVMScaleSet3Min;197,Microsoft.Compute/GetVMScaleSet30Min;1297"
bool namedCounts(std::string_view text, std::uint8_t group, WindowBook &book)
{
    bool any = false;
    while (!text.empty()) {
        std::string_view part = cut(text, ",");
        const std::string_view name = cut(part, ";");
        const auto number = countValue(part);
        if (name.empty() || !number)
            return false;
        any = true;
        if (const auto entry = book.at(group, name))
            entry->window.remaining = *number;
    }
    return any;
}

/// "60:transaction:key, 2700:default;error;security:organization": each is a refusal in force for so many seconds.
bool secondsScopes(const HeaderField &field, std::uint8_t group, WindowBook &book)
{
    std::string_view text = field.value;
    bool any = false;
    while (!text.empty()) {
        std::string_view part = cut(text, ",");
        const auto delay = valueOfForm(Form::Seconds, cut(part, ":"), {});
        if (!delay)
            return false;
        any = true;
        const auto entry = book.at(group, cut(part, ":"));
        if (!entry)
            continue;
        entry->window.remaining = 0;
        WindowBook::setReset(*entry, *delay, field);
    }
    return any;
}

} // namespace

std::optional<std::uint64_t> countValue(std::string_view text)
{
    const auto number = decimal(trimmed(text));
    return number ? std::optional{static_cast<std::uint64_t>(number->whole)} : std::nullopt;
}

bool isNegativeNumber(std::string_view text)
{
    const std::string_view value = trimmed(text);
    return !value.empty() && value.front() == '-' && decimal(value.substr(1)).has_value();
}

bool readCounters(Form form, std::uint8_t group, std::string_view window, const HeaderField &field, WindowBook &book)
{
    switch (form) {
    case Form::UsedOfLimit: return usedOfLimit(field.value, book.at(group, window));
    case Form::NamedUsedOfLimit: return namedUsedOfLimit(field.value, group, book);
    case Form::TotalRemainingResets: return totalRemainingResets(field, book.at(group, window));
    case Form::NamedCounts: return namedCounts(field.value, group, book);
    case Form::SecondsScopes: return secondsScopes(field, group, book);
    case Form::SecondsOrDate:
    case Form::Count:
    case Form::CountAndPolicies:
    case Form::CountAndLength:
    case Form::Seconds:
    case Form::Milliseconds:
    case Form::WholeMilliseconds:
    case Form::EpochSeconds:
    case Form::EpochMilliseconds:
    case Form::UnitDuration:
    case Form::HttpDate:
    case Form::Iso8601:
    case Form::JavaScriptDate:
    case Form::Dictionary:
    case Form::List:
    case Form::Word: break;
    }
    return false;
}

} // namespace throttlescope::signals
