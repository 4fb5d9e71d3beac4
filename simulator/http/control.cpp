// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/control.h"

#include "simulator/scenario/text_values.h"

#include <fmt/format.h>

namespace throttlescope::http {

namespace {

/// The value of a query's key, as it stands there.
std::optional<std::string_view> queryValue(std::string_view target, std::string_view key)
{
    const std::size_t question = target.find('?');
    std::string_view query = question == std::string_view::npos ? std::string_view{} : target.substr(question + 1);
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        if (pair.size() > key.size() && pair.substr(0, key.size()) == key && pair[key.size()] == '=')
            return pair.substr(key.size() + 1);
    }
    return std::nullopt;
}

ControlRequest readAdvance(const ReceivedRequest &request)
{
    const auto by = queryValue(request.target, "by");
    const auto span = by ? parseDuration(*by) : Parsed<Duration>{};
    if (!by || !span || *span < Duration::zero())
        return NotUnderstood{400, "advance?by=DURATION, such as by=30s\n"};
    return Advance{*span};
}

} // namespace

ControlRequest readControl(const ReceivedRequest &request)
{
    const std::string_view what = request.path().substr(kControlPrefix.size());
    const bool reads = request.method == "GET" || request.method == "HEAD";
    const bool changes = request.method == "POST";
    const auto only = [&](bool allowed, ControlRequest asked, std::string_view method) -> ControlRequest {
        return allowed ? std::move(asked) : NotUnderstood{405, fmt::format("{} is asked for by {}\n", what, method)};
    };
    if (what == "health")
        return only(reads, AskHealth{}, "GET");
    if (what == "state")
        return only(reads, AskState{}, "GET");
    if (what == "journal")
        return only(reads, AskJournal{}, "GET");
    if (what == "reset")
        return only(changes, Reset{}, "POST");
    if (what == "advance")
        return changes ? readAdvance(request) : only(false, Reset{}, "POST");
    return NotUnderstood{404, "Known are health, state, journal, reset and advance.\n"};
}

} // namespace throttlescope::http
