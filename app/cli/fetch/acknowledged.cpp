// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/acknowledged.h"

#include "app/cli/fetch/lines.h"
#include "app/cli/fetch/worklist_line.h"
#include "simulator/scenario/file_text.h"

#include <fmt/format.h>

namespace throttlescope::fetch {

namespace {

constexpr std::uintmax_t kLargestList = std::uintmax_t{1} << 28;

} // namespace

OrProblem<Acknowledged> readAcknowledged(const std::filesystem::path &file, const std::vector<Item> &items)
{
    const auto text = readFile(file, kLargestList);
    if (!text)
        return usage(fmt::format("{}:1:1: {}", file.string(), text.error()));
    std::set<std::string_view> known;
    for (const Item &item : items)
        known.insert(item.id);
    Acknowledged acknowledged;
    eachLine(*text, [&](int number, std::string_view line) {
        const std::string_view content = trimmed(line);
        if (content.empty() || content.front() == '#')
            return;
        std::string id = shownId(std::string{content});
        const auto asUrl = itemFromUrl(content);
        if (!known.contains(id) && asUrl)
            id = asUrl->id;
        if (known.contains(id))
            acknowledged.ids.insert(std::move(id));
        else
            acknowledged.strangers.push_back(
                {file.string(), {number, 1}, fmt::format("'{}' is not in the worklist, expected an id of it", shown(id))});
    });
    return acknowledged;
}

} // namespace throttlescope::fetch
