// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/run_clock.h"
#include "app/dashboard/session/run_pass.h"

#include <QObject>
#include <QString>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

namespace throttlescope::dashboard {

/// How a run is played.
struct Playback {
    std::optional<double> speed; ///< scenario seconds a second; none: as fast as it goes
    bool paused = false;
    bool operator==(const Playback &) const = default;
};

struct RunProgress {
    MonotonicTime reached; ///< everything up to here has been delivered
    std::uint64_t operations = 0;
    std::uint64_t attempts = 0;
};

struct RunEnd {
    std::shared_ptr<const RunReport> report; ///< never null; `interrupted`: it was cancelled
    QString failure; ///< why it could not go on; empty: it went to its end
    MonotonicTime finish;
};

/// Runs scenarios in virtual time on a thread of its own and delivers their events in batches on the thread it lives in, one
/// batch a turn of the event loop. Every run has a generation; of an older one nothing is delivered once another was started.
/// What-if is a start with the edited scenario: the draws are keyed, so that they are identical.
class RunWorker final : public QObject {
    Q_OBJECT

public:
    static constexpr auto kBatchInterval = std::chrono::milliseconds{30};
    static constexpr auto kFrame = std::chrono::milliseconds{10}; ///< of a played run
    static constexpr std::size_t kMostUndelivered = 8; ///< batches; then the run waits

    explicit RunWorker(std::unique_ptr<RunClock> clock = std::make_unique<RunClock>(), QObject *parent = nullptr);
    ~RunWorker() override;

    /// Ends what runs and begins anew. Returns the new generation.
    quint64 start(ScenarioPointer scenario, const Playback &playback = {}, std::uint64_t mostOpen = Simulation::kMostOpen);
    quint64 generation() const { return m_generation; }
    /// The run ends where it is: finished() tells.
    void cancel();

    void pause();
    void resume();
    void setSpeed(std::optional<double> speed);
    /// Pauses, if it runs, and goes on to the next event of interest.
    void step();
    /// Changes the running policies from now on, to what they are in this scenario.
    void retune(ScenarioPointer scenario);
    /// For a clock that was moved by hand.
    void wake();

Q_SIGNALS:
    void batch(quint64 generation, const throttlescope::dashboard::ChunkPointer &chunk);
    /// After a batch, and while a played run moves through a silence.
    void progressed(quint64 generation, const throttlescope::dashboard::RunProgress &progress);
    /// Paused, or a step was done: everything up to there has been delivered.
    void halted(quint64 generation, const throttlescope::dashboard::RunProgress &progress);
    void retuned(quint64 generation, const throttlescope::dashboard::Retuned &retuned);
    void finished(quint64 generation, const throttlescope::dashboard::RunEnd &end);

private:
    struct Batch {
        ChunkPointer chunk; ///< may be null: time has passed, nothing happened
        RunProgress progress;
    };
    struct Halt {
        RunProgress progress;
    };
    struct Letter {
        quint64 generation = 0;
        std::variant<Batch, Halt, Retuned, RunEnd> content;
    };
    struct Job {
        quint64 generation = 0;
        ScenarioPointer scenario;
        std::uint64_t mostOpen = 0;
    };
    struct Orders {
        Playback playback;
        bool step = false;
        bool fresh = false; ///< something changed since they were last taken
        ScenarioPointer retune;
    };
    class Drive;

    void work();
    Orders takeOrders();
    template <typename Change>
    void order(Change change);
    void post(Letter letter);
    void deliver();
    void open(const Letter &letter);

    std::unique_ptr<RunClock> m_clock;
    quint64 m_generation = 0; ///< of the owner's thread

    std::mutex m_mutex;
    std::condition_variable m_woken;
    std::optional<Job> m_next;
    Orders m_orders;
    bool m_quit = false;
    std::deque<Letter> m_letters;
    std::size_t m_undelivered = 0; ///< batches among them
    bool m_announced = false; ///< deliver() is on its way

    std::atomic<bool> m_cancelled{false};
    std::thread m_thread; ///< last: it uses all of the above
};

} // namespace throttlescope::dashboard
