// SPDX-License-Identifier: Apache-2.0
#include "core/engine/execution.h"
#include "core/engine/philox_draw.h"
#include "tests/unit/core/engine_values.h"

#include <QTest>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>

namespace {

std::size_t allocations = 0;

} // namespace

void *operator new(std::size_t size)
{
    ++allocations;
    if (void *memory = std::malloc(size))
        return memory;
    throw std::bad_alloc{};
}
void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

using namespace throttlescope;
using namespace throttlescope::testing;

/// A retry costs no memory: what an operation needs is there once its first response has been read.
class TestEngineAllocations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aResponseAfterTheFirstAllocatesNothing_data()
    {
        QTest::addColumn<Outcome>("outcome");
        QTest::newRow("429 with a hint") << throttled("5");
        QTest::newRow("429 with a hint and a Date") << answer(429, {{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"Retry-After", "5"}});
        QTest::newRow("429 without a hint") << throttled();
        QTest::newRow("503") << answer(503, {{"Content-Type", "text/plain"}});
        QTest::newRow("lost") << lost();
    }
    void aResponseAfterTheFirstAllocatesNothing()
    {
        QFETCH(Outcome, outcome);
        const auto call = std::make_shared<Call>();
        Policy policy;
        policy.maxAttempts = kUnlimitedAttempts;
        call->replay = ReplayRule::Safe;
        call->policy = std::make_shared<Policy>(policy);
        WakeList wakeList;
        call->scope = std::make_shared<Scope>(ScopeSpec{{}, BreakerSpec{}, {}}, wakeList);
        const FixedDraw draw{0.5};
        journal::Recorder recorder{nullptr};
        const Environment environment{draw, recorder};
        Execution execution{*call, {1, 1, 1}, environment};

        Now now{at(0s), WallTime{}};
        QVERIFY(std::holds_alternative<Send>(execution.next(now, Start{})));
        const auto attempt = [&] {
            const Step step = execution.next(now, Answered{outcome});
            now.monotonic = std::get<WaitUntil>(step).at;
            return execution.next(now, TimeReached{});
        };
        attempt();
        const std::size_t before = allocations;
        for (int i = 0; i < 100; ++i)
            QVERIFY(std::holds_alternative<Send>(attempt()));
        QCOMPARE(allocations - before, std::size_t{0});
    }
    void theCountIsReal()
    {
        const std::size_t before = allocations;
        const auto something = std::make_unique<std::array<char, 100>>();
        QVERIFY(something && allocations > before);
    }
};

QTEST_APPLESS_MAIN(TestEngineAllocations)
#include "tst_engine_allocations.moc"
