// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/faults.h"

#include <algorithm>

namespace throttlescope {

Faults::Faults(std::string_view server, const std::vector<TimelineEntry> &timeline, const Draw &draw) : m_draw(draw)
{
    for (const TimelineEntry &entry : timeline) {
        if (entry.server == server && !entry.faults.empty())
            m_entries.push_back(&entry);
    }
}

const FaultShare *Faults::at(MonotonicTime now, const Request &request) const
{
    std::optional<double> draw;
    double reached = 0;
    for (const TimelineEntry *entry : m_entries) {
        const MonotonicTime begin{entry->at};
        if (now < begin || (entry->span && now >= saturatingAdd(begin, *entry->span)))
            continue;
        for (const FaultShare &fault : entry->faults) {
            if (!draw)
                draw = m_draw({Stream::NetworkFault, request.drawKey, request.attempt});
            reached += fault.share;
            if (*draw < reached)
                return &fault;
        }
    }
    return nullptr;
}

namespace {

bool meets(const ScriptWhen &when, const Request &request)
{
    if (when.operation && *when.operation != request.operation)
        return false;
    if (when.attempt && static_cast<std::uint32_t>(*when.attempt) != request.attempt)
        return false;
    if (when.method && *when.method != request.method)
        return false;
    if (when.path && *when.path != request.path)
        return false;
    return std::all_of(when.headers.begin(), when.headers.end(), [&request](const HeaderField &wanted) {
        const std::string *value = request.headers ? findHeader(*request.headers, wanted.name) : nullptr;
        return value && *value == wanted.value;
    });
}

} // namespace

Script::Script(const std::vector<ScriptEntry> &entries) : m_entries(entries), m_progress(entries.size()) {}

const ScriptAnswer *Script::answer(const Request &request)
{
    const ScriptAnswer *answer = nullptr;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const ScriptEntry &entry = m_entries[i];
        if (!meets(entry.when, request))
            continue;
        const std::uint64_t number = ++m_progress[i].matched; // counted also where an earlier entry answers
        if (answer || (entry.when.nth && *entry.when.nth != number) || (entry.times && m_progress[i].used >= *entry.times))
            continue;
        ++m_progress[i].used;
        answer = &entry.answer;
    }
    return answer;
}

} // namespace throttlescope
