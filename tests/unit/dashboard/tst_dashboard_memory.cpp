// SPDX-License-Identifier: Apache-2.0
#include "dashboard_support.h"

#include <QTest>
#include <malloc.h>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::test;

namespace {

/// Every few seconds another date, in the words of the header, of the hint and of the decision.
const std::string kMix = R"(throttlescope: 1
servers:
  api:
    latency: {lognormal: {median: 80ms, p99: 400ms}}
    limits: [{name: short, quota: 20, per: 3s, window: sliding, key: header:X-Key}, {name: minute, quota: 700, per: 1m, window: token_bucket, burst: 100}]
    on_limit: {retry_after: http-date, headers: [github]}
timeline: [{at: 0s, for: 100d, server: api, label: bad, faults: {503: 10%, reset: 2%}}]
policies:
  p:
    replay: safe
    rate_limit: {hint: at_least, padding: {add: 100ms, jitter: 1s}}
    backoff: {kind: exponential, base: 500ms, max: 30s, jitter: decorrelated}
    pacer: {requests_per_second: 30, cooldown: extend}
    budget: {token_bucket: {capacity: 500, cost: 5, timeout_cost: 10}}
workload:
  - {operation: read, server: api, method: GET, policy: p, headers: {X-Key: a}, arrivals: {workers: 40, count: 60000}}
  - {operation: write, server: api, method: PUT, policy: p, headers: {X-Key: b}, arrivals: {workers: 40, count: 60000}}
)";

std::size_t allocated()
{
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

} // namespace

class TestDashboardMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMillionEventsTakeLessThan120BytesEach_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::newRow("minute-window") << "minute-window.yaml"
                                       << "workers: 2, count: 200"
                                       << "workers: 4, count: 190000";
        QTest::newRow("breaker-for-the-run") << "breaker-for-the-run.yaml"
                                             << "count: 225"
                                             << "count: 62000";
        QTest::newRow("all at once: dates of their own, faults, a pacer, a budget") << ""
                                                                                    << ""
                                                                                    << "";
    }
    void aMillionEventsTakeLessThan120BytesEach()
    {
#ifdef THROTTLESCOPE_SANITIZED
        QSKIP("a sanitizer has an allocator of its own");
#endif
        QFETCH(QString, file);
        QFETCH(QString, before);
        QFETCH(QString, after);
        const Scenario scenario = file.isEmpty() ? scenarioFrom(kMix) : shippedWith(file, before, after);
        EventStore store;
        const std::size_t empty = allocated();
        {
            StoreSink sink{store};
            runInto(scenario, sink);
        }
        const double each = static_cast<double>(allocated() - empty) / store.rowCount();
        qInfo("%u events, %.1f bytes each (%.1f by its own count)", store.rowCount(), each,
            static_cast<double>(store.bytes()) / store.rowCount());
        QVERIFY(store.rowCount() >= 1'000'000);
        QVERIFY(each < 120);
    }
};

QTEST_GUILESS_MAIN(TestDashboardMemory)
#include "tst_dashboard_memory.moc"
