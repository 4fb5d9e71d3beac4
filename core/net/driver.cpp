// SPDX-License-Identifier: Apache-2.0
#include "core/net/driver.h"

#include "core/version.h"

#include <QCoreApplication>
#include <QEvent>
#include <QRandomGenerator>
#include <QScopeGuard>
#include <QThread>

#include <algorithm>

namespace throttlescope::net {

namespace {

std::optional<QSslConfiguration> verified(std::optional<QSslConfiguration> tls)
{
    if (tls)
        tls->setPeerVerifyMode(QSslSocket::VerifyPeer);
    return tls;
}

/// The operation never got as far as the engine.
void refuse(QPromise<Result> &promise, throttlescope::Result end, std::string &&why)
{
    Result result;
    result.end = end;
    result.error = OperationError{};
    result.error->message = std::move(why);
    promise.addResult(std::move(result));
    promise.finish();
}

} // namespace

Driver::Driver(ClientOptions options)
    : m_sink(std::move(options.journal))
    , m_seed(options.seed ? *options.seed : QRandomGenerator::system()->generate64())
    , m_clock(options.clock ? std::move(options.clock) : std::make_shared<const MachineClock>())
    , m_tls(verified(std::move(options.tls)))
    , m_userAgent(QByteArray::fromStdString(options.userAgent))
    , m_attemptHeader(options.attemptHeader)
    , m_largestBody(options.largestBody)
    , m_recorder(m_sink.get())
    , m_draw(m_seed)
    , m_environment{m_draw, m_recorder}
    , m_book(std::move(options.policy), m_wakeList)
    , m_timer(this)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &Driver::timeReached);
    m_recorder.record({0, now(), 0, {}, {}, 0,
        journal::RunStarted{journal::kSchemaVersion, version(), options.run.scenario, options.run.scenarioHash, m_seed,
            options.run.policiesJson, options.run.traffic}});
}

Driver::~Driver()
{
    stop(m_open > 0);
    m_inTurn = true;
    takeOrders();
}

void Driver::stop(bool early)
{
    if (m_stopping)
        return;
    m_stopping = true;
    m_inTurn = true; // what the ends call back for is refused below
    stopAll();
    takeOrders();
    m_recorder.record({0, now(), 0, {}, {}, 0, journal::RunFinished{m_started, early}});
    m_nextTurns.clear();
    m_inTurn = false;
}

void Driver::handOver(Order order)
{
    const bool ownThread = QThread::currentThread() == thread();
    {
        const std::lock_guard lock{m_ordersMutex};
        m_orders.push_back(std::move(order));
        // Under the lock, so that whoever takes the order has seen all of what posting it did.
        if (!ownThread && m_orders.size() == 1)
            QCoreApplication::postEvent(this, new QEvent{QEvent::User});
    }
    if (ownThread)
        turn([this] { takeOrders(); });
}

void Driver::customEvent(QEvent *)
{
    turn([this] { takeOrders(); });
}

void Driver::timerEvent(QTimerEvent *event)
{
    if (event->timerId() == m_sweep.timerId())
        turn([this] { sweepBodies(); });
}

/// Until none are left: what a handed-over order calls back for may be another.
void Driver::takeOrders()
{
    while (true) {
        {
            const std::lock_guard lock{m_ordersMutex};
            m_takenOrders.swap(m_orders);
        }
        if (m_takenOrders.empty())
            return;
        const auto done = qScopeGuard([this] { m_takenOrders.clear(); }); // also where memory runs out: one half done is done
        for (Order &order : m_takenOrders) {
            if (auto *submission = std::get_if<Submission>(&order))
                submit(std::move(*submission));
            else
                replacePolicy(std::get<Replacement>(order));
        }
    }
}

void Driver::submit(Submission &&submission)
{
    if (submission.promise.isCanceled())
        return submission.promise.finish();
    if (m_stopping)
        return refuse(submission.promise, throttlescope::Result::Unfinished, "the client was stopped");
    const std::optional<std::uint64_t> drawKey = submission.request.drawKey;
    auto call = m_book.call(std::move(submission.request));
    if (!call)
        return refuse(submission.promise, throttlescope::Result::Rejected, std::move(call.error()));

    Slot slot = 0;
    if (m_freeSlots.empty()) {
        slot = static_cast<Slot>(m_operations.size());
        m_operations.emplace_back();
    } else {
        slot = m_freeSlots.back();
        m_freeSlots.pop_back();
    }
    const journal::OperationId id = ++m_started;
    const OperationIdentity identity{id, drawKey.value_or(operationDrawKey({}, 0, id)), slot};
    m_operations[slot] = std::make_unique<Operation>(*this, std::move(submission.promise), std::move(*call), identity);
    Operation &operation = *m_operations[slot];
    ++m_open;
    operation.setFuture(operation.promise.future());
    feed(slot, Start{});
}

bool Driver::Operation::event(QEvent *event)
{
    const bool handled = QFutureWatcher::event(event);
    if (!isCanceled())
        return handled;
    // Later: the operation must not be destroyed in an event of its own.
    QMetaObject::invokeMethod(
        &m_driver, [&driver = m_driver, slot = slot, id = id] { driver.turn([&driver, slot, id] { driver.cancel(slot, id); }); },
        Qt::QueuedConnection);
    return handled;
}

