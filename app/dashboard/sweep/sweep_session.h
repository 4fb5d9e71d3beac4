// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_result.h"

#include <QObject>
#include <QString>
#include <atomic>
#include <mutex>
#include <thread>

namespace throttlescope::dashboard {

/// A sweep that is open: read from a file of `sweep --out`, or made of the scenario in the window. What is to be run runs on a
/// thread of its own and is told as it comes, ever less often the more there is of it.
class SweepSession final : public QObject {
    Q_OBJECT

public:
    static constexpr auto kInterval = std::chrono::milliseconds{60}; ///< between two states that are told, at least

    explicit SweepSession(QObject *parent = nullptr);
    ~SweepSession() override;

    /// What is wrong with the file; empty: it is open. Its tipping points are looked for where it has none.
    QString open(const QString &file);
    /// Runs a sweep of that scenario.
    void start(SweepHeader header, const PolicyDraft &draft);
    /// At once; what has come stays.
    void cancel();
    /// Runs what is missing.
    void goOn();
    bool canGoOn() const { return !m_running && m_result && !m_result->isWhole() && !m_text.empty(); }
    bool isRunning() const { return m_running; }
    /// Waits for its end: for whoever has no event loop.
    void finish();

    const SweepPointer &result() const { return m_result; }
    QString failure() const { return m_failure; } ///< why a run could not go on
    /// The scenario's file, as one opens it from here; empty: it is not to be found.
    QString scenarioFile() const { return m_scenarioFile; }
    /// What one should know about the scenario: it is gone, or another than was swept. Empty: nothing.
    QString scenarioRemark() const { return m_remark; }

    /// A file as `sweep --out` writes it. Empty: done, else why not.
    QString saveTo(const QString &file) const;

Q_SIGNALS:
    void changed(); ///< there is more of it
    void stateChanged(); ///< it runs, or it ended

private:
    struct Letter {
        SweepPointer result;
        QString failure;
        bool isLast = false;
    };
    void findScenario(const QString &beside);
    void begin(bool runs);
    void work(SweepFile file, bool runs);
    void send(Letter letter);
    void take();
    void join();

    SweepPointer m_result;
    std::vector<SweepAxis> m_known; ///< what the scenario has for each axis
    std::string m_text; ///< of the scenario; empty: there is none
    QString m_scenarioFile, m_remark, m_failure;
    bool m_running = false;

    std::mutex m_mutex;
    std::optional<Letter> m_letter;
    std::atomic<bool> m_cancelled{false};
    std::thread m_thread; ///< last: it uses all of the above
};

} // namespace throttlescope::dashboard
