// SPDX-License-Identifier: Apache-2.0
#include "core/signals/found_lines.h"

#include "core/signals/numbers.h"

#include <algorithm>
#include <bit>

namespace throttlescope::signals {

void Detection::narrow(const HeaderEntry &entry, Form form)
{
    DialectSet dialects = 0;
    for (const DialectRow *row : entry.rows)
        dialects |= row->form == form && !row->onlyWhenNamed ? bit(row->dialect) : 0;
    narrow(dialects);
}

std::optional<Dialect> Detection::dialect() const
{
    const bool untold = m_dialects == ~DialectSet{0};
    return untold ? std::nullopt : std::optional{static_cast<Dialect>(std::countr_zero(m_dialects))};
}

void FoundLines::collect(const Headers &headers, const Dialect *named, Detection &detection)
{
    const HeaderIndex &index = HeaderIndex::instance();
    for (const HeaderField &field : headers) {
        if (sameHeaderName(field.name, "Date")) { // nearly every response has it
            date = date ? date : &field;
            continue;
        }
        const HeaderMatch match = index.find(field.name);
        const DialectRow *row = match.entry ? match.entry->row(named) : nullptr;
        if (row)
            take(field, match, *row, detection);
    }
}

void FoundLines::take(const HeaderField &field, const HeaderMatch &match, const DialectRow &row, Detection &detection)
{
    const DialectRow &common = *match.entry->rows.front();
    if (row.role == Role::Age) {
        age = age ? age : &field;
    } else if (common.form == Form::SecondsOrDate) {
        severalRetryAfter = retryAfter != nullptr;
        retryAfter = retryAfter ? retryAfter : &field;
        retryAfterRow = &row;
    } else if (lines.size() < kMostLines) {
        if (lines.empty())
            lines.reserve(12);
        detection.narrow(match.entry->dialects);
        lines.push_back({&field, match.entry, &row, std::string_view{field.name}.substr(match.wildcardAt, match.wildcardSize)});
    }
}

bool FoundLines::needNoClock() const
{
    constexpr std::size_t few = 8; // an epoch has more
    if (!retryAfter || severalRetryAfter || !lines.empty())
        return false;
    const std::string &value = retryAfter->value;
    return !value.empty() && value.size() <= few && std::all_of(value.begin(), value.end(), isDigit);
}

bool FoundLines::isFirst(const FoundLine &line) const
{
    return &*std::find_if(lines.begin(), lines.end(), [&line](const FoundLine &each) { return each.entry == line.entry; }) == &line;
}

std::string_view FoundLines::combined(const FoundLine &first, std::string &buffer) const
{
    const auto sameField = [&first](const FoundLine &each) { return each.entry == first.entry; };
    if (std::count_if(lines.begin(), lines.end(), sameField) == 1)
        return first.field->value;
    for (const FoundLine &line : lines) {
        if (sameField(line))
            buffer.append(buffer.empty() ? "" : ", ").append(line.field->value);
    }
    return buffer;
}

bool FoundLines::fromCache() const
{
    return age && digits(trimmed(age->value)).value_or(0) > 0;
}

} // namespace throttlescope::signals
