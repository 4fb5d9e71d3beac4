// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/edits.h"

#include <algorithm>
#include <string_view>

namespace throttlescope::dashboard {

namespace {

bool endsWith(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The other key of a backoff that says the same thing as this edit, or nothing.
std::string contradictedBy(const Edit &edit)
{
    constexpr std::string_view kind = "backoff.kind", sequence = "backoff.sequence";
    if (endsWith(edit.path, sequence))
        return edit.path.substr(0, edit.path.size() - sequence.size()) + std::string{kind};
    if (endsWith(edit.path, kind) && edit.value != "sequence")
        return edit.path.substr(0, edit.path.size() - kind.size()) + std::string{sequence};
    return {};
}

} // namespace

Edits withoutEdit(Edits edits, const std::string &path)
{
    edits.erase(std::remove_if(edits.begin(), edits.end(),
                    [&path](const Edit &edit) { return edit.path == path || edit.path.rfind(path + '.', 0) == 0; }),
        edits.end());
    return edits;
}

Edits withEdit(Edits edits, const Edit &edit)
{
    edits = withoutEdit(std::move(edits), edit.path); // also what stands in the map that is replaced
    if (const std::string other = contradictedBy(edit); !other.empty())
        edits = withoutEdit(std::move(edits), other);
    edits.push_back(edit);
    return edits;
}

std::string shellWord(const std::string &text)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view{"_-./=:%+,@"}.find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain))
        return text;
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return quoted + '\'';
}

} // namespace throttlescope::dashboard
