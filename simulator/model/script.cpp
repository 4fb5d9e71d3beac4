// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/script.h"

#include <algorithm>

namespace throttlescope::model {

namespace {

bool hasHeader(const Headers *headers, const HeaderField &wanted)
{
    return headers && std::any_of(headers->begin(), headers->end(), [&](const HeaderField &field) {
        return field.value == wanted.value && sameHeaderName(field.name, wanted.name);
    });
}

/// Every key but `nth`.
bool meets(const ScriptWhen &when, const Request &request)
{
    return (!when.operation || *when.operation == request.operation) && (!when.attempt || std::cmp_equal(*when.attempt, request.attempt))
        && (!when.method || *when.method == request.method) && (!when.path || *when.path == request.path)
        && std::all_of(
            when.headers.begin(), when.headers.end(), [&](const HeaderField &field) { return hasHeader(request.headers, field); });
}

} // namespace

Script::Script(const std::vector<ScriptEntry> &entries)
{
    m_rows.reserve(entries.size());
    for (const auto &entry : entries)
        m_rows.push_back({&entry});
}

const ScriptAnswer *Script::answer(const Request &request)
{
    const ScriptAnswer *answer = nullptr;
    // To the end, also when one has answered: the others go on counting what they meet.
    for (auto &row : m_rows) {
        const auto &[when, times, what] = *row.entry;
        if (!meets(when, request))
            continue;
        ++row.met;
        if (answer || (when.nth && *when.nth != row.met) || (times && row.used >= *times))
            continue;
        ++row.used;
        answer = &what;
    }
    return answer;
}

} // namespace throttlescope::model
