// SPDX-License-Identifier: Apache-2.0
#include "scripted_driver.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;

/// A transport that holds only so many connections to a host: who lacks one waits in the pacer's queue.
class TestEngineConnections : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whoLacksAConnectionIsPaced()
    {
        const FixedDraw draw{0.5};
        Driver driver{draw};
        const auto call = limited(driver, 2);
        for (int i = 0; i < 5; ++i)
            driver.start(0s, call, inTurn({{answer(200), 10s}}));
        driver.run();
        const auto started = driver.log().all<journal::AttemptStarted>();
        QCOMPARE(started.size(), 5U);
        const std::vector<Duration> expected{0s, 0s, 10s, 10s, 20s};
        for (std::size_t i = 0; i < started.size(); ++i) {
            QCOMPARE(started[i].op, i + 1); // first come, first served
            QVERIFY(started[i].at == at(expected[i]));
            QVERIFY(started[i].as<journal::AttemptStarted>()->paced == expected[i]);
        }
        QCOMPARE(driver.log().count<journal::PacerWait>(), 3U);
    }

    void scopesShareTheConnectionsOfAHost()
    {
        const FixedDraw draw{0.5};
        Driver driver{draw};
        const auto connections = std::make_shared<Connections>(1, driver.wakeList());
        for (int i = 0; i < 3; ++i) {
            Call call = callOf(plainPolicy(), driver.scope());
            call.connections = connections;
            driver.start(0s, shared(std::move(call)), inTurn({{answer(200), 10s}}));
        }
        driver.run();
        for (journal::OperationId id = 1; id <= 3; ++id)
            QVERIFY(driver.finishedAt(id) == at(10s * static_cast<int>(id)));
    }

    void aCancelledWaiterTakesNoConnection()
    {
        const FixedDraw draw{0.5};
        Driver driver{draw};
        const auto call = limited(driver, 1);
        driver.start(0s, call, inTurn({{answer(200), 10s}}));
        const auto cancelled = driver.start(0s, call, inTurn({{answer(200), 10s}}));
        const auto last = driver.start(0s, call, inTurn({{answer(200), 10s}}));
        driver.cancel(5s, cancelled);
        driver.run();
        QVERIFY(driver.summary(cancelled).result == Result::Cancelled);
        QVERIFY(driver.finishedAt(last) == at(20s));
    }

    void whoseTotalTimeoutRunsOutInTheQueueIsRejected()
    {
        const FixedDraw draw{0.5};
        Driver driver{draw};
        const auto holder = limited(driver, 1);
        Policy policy = plainPolicy();
        policy.totalTimeout = 15s;
        Call call = callOf(policy, driver.scope());
        call.connections = holder->connections;
        driver.start(0s, holder, inTurn({{answer(200), 25s}}));
        const auto queued = driver.start(1s, shared(std::move(call)), inTurn({{answer(200), 1s}}));
        driver.run();
        QVERIFY(driver.summary(queued).result == Result::Rejected);
        QVERIFY(driver.summary(queued).reason == RefusalReason::Deadline);
        QCOMPARE(driver.summary(queued).attempts, 0);
        QVERIFY(driver.finishedAt(queued) == at(16s));
    }

    void whoIsFreedInTimeGoesOn()
    {
        const FixedDraw draw{0.5};
        Driver driver{draw};
        Policy policy = plainPolicy();
        policy.totalTimeout = 15s;
        Call call = callOf(policy, driver.scope());
        call.connections = std::make_shared<Connections>(1, driver.wakeList());
        const auto both = shared(std::move(call));
        driver.start(0s, both, inTurn({{std::nullopt, 0s}}));
        const auto queued = driver.start(1s, both, inTurn({{answer(200), 1s}}));
        driver.run();
        QVERIFY(driver.summary(queued).result == Result::Succeeded); // the first gave its connection back at 15 s
        QVERIFY(driver.finishedAt(queued) == at(16s));
    }

    void aRetryGivesItsConnectionBackWhileItWaits()
    {
        const FixedDraw draw{0.5};
        Driver driver{draw};
        const auto call = limited(driver, 1);
        const auto first = driver.start(0s, call, inTurn({{throttled("30"), 1s}, {answer(200), 1s}}));
        const auto second = driver.start(0s, call, inTurn({{answer(200), 5s}}));
        driver.run();
        QVERIFY(driver.finishedAt(second) == at(6s));
        QVERIFY(driver.finishedAt(first) == at(32s));
    }

private:
    static std::shared_ptr<const Call> limited(Driver &driver, int connections)
    {
        Call call = callOf(plainPolicy(), driver.scope());
        call.connections = std::make_shared<Connections>(connections, driver.wakeList());
        return shared(std::move(call));
    }
};

QTEST_GUILESS_MAIN(TestEngineConnections)
#include "tst_engine_connections.moc"
