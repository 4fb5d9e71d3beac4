// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/traffic_worker.h"

#include "app/dashboard/session/run_number.h"

#include <QTimer>
#include <new>

namespace throttlescope::dashboard {

/// One run. Its signals cross to the worker's thread.
class TrafficWorker::Thread final : public QThread, private journal::EventSink {
public:
    Thread(TrafficWorker &worker, quint64 number, std::unique_ptr<Traffic> traffic)
        : m_worker(worker)
        , m_number(number)
        , m_traffic(std::move(traffic))
    {
        m_orders.moveToThread(this);
        m_traffic->setOnSaid([this](const std::string &line) {
            deliver([number = m_number, words = QString::fromStdString(line)](TrafficWorker &owner) { Q_EMIT owner.said(number, words); });
        });
    }

    quint64 number() const { return m_number; }
    void cancel() { m_cancelled = true; }
    void retune(Policies policies)
    {
        QMetaObject::invokeMethod(
            &m_orders, [this, wanted = std::move(policies)] { m_traffic->retune(wanted); }, Qt::QueuedConnection);
    }

protected:
    void run() override
    {
        RunEnd end;
        try {
            QTimer due;
            due.setInterval(RunWorker::kBatchInterval);
            QObject::connect(&due, &QTimer::timeout, &due, [this] {
                m_reached = std::max(m_reached, m_traffic->now());
                flush();
            });
            due.start();
            end.report = std::make_shared<const RunReport>(m_traffic->run(*this, m_cancelled));
            flush();
        } catch (const std::bad_alloc &) {
            end.failure = tr("out of memory, the run was stopped");
        } catch (const std::exception &error) {
            end.failure = QString::fromUtf8(error.what());
        }
        if (!end.report) {
            RunReport broken;
            broken.error = end.failure.toStdString();
            end.report = std::make_shared<const RunReport>(std::move(broken));
        }
        end.failure = QString::fromStdString(end.report->error);
        end.finish = m_reached;
        deliver([number = m_number, end](TrafficWorker &worker) { Q_EMIT worker.finished(number, end); });
        m_orders.moveToThread(m_worker.thread());
    }

private:
    void accept(const journal::Event &event) override
    {
        m_reached = std::max(m_reached, event.at.monotonic);
        m_progress.operations += std::holds_alternative<journal::OperationStarted>(event.payload) ? 1 : 0;
        m_progress.attempts += std::holds_alternative<journal::AttemptStarted>(event.payload) ? 1 : 0;
        m_builder.accept(event);
        if (m_builder.size() >= RunPass::kLargestBatch)
            flush();
        if (const auto *changed = std::get_if<journal::PolicyChanged>(&event.payload)) {
            const Retuned told{std::string{changed->policy}, changed->waitsKept, event.at.monotonic};
            deliver([number = m_number, told](TrafficWorker &worker) { Q_EMIT worker.retuned(number, told); });
        }
    }

    void flush()
    {
        m_progress.reached = m_reached;
        ChunkPointer chunk = m_builder.size() > 0 ? m_builder.take() : nullptr;
        deliver([number = m_number, chunk = std::move(chunk), progress = m_progress](TrafficWorker &worker) {
            if (chunk)
                Q_EMIT worker.batch(number, chunk);
            Q_EMIT worker.progressed(number, progress);
        });
    }

    /// In the owner's thread; what is no longer wanted is dropped there.
    template <typename Letter>
    void deliver(Letter letter)
    {
        QMetaObject::invokeMethod(
            &m_worker,
            [&worker = m_worker, number = m_number, letter = std::move(letter)] {
                if (number == worker.m_run)
                    letter(worker);
            },
            Qt::QueuedConnection);
    }

    TrafficWorker &m_worker;
    const quint64 m_number;
    const std::unique_ptr<Traffic> m_traffic;
    QObject m_orders; ///< lives in this thread while it runs
    std::atomic<bool> m_cancelled{false};
    ChunkBuilder m_builder;
    RunProgress m_progress;
    MonotonicTime m_reached{};
};

TrafficWorker::TrafficWorker(QObject *parent)
    : QObject(parent)
{
}

TrafficWorker::~TrafficWorker()
{
    if (!m_thread)
        return;
    m_thread->cancel();
    m_thread->wait();
}

quint64 TrafficWorker::start(std::unique_ptr<Traffic> traffic)
{
    m_run = nextRunNumber();
    m_next = std::move(traffic);
    if (m_thread)
        m_thread->cancel();
    else
        begin();
    return m_run;
}

void TrafficWorker::begin()
{
    m_thread = std::make_unique<Thread>(*this, m_run, std::move(m_next));
    connect(m_thread.get(), &QThread::finished, this, [this, thread = m_thread.get()] { ended(thread); });
    m_thread->start();
}

void TrafficWorker::ended(Thread *thread)
{
    if (m_thread.get() != thread)
        return;
    m_thread->wait();
    m_thread.reset();
    if (m_next)
        begin();
}

void TrafficWorker::cancel()
{
    if (m_next) { // it has not begun: it ends at once
        m_next.reset();
        auto report = std::make_shared<RunReport>();
        report->interrupted = true;
        Q_EMIT finished(m_run, {std::move(report), {}, {}});
    } else if (m_thread) {
        m_thread->cancel();
    }
}

void TrafficWorker::retune(Policies policies)
{
    if (m_thread && m_thread->number() == m_run)
        m_thread->retune(std::move(policies));
}

} // namespace throttlescope::dashboard
