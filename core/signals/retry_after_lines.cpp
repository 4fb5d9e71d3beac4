// SPDX-License-Identifier: Apache-2.0
#include "core/signals/retry_after_lines.h"

#include "core/signals/numbers.h"

#include <algorithm>

namespace throttlescope::signals {

namespace {

/// Where the next member ends: at a comma with white space behind it, or at the end.
std::size_t memberEnd(std::string_view text, std::size_t from)
{
    for (std::size_t comma = text.find(',', from); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
        if (comma + 1 < text.size() && (text[comma + 1] == ' ' || text[comma + 1] == '\t'))
            return comma;
    }
    return text.size();
}

std::optional<Told> folded(std::string_view text, Form form, const Clock &clock)
{
    std::optional<Told> longest;
    for (std::size_t start = 0; start < text.size();) {
        // A date has a comma of its own: what is no value alone is tried together with the next part, once.
        std::size_t end = memberEnd(text, start);
        auto told = valueOfForm(form, text.substr(start, end - start), clock);
        if (!told && end < text.size()) {
            end = memberEnd(text, end + 1);
            told = valueOfForm(form, text.substr(start, end - start), clock);
        }
        if (!told)
            return std::nullopt;
        if (!longest || told->delay > longest->delay)
            longest = told;
        start = end + 1;
        if (end < text.size() && trimmed(text.substr(start)).empty())
            return std::nullopt; // a comma at the end
    }
    return longest;
}

} // namespace

std::optional<Told> readRetryAfterValue(std::string_view text, Form form, const Clock &clock)
{
    const std::string_view value = trimmed(text);
    if (const auto told = valueOfForm(form, value, clock))
        return told;
    return value.find(',') == std::string_view::npos ? std::nullopt : folded(value, form, clock);
}

} // namespace throttlescope::signals
