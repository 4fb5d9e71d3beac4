// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/refusal.h"

#include "core/signals/rate_limit_state.h"

#include <algorithm>

namespace throttlescope::incident {

namespace {

bool hasRetryAfter(const LogEntry &entry)
{
    return std::any_of(
        entry.limitHeaders.begin(), entry.limitHeaders.end(), [](const auto &header) { return header.first.starts_with("retry-after"); });
}

bool headersSayLimited(const LogEntry &entry)
{
    Response response;
    response.status = *entry.status;
    for (const auto &[name, value] : entry.limitHeaders)
        response.headers.push_back({name, value});
    return signals::read(response, entry.at).saysRateLimited;
}

bool isRefusal(const LogEntry &entry, const Evidence &evidence)
{
    if (!entry.status)
        return !evidence.limited.empty();
    if (*entry.status < 400)
        return false; // a proxy may have tried again behind the scenes: what the client got counts
    if (*entry.status == 429 || !evidence.limited.empty())
        return true;
    if (*entry.status == 503)
        return hasRetryAfter(entry) || (evidence.proxyAnswers503 && evidence.answeredBehind == false);
    return !entry.limitHeaders.empty() && headersSayLimited(entry);
}

} // namespace

void judge(LogEntry &entry, const Evidence &evidence)
{
    entry.refusedBy = RefusedBy::Nobody;
    entry.refusedHow.clear();
    if (!isRefusal(entry, evidence))
        return;
    if (!evidence.limited.empty()) {
        entry.refusedBy = RefusedBy::ThisProxy;
        entry.refusedHow = evidence.limited;
        return;
    }
    entry.refusedHow = evidence.how;
    if (evidence.clientsOwn || evidence.answeredBehind == true)
        entry.refusedBy = RefusedBy::Upstream;
    else
        entry.refusedBy = evidence.answeredBehind == false ? RefusedBy::ThisProxy : RefusedBy::Unknown;
}

} // namespace throttlescope::incident
