// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/run_policies.h"

#include "simulator/scenario/text_values.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace throttlescope::dashboard {

std::optional<Duration> maxWaitOf(const EventStore &store)
{
    if (store.rowCount() == 0 || store.kind(0) != EventKind::RunStarted)
        return std::nullopt;
    EventBuffer buffer;
    const std::string_view text = std::get<journal::RunStarted>(store.event(0, buffer).payload).policiesJson;
    const QJsonObject policies = QJsonDocument::fromJson(QByteArray{text.data(), static_cast<qsizetype>(text.size())}).object();
    std::optional<Duration> limit;
    for (const auto &policy : policies) {
        const QJsonValue written = policy.toObject()[QLatin1String{"rate_limit"}][QLatin1String{"max_wait"}];
        const auto wait = parseDuration(written.toString().toStdString());
        if (!wait || (limit && limit != *wait))
            return std::nullopt;
        limit = *wait;
    }
    return limit;
}

} // namespace throttlescope::dashboard
