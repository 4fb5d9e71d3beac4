// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>
#include <string>

namespace throttlescope::dashboard {

/// Reloads a scenario file that changes on disk, also where an editor saves it by renaming another over it. A broken file is
/// told with its places, and the last good scenario stays.
class ScenarioWatch final : public QObject {
    Q_OBJECT

public:
    /// Editors write in several steps: what is read is the file after a moment without a change.
    static constexpr auto kSettle = std::chrono::milliseconds{50};

    explicit ScenarioWatch(QObject *parent = nullptr);

    /// Reads the file now and watches it from now on, in place of another. `options` as those of the command line.
    tl::expected<void, LoadErrors> open(const QString &file, const LoadOptions &options = {});
    void close();

    QString file() const { return m_file; }
    /// The last good one; null before there is any.
    const ScenarioPointer &scenario() const { return m_scenario; }
    const std::string &text() const { return m_text; }
    /// What is wrong with the file as it is now; empty: nothing.
    const LoadErrors &errors() const { return m_errors; }

Q_SIGNALS:
    void reloaded(const throttlescope::dashboard::ScenarioPointer &scenario, const std::string &text);
    void broken(const throttlescope::dashboard::LoadErrors &errors);

private:
    void look();
    bool read();
    void watch();

    QString m_file;
    LoadOptions m_options;
    QFileSystemWatcher m_watcher;
    QTimer m_settle;
    ScenarioPointer m_scenario;
    std::string m_text; ///< of the last good one
    std::string m_seen; ///< what was read last, good or not, and the traces beside it
    LoadErrors m_errors;
};

} // namespace throttlescope::dashboard
