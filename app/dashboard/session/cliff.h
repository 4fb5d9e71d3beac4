// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/cliff_curve.h"

#include <QObject>
#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace throttlescope::dashboard {

using CurvePointer = std::shared_ptr<const CliffCurve>;

/// Computes the cliff under a slider on a thread of its own. The newest question is the only one; what was run once is
/// remembered by all that decides it but the knob itself, so that dragging the knob computes nothing again.
class Cliff final : public QObject {
    Q_OBJECT

public:
    static constexpr auto kInterval = std::chrono::milliseconds{30}; ///< between two curves that are not complete
    static constexpr std::size_t kMostRemembered = 32; ///< keys

    explicit Cliff(QObject *parent = nullptr);
    ~Cliff() override;

    void compute(CliffQuery query);
    void cancel();
    /// Runs that were really made, for whoever wants to know what the memory saves.
    std::uint64_t runs() const { return m_runs.load(); }

Q_SIGNALS:
    /// A curve of the newest question: at once what is known, then finer, `complete` at last.
    void changed(const throttlescope::dashboard::CurvePointer &curve);

private:
    void work();
    void answer(const CliffQuery &query);
    void publish(const CliffCurve &curve);
    void deliver();
    CliffPoints &remembered(const std::string &key);

    std::mutex m_mutex;
    std::condition_variable m_woken;
    std::optional<CliffQuery> m_next;
    CurvePointer m_curve; ///< to deliver
    bool m_quit = false;
    std::atomic<bool> m_cancelled{false};
    std::atomic<std::uint64_t> m_runs{0};

    std::list<std::pair<std::string, CliffPoints>> m_memory; ///< of the thread; the newest first
    std::thread m_thread; ///< last: it uses all of the above
};

} // namespace throttlescope::dashboard
