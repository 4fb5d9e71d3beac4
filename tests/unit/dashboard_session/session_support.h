// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/dashboard/session/policy_draft.h"

#include <QFile>
#include <QString>
#include <string>

namespace throttlescope::dashboard {

inline const std::string kMinuteWindow = THROTTLESCOPE_SOURCE_DIR "/scenarios/minute-window.yaml";

inline std::string fileText(const std::string &path)
{
    QFile file{QString::fromStdString(path)};
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string{};
}

/// A draft of a text that is known to load.
inline PolicyDraft draftOf(const std::string &text, const std::string &file = "s.yaml")
{
    auto draft = PolicyDraft::open(text, file);
    if (!draft)
        qFatal("%s", draft.error().front().format().c_str());
    return std::move(*draft);
}

inline PolicyDraft minuteWindow()
{
    return draftOf(fileText(kMinuteWindow), kMinuteWindow);
}

/// One operation a row, one policy `p`, one server.
inline std::string scenarioText(const std::string &policy, const std::string &row = "")
{
    return "throttlescope: 1\nservers: {api: {limits: [{name: minute, quota: 30, per: 1m}]}}\npolicies: {p: " + policy
        + ", v1.2: {}}\nworkload: [{operation: call, server: api, policy: p, arrivals: {batch: 1}" + (row.empty() ? "" : ", " + row)
        + "}]\n";
}

} // namespace throttlescope::dashboard
