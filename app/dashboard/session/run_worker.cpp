// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/run_worker.h"

#include "app/dashboard/session/run_number.h"

#include <QTimer>
#include <fmt/format.h>
#include <new>

namespace throttlescope::dashboard {

/// One run on the worker's thread, between its orders and its letters.
class RunWorker::Drive {
public:
    Drive(RunWorker &worker, const Job &job)
        : m_worker(worker)
        , m_generation(job.generation)
        , m_pass(
              job.scenario, worker.m_cancelled, [this](ChunkPointer chunk) { sendBatch(std::move(chunk)); }, job.mostOpen)
        , m_sent(worker.m_clock->now())
    {
    }

    void run()
    {
        while (m_pass.state() == RunPass::State::Going) {
            Orders orders = m_worker.takeOrders();
            if (orders.retune)
                retune(orders.retune);
            if (orders.fresh) {
                m_halted = false;
                m_pace.reset();
            }
            if (orders.step)
                m_pass.step();
            if (orders.step || orders.playback.paused)
                halt();
            else if (orders.playback.speed)
                play(*orders.playback.speed);
            else
                m_pass.turn(kNever);
            flushIfDue();
        }
        if (m_pass.state() == RunPass::State::Over)
            m_pass.flush();
        auto report = std::make_shared<const RunReport>(m_pass.report());
        const QString failure = QString::fromStdString(report->error);
        m_worker.post({m_generation, RunEnd{std::move(report), failure, m_pass.reached()}});
    }

private:
    RunProgress progress() const { return {m_pass.reached(), m_pass.operations(), m_pass.attempts()}; }

    void sendBatch(ChunkPointer chunk)
    {
        m_sent = m_worker.m_clock->now();
        m_worker.post({m_generation, Batch{std::move(chunk), progress()}});
    }

    void flushIfDue()
    {
        if (m_worker.m_clock->now() - m_sent < kBatchInterval || m_pass.state() != RunPass::State::Going)
            return;
        if (m_pass.unflushed() > 0)
            m_pass.flush();
        else if (m_pace)
            sendBatch(nullptr);
    }

    void retune(const ScenarioPointer &scenario)
    {
        for (Retuned &retuned : m_pass.retune(scenario))
            m_worker.post({m_generation, std::move(retuned)});
        m_pass.flush();
    }

    void halt()
    {
        if (m_pass.state() != RunPass::State::Going)
            return;
        m_pass.flush();
        if (!m_halted)
            m_worker.post({m_generation, Halt{progress()}});
        m_halted = true;
        waitUntil(Wall::time_point::max());
    }

    void play(double speed)
    {
        const auto now = m_worker.m_clock->now();
        if (!m_pace)
            m_pace.emplace(speed, now, m_pass.reached());
        const MonotonicTime target = m_pace->target(now);
        m_pass.turn(target);
        if (m_pass.state() == RunPass::State::Going && m_pass.reached() >= target)
            waitUntil(now + kFrame);
    }

    void waitUntil(Wall::time_point moment)
    {
        std::unique_lock lock{m_worker.m_mutex};
        if (m_worker.m_orders.fresh || m_worker.m_cancelled.load())
            return;
        if (moment == Wall::time_point::max())
            m_worker.m_woken.wait(lock);
        else
            m_worker.m_clock->wait(lock, m_worker.m_woken, moment);
    }

