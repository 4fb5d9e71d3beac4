// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/chunk.h"
#include "app/dashboard/session/run_worker.h"
#include "app/dashboard/session/traffic.h"

#include <QObject>
#include <QThread>
#include <atomic>
#include <memory>

namespace throttlescope::dashboard {

/// Runs traffic on a thread of its own and delivers its events in batches on the thread it lives in. One at a time: what is
/// started while another runs begins once that has ended, and of the older one nothing more is delivered.
class TrafficWorker final : public QObject {
    Q_OBJECT

public:
    explicit TrafficWorker(QObject *parent = nullptr);
    /// Waits for what runs: up to 20 ms, and for what a hostile peer holds on to.
    ~TrafficWorker() override;

    /// Returns the number of the run.
    quint64 start(std::unique_ptr<Traffic> traffic);
    /// finished() tells.
    void cancel();
    /// From now on. Of a run that has not begun yet nothing changes.
    void retune(Policies policies);

Q_SIGNALS:
    void batch(quint64 run, const throttlescope::dashboard::ChunkPointer &chunk);
    /// Time passes, whether anything happens or not.
    void progressed(quint64 run, const throttlescope::dashboard::RunProgress &progress);
    void retuned(quint64 run, const throttlescope::dashboard::Retuned &retuned);
    void said(quint64 run, const QString &line);
    void finished(quint64 run, const throttlescope::dashboard::RunEnd &end);

private:
    class Thread;

    void begin();
    void ended(Thread *thread);

    std::unique_ptr<Traffic> m_next;
    quint64 m_run = 0; ///< the newest
    std::unique_ptr<Thread> m_thread;
};

} // namespace throttlescope::dashboard
