// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/execution.h"
#include "core/engine/philox_draw.h"
#include "core/net/client.h"
#include "core/net/due_heap.h"
#include "core/net/scope_book.h"

#include <QBasicTimer>
#include <QFutureWatcher>
#include <QPromise>
#include <QTimer>

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

class QNetworkAccessManager;
class QNetworkReply;

namespace throttlescope::net {

/// A call on its way from the caller's thread to the client's.
struct Submission {
    Request request;
    QPromise<Result> promise;
};
struct Replacement {
    std::shared_ptr<const Policy> policy;
    std::string json;
};
using Order = std::variant<Submission, Replacement>;

/// The real-time twin of Simulation: it knows no rule, it does what a Step says and feeds the Input. Everything but
/// handOver() and now() runs in the client's thread.
///
/// What comes from Qt or from the caller is one turn each. A turn may call out (the journal, a body handler, a
/// continuation), and abort() emits finished() on the spot: what comes back in the meantime waits for the next turn.
class Driver final : public QObject {
public:
    explicit Driver(ClientOptions options);
    ~Driver() override;

    /// Any thread.
    void handOver(Order order);
    Now now() const { return m_clock->now(); }
    std::uint64_t seed() const { return m_seed; }

    journal::Recorder &recorder() { return m_recorder; }
    const ScopeBook &book() const { return m_book; }
    std::uint64_t attemptsSent() const { return m_attemptsSent; }
    std::uint64_t resends() const { return m_resends; }
    std::size_t open() const { return m_open; }
    /// `early`: before the run came to its end by itself. Once; what comes later is refused.
    void stop(bool early);

protected:
    void customEvent(QEvent *event) override;
    void timerEvent(QTimerEvent *event) override;

private:
    using Slot = std::uint32_t;
    struct Attempt {
        QNetworkReply *reply = nullptr; ///< null: nothing under way
        const NetCall *call = nullptr; ///< the operation's own, or its fallback's
        int number = 1;
        std::uint32_t timesSent = 0; ///< by Qt
        std::uint64_t handedOn = 0; ///< bytes, streaming
        bool givenUp = false; ///< the operation did not wait for its end
    };
    /// Watches its own future for a cancellation; without a connection, which would cost more than the watching.
    struct Operation final : QFutureWatcher<Result> {
        Operation(Driver &driver, QPromise<Result> &&itsPromise, std::shared_ptr<const NetCall> netCall, const OperationIdentity &identity)
            : promise(std::move(itsPromise))
            , call(std::move(netCall))
            , id(identity.id)
            , slot(static_cast<Slot>(identity.handle))
            , execution(*call, identity, driver.m_environment)
            , m_driver(driver)
        {
        }
        bool event(QEvent *event) override;

        QPromise<Result> promise;
        std::shared_ptr<const NetCall> call;
        journal::OperationId id;
        Slot slot;
        Execution execution;
        Attempt attempt;
        Outcome lastOutcome; ///< of the last attempt that ended; a response without a status: none yet

    private:
        Driver &m_driver;
    };

    template <typename Action>
    void turn(Action &&action);

    // driver.cpp: orders, inputs, steps
    void takeOrders();
    void submit(Submission &&submission);
    void replacePolicy(const Replacement &replacement);
    void cancel(Slot slot, journal::OperationId id);
    void timeReached();
    void feed(Slot slot, const Input &input);
    void perform(Slot slot, const Step &step);
    void wakeWaiters();
    void armTimer();
    static Result resultOf(Operation &operation);
    void finish(Slot slot);
    void stopAll();

    // driver_attempts.cpp: the way of a request
    void send(Slot slot, const Send &send);
    QNetworkReply *startReply(const Operation &operation);
    QNetworkAccessManager &manager(const NetCall &call);
    void bodyArrived(Slot slot, QNetworkReply *reply);
    void sweepBodies();
    void breakOff(Slot slot, QNetworkReply *reply);
    void replyFinished(Slot slot, QNetworkReply *reply);
    void answer(Slot slot, Outcome &&outcome);
    void requestSent(Slot slot, const QNetworkReply *reply);
    void handOn(Operation &operation, const QByteArray &bytes);
    void giveUp(Operation &operation);
    bool underWay(Slot slot, const QNetworkReply *reply) const;

    const std::shared_ptr<journal::EventSink> m_sink;
    const std::uint64_t m_seed;
    const std::shared_ptr<const Clock> m_clock;
    const std::optional<QSslConfiguration> m_tls;
    const QByteArray m_userAgent;
    const bool m_attemptHeader;
    const std::uint64_t m_largestBody;

    journal::Recorder m_recorder;
    PhiloxDraw m_draw;
    Environment m_environment;
    WakeList m_wakeList;
    ScopeBook m_book;
    std::vector<std::unique_ptr<Operation>> m_operations; ///< null: the slot is free
    std::vector<Slot> m_freeSlots;
    std::size_t m_open = 0;
    DueHeap m_due;
    QTimer m_timer; ///< the only one, for all waits
    QBasicTimer m_sweep; ///< of bodies; runs while any is under way
    MonotonicTime m_timerAt = kNever; ///< kNever: not set
    std::array<QNetworkAccessManager *, HostConnections::kMostManagers> m_managers{}; ///< see manager()
    QNetworkAccessManager *m_probeManager = nullptr; ///< a probe starts at once: it must not queue behind six others
    bool m_inTurn = false;
    bool m_stopping = false;
    std::deque<std::function<void()>> m_nextTurns;
    journal::OperationId m_started = 0;
    std::uint64_t m_attemptsSent = 0;
    std::uint64_t m_resends = 0;

    std::mutex m_ordersMutex; ///< guards m_orders
    std::vector<Order> m_orders;
    std::vector<Order> m_takenOrders;
};

template <typename Action>
void Driver::turn(Action &&action)
{
    if (m_inTurn) {
        m_nextTurns.emplace_back(std::forward<Action>(action));
        return;
    }
    m_inTurn = true;
    action();
    wakeWaiters();
    while (!m_nextTurns.empty()) {
        const auto next = std::move(m_nextTurns.front());
        m_nextTurns.pop_front();
        next();
        wakeWaiters();
    }
    armTimer();
    m_inTurn = false;
}

} // namespace throttlescope::net