    RunWorker &m_worker;
    const quint64 m_generation;
    RunPass m_pass;
    std::optional<Pace> m_pace; ///< of a played run
    Wall::time_point m_sent;
    bool m_halted = false;
};

RunWorker::RunWorker(std::unique_ptr<RunClock> clock, QObject *parent)
    : QObject(parent)
    , m_clock(std::move(clock))
    , m_thread([this] { work(); })
{
}

RunWorker::~RunWorker()
{
    {
        const std::lock_guard lock{m_mutex};
        m_quit = true;
        m_cancelled = true;
    }
    m_woken.notify_all();
    m_thread.join();
}

quint64 RunWorker::start(ScenarioPointer scenario, const Playback &playback, std::uint64_t mostOpen)
{
    m_generation = nextRunNumber();
    {
        const std::lock_guard lock{m_mutex};
        m_next = Job{m_generation, std::move(scenario), mostOpen};
        m_orders = {playback, false, true, nullptr};
        m_cancelled = true;
        m_letters.clear();
        m_undelivered = 0;
    }
    m_woken.notify_all();
    return m_generation;
}

void RunWorker::cancel()
{
    {
        const std::lock_guard lock{m_mutex};
        if (!m_next) // one that has not begun yet begins, and ends at once
            m_cancelled = true;
        else
            m_next->scenario = nullptr;
    }
    m_woken.notify_all();
}

template <typename Change>
void RunWorker::order(Change change)
{
    {
        const std::lock_guard lock{m_mutex};
        change(m_orders);
        m_orders.fresh = true;
    }
    m_woken.notify_all();
}

void RunWorker::pause()
{
    order([](Orders &orders) { orders.playback.paused = true; });
}

void RunWorker::resume()
{
    order([](Orders &orders) { orders.playback.paused = false; });
}

void RunWorker::setSpeed(std::optional<double> speed)
{
    order([speed](Orders &orders) { orders.playback.speed = speed; });
}

void RunWorker::step()
{
    order([](Orders &orders) {
        orders.playback.paused = true;
        orders.step = true;
    });
}

void RunWorker::retune(ScenarioPointer scenario)
{
    order([&scenario](Orders &orders) { orders.retune = std::move(scenario); });
}

void RunWorker::wake()
{
    const std::lock_guard lock{m_mutex};
    m_woken.notify_all();
}

RunWorker::Orders RunWorker::takeOrders()
{
    const std::lock_guard lock{m_mutex};
    if (m_next) // they are for the run to come
        return {{{}, true}, false, false, nullptr};
    Orders taken = m_orders;
    m_orders = {taken.playback, false, false, nullptr};
    return taken;
}

void RunWorker::work()
{
    std::unique_lock lock{m_mutex};
    for (;;) {
        m_woken.wait(lock, [this] { return m_quit || m_next; });
        if (m_quit)
            return;
        const Job job = *m_next;
        m_next.reset();
        m_cancelled = false;
        lock.unlock();
        QString failure;
        try {
            if (job.scenario)
                Drive{*this, job}.run();
        } catch (const std::bad_alloc &) {
            failure = tr("out of memory, the run was stopped");
        } catch (const std::exception &error) {
            failure = QString::fromUtf8(error.what());
        }
        if (!job.scenario || !failure.isEmpty()) {
            auto report = std::make_shared<RunReport>();
            report->interrupted = failure.isEmpty();
            report->error = failure.toStdString();
            post({job.generation, RunEnd{std::move(report), failure, {}}});
        }
        lock.lock();
    }
}

/// Of a run that nobody wants any more nothing is kept; of a running one no more than the owner can take.
void RunWorker::post(Letter letter)
{
    std::unique_lock lock{m_mutex};
    const bool batch = std::holds_alternative<Batch>(letter.content);
    m_woken.wait(lock, [&] { return !batch || m_undelivered < kMostUndelivered || m_cancelled.load(); });
    if (m_quit || m_next)
        return;
    m_undelivered += batch ? 1 : 0;
    m_letters.push_back(std::move(letter));
    if (!std::exchange(m_announced, true))
        QMetaObject::invokeMethod(this, &RunWorker::deliver, Qt::QueuedConnection);
}

void RunWorker::deliver()
{
    Letter letter;
    {
        const std::lock_guard lock{m_mutex};
        m_announced = false;
        if (m_letters.empty())
            return;
        letter = std::move(m_letters.front());
        m_letters.pop_front();
        m_undelivered -= std::holds_alternative<Batch>(letter.content) ? 1 : 0;
        if (!m_letters.empty()) { // a timer's turn: what is posted now would be delivered before any timer and any paint
            m_announced = true;
            QTimer::singleShot(0, this, &RunWorker::deliver);
        }
    }
    m_woken.notify_all();
    if (letter.generation == m_generation)
        open(letter);
}

void RunWorker::open(const Letter &letter)
{
    if (const auto *batched = std::get_if<Batch>(&letter.content)) {
        if (batched->chunk)
            Q_EMIT batch(letter.generation, batched->chunk);
        if (letter.generation == m_generation) // the slot before may have started another
            Q_EMIT progressed(letter.generation, batched->progress);
    } else if (const auto *halt = std::get_if<Halt>(&letter.content)) {
        Q_EMIT halted(letter.generation, halt->progress);
    } else if (const auto *change = std::get_if<Retuned>(&letter.content)) {
        Q_EMIT retuned(letter.generation, *change);
    } else if (const auto *end = std::get_if<RunEnd>(&letter.content)) {
        Q_EMIT finished(letter.generation, *end);
    }
}

} // namespace throttlescope::dashboard