void Driver::cancel(Slot slot, journal::OperationId id)
{
    if (m_operations[slot] && m_operations[slot]->id == id)
        feed(slot, Cancelled{});
}

void Driver::replacePolicy(const Replacement &replacement)
{
    if (m_stopping || !replacement.policy)
        return;
    const std::string &name = replacement.policy->name;
    std::uint64_t waits = 0;
    for (const auto &operation : m_operations)
        waits += operation && operation->call->policy->name == name && operation->execution.inRetryWait() ? 1 : 0;
    m_recorder.record({0, now(), 0, {}, {}, 0, journal::PolicyChanged{name, replacement.json, waits}});
    m_book.replacePolicy(replacement.policy);
    for (const auto &operation : m_operations) {
        if (operation && operation->call->policy->name == name)
            operation->execution.next(
                now(), PolicyReplaced{operation->call->retryOff ? m_book.switchedOff(replacement.policy) : replacement.policy});
    }
}

void Driver::timeReached()
{
    turn([this] {
        m_timerAt = kNever;
        const MonotonicTime reached = now().monotonic; // the timer was only a hint
        while (!m_due.empty() && m_due.earliest() <= reached) {
            const Slot slot = m_due.top();
            m_due.remove(slot);
            feed(slot, TimeReached{});
        }
    });
}

void Driver::feed(Slot slot, const Input &input)
{
    const Now now = this->now();
    Execution &execution = m_operations[slot]->execution;
    Step step = execution.next(now, input);
    // A wait of nothing is none: it must not take as long as a timer does.
    const auto *wait = std::get_if<WaitUntil>(&step);
    if (wait && wait->why == Waiting::Retry && wait->at <= now.monotonic)
        step = execution.next(now, TimeReached{});
    perform(slot, step);
}

void Driver::perform(Slot slot, const Step &step)
{
    Operation &operation = *m_operations[slot];
    if (const auto *wait = std::get_if<WaitUntil>(&step)) {
        if (wait->why != Waiting::Answer)
            giveUp(operation);
        if (wait->at == kNever)
            m_due.remove(slot);
        else
            m_due.set(slot, wait->at);
        return;
    }
    giveUp(operation);
    if (const auto *request = std::get_if<Send>(&step))
        send(slot, *request);
    else
        finish(slot);
}

/// Whom the turn moved up is asked again, in order; what that moves is taken up by the same loop.
void Driver::wakeWaiters()
{
    for (std::size_t i = 0; i < m_wakeList.size(); ++i) {
        const auto slot = static_cast<Slot>(m_wakeList[i]);
        if (m_operations[slot])
            feed(slot, TimeReached{});
    }
    m_wakeList.clear();
}

void Driver::armTimer()
{
    if (m_due.empty() || m_due.earliest() >= m_timerAt)
        return; // one that fires too early looks at the clock and is set again
    m_timerAt = m_due.earliest();
    m_timer.start(std::min<std::chrono::milliseconds>(m_clock->sleepUntil(m_timerAt), std::chrono::hours{24}));
}

Result Driver::resultOf(Operation &operation)
{
    const Summary summary = operation.execution.summary();
    Result result;
    result.id = operation.id;
    result.end = summary.result;
    result.viaFallback = summary.viaFallback;
    result.attempts = summary.attempts;
    result.metadata = summary.metadata;
    result.lastFailure = summary.lastFailure;
    if (summary.state)
        result.state = *summary.state;
    // An attempt that the end of its operation cut off came to nothing that could be named.
    const bool cutOff
        = operation.attempt.givenUp && (summary.result != throttlescope::Result::Failed || summary.reason == RefusalReason::Deadline);
    std::optional<TransportFailureKind> transport;
    if (auto *response = std::get_if<Response>(&operation.lastOutcome); response && response->status != 0)
        result.response = std::move(*response);
    else if (const auto *failure = std::get_if<TransportFailure>(&operation.lastOutcome); failure && !cutOff)
        transport = failure->kind;
    if (!result.succeeded())
        result.error = OperationError{summary.reason, transport,
            summary.extractionError ? std::optional{*summary.extractionError} : std::nullopt, errorMessage(summary)};
    return result;
}

void Driver::finish(Slot slot)
{
    const std::unique_ptr<Operation> operation = std::move(m_operations[slot]);
    m_freeSlots.push_back(slot);
    m_due.remove(slot);
    --m_open;
    Result result = resultOf(*operation);
    operation->setFuture({}); // nobody listens any more: the end posts nothing
    operation->promise.addResult(std::move(result));
    operation->promise.finish();
}

void Driver::stopAll()
{
    std::vector<Slot> open;
    for (Slot slot = 0; slot < m_operations.size(); ++slot) {
        if (m_operations[slot])
            open.push_back(slot);
    }
    std::sort(open.begin(), open.end(), [this](Slot a, Slot b) { return m_operations[a]->id < m_operations[b]->id; });
    for (const Slot slot : open)
        feed(slot, Cancelled{true});
    m_wakeList.clear();
}

} // namespace throttlescope::net
