// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"

#include <deque>
#include <random>

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

/// What the model does, said once more and in the plainest way: every admitted request is kept for ever, and a limit
/// is judged by looking through all of them. UTC only, no keys, nothing used before the start.
class Oracle {
public:
    Oracle(std::vector<Limit> limits, WallTime start)
        : m_limits(std::move(limits))
        , m_start(start.time_since_epoch().count())
        , m_opened(m_limits.size())
    {
    }

    bool admits(std::int64_t now, std::uint64_t units)
    {
        for (std::size_t i = 0; i < m_limits.size(); ++i)
            if (!fits(i, now, cost(i, units)))
                return false;
        for (std::size_t i = 0; i < m_limits.size(); ++i)
            open(i, now);
        m_admitted.push_back({now, units, true});
        return true;
    }
    void leaves(std::size_t admitted) { m_admitted[admitted].present = false; }

private:
    struct Admitted {
        std::int64_t at;
        std::uint64_t units;
        bool present;
    };

    std::uint64_t cost(std::size_t i, std::uint64_t units) const { return m_limits[i].unit == Unit::Units ? units : 1; }

    /// What was admitted in (after, now].
    std::uint64_t since(std::size_t i, std::int64_t after) const
    {
        std::uint64_t sum = 0;
        for (const auto &request : m_admitted)
            if (request.at > after)
                sum += cost(i, request.units);
        return sum;
    }

    bool fits(std::size_t i, std::int64_t now, std::uint64_t units) const
    {
        const auto &limit = m_limits[i];
        const auto per = limit.per.length.count();
        switch (limit.window) {
        case WindowKind::Sliding: return since(i, now - per) + units <= limit.quota;
        case WindowKind::TokenBucket: return bucketFits(i, now, units);
        case WindowKind::Concurrency: {
            std::uint64_t present = 0;
            for (const auto &request : m_admitted)
                present += request.present ? cost(i, request.units) : 0;
            return present + units <= limit.quota;
        }
        case WindowKind::Fixed: break;
        }
        if (limit.align == Align::Calendar)
            return since(i, (m_start + now) / per * per - m_start - 1) + units <= limit.quota;
        const auto &opened = m_opened[i];
        const bool isOpen = !opened.empty() && now < opened.back() + per;
        return (isOpen ? since(i, opened.back() - 1) : 0) + units <= limit.quota;
    }

    void open(std::size_t i, std::int64_t now)
    {
        auto &opened = m_opened[i];
        if (opened.empty() || now >= opened.back() + m_limits[i].per.length.count())
            opened.push_back(now);
    }

    /// The bucket is within its size at the end if, and only if, no stretch up to now took more than its size and what
    /// flowed in meanwhile: for every admitted s, taken in [s, now] · per <= burst · per + quota · (now - s).
    bool bucketFits(std::size_t i, std::int64_t now, std::uint64_t units) const
    {
        const auto &limit = m_limits[i];
        const auto per = limit.per.length.count();
        const auto burst = static_cast<std::int64_t>(limit.burst.value_or(limit.quota));
        auto taken = static_cast<std::int64_t>(units);
        if (taken > burst)
            return false;
        for (auto request = m_admitted.rbegin(); request != m_admitted.rend(); ++request) {
            taken += static_cast<std::int64_t>(cost(i, request->units));
            if (taken * per > burst * per + static_cast<std::int64_t>(limit.quota) * (now - request->at))
                return false;
        }
        return true;
    }

    std::vector<Limit> m_limits;
    std::int64_t m_start;
    std::vector<std::vector<std::int64_t>> m_opened;
    std::vector<Admitted> m_admitted;
};

/// An admitted request that is still at the server.
struct Present {
    std::size_t number;
    Request request;
    Answer answer;
};

class Random {
public:
    explicit Random(std::uint64_t seed)
        : m_engine(seed)
    {
    }
    /// In [least, most]; not the library's distribution, which differs from one library to the next.
    std::int64_t between(std::int64_t least, std::int64_t most)
    {
        return least + static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(most - least + 1));
    }

private:
    std::mt19937_64 m_engine;
};

Limit randomLimit(Random &random, WindowKind kind)
{
    // Short periods of few microseconds make arrivals meet the boundaries again and again.
    const Duration periods[]{10us, 12us, 100us, 1ms};
    auto made = limit("limit", static_cast<std::uint64_t>(random.between(1, 6)), periods[random.between(0, 3)], kind);
    if (random.between(0, 1) == 1)
        made.align = Align::FirstRequest;
    if (random.between(0, 2) == 0)
        made.burst = made.quota + static_cast<std::uint64_t>(random.between(0, 5));
    if (random.between(0, 2) == 0)
        made.unit = Unit::Units;
    return made;
}

} // namespace

class TestModelProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheOracle_data();
    void agreesWithTheOracle();
    void admitsExactlyAtTheHintAndNotBefore_data();
    void admitsExactlyAtTheHintAndNotBefore();
    void aFaultDoesNotShiftAnothersDraws();
};

void TestModelProperties::agreesWithTheOracle_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("fixed windows") << static_cast<int>(WindowKind::Fixed);
    QTest::newRow("sliding windows") << static_cast<int>(WindowKind::Sliding);
    QTest::newRow("token buckets") << static_cast<int>(WindowKind::TokenBucket);
    QTest::newRow("concurrency") << static_cast<int>(WindowKind::Concurrency);
    QTest::newRow("layers of any") << -1;
}

void TestModelProperties::agreesWithTheOracle()
{
    QFETCH(int, kind);
    Random random{20260602};
    for (int round = 0; round < 300; ++round) {
        std::vector<Limit> limits;
        for (auto left = kind < 0 ? random.between(2, 3) : 1; left > 0; --left)
            limits.push_back(randomLimit(random, static_cast<WindowKind>(kind < 0 ? random.between(0, 3) : kind)));
        Bench bench{serverWith(limits)};
        Oracle oracle{limits, wall("2026-06-02T09:00:00Z")};
        std::deque<Present> present;
        std::size_t admitted = 0;
        std::int64_t now = 0;
        for (int i = 0; i < 200; ++i) {
            const std::int64_t steps[]{0, 1, 9, 10, 11, random.between(0, 60)};
            now += steps[random.between(0, 5)];
            Request request;
            request.units = static_cast<std::uint64_t>(random.between(1, 4));
            const auto &answer = bench.ask(Duration{now}, request);
            const auto expected = oracle.admits(now, request.units);
            QVERIFY2(answer.admitted == expected, QByteArray::number(round) + "/" + QByteArray::number(i));
            if (answer.admitted)
                present.push_back({admitted++, request, answer});
            while (!present.empty() && random.between(0, 2) > 0) { // the oldest leave, some time later
                bench.model.finished(at(Duration{now}), present.front().request, present.front().answer);
                oracle.leaves(present.front().number);
                present.pop_front();
            }
        }
    }
}

void TestModelProperties::admitsExactlyAtTheHintAndNotBefore_data()
{
    QTest::addColumn<int>("kind"); // a concurrency limit has no reset
    QTest::newRow("fixed windows") << static_cast<int>(WindowKind::Fixed);
    QTest::newRow("sliding windows") << static_cast<int>(WindowKind::Sliding);
    QTest::newRow("token buckets") << static_cast<int>(WindowKind::TokenBucket);
    QTest::newRow("layers of any") << -1;
}

/// Whoever is refused and alone with the server is admitted at the limit's reset, and a microsecond earlier is not.
void TestModelProperties::admitsExactlyAtTheHintAndNotBefore()
{
    QFETCH(int, kind);
    Random random{7};
    int refused = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<Limit> limits;
        for (auto left = kind < 0 ? random.between(2, 3) : 1; left > 0; --left)
            limits.push_back(randomLimit(random, static_cast<WindowKind>(kind < 0 ? random.between(0, 2) : kind)));
        for (std::size_t i = 0; i < limits.size(); ++i)
            limits[i].name = std::to_string(i);
        Bench bench{serverWith(limits)};
        std::int64_t now = 0;
        for (int i = 0; i < 100; ++i) {
            now += random.between(0, 12);
            Request request;
            if (bench.ask(Duration{now}, request).admitted)
                continue;
            ++refused;
            std::optional<MonotonicTime> reset;
            for (const auto &window : bench.model.windows())
                if (window.limit == bench.answer.violated)
                    reset = window.resets;
            QVERIFY(reset.has_value());
            if (*reset - 1us > at(Duration{now}))
                QVERIFY(!bench.visit(*reset - 1us - MonotonicTime{}, request).admitted);
            now = reset->time_since_epoch().count();
            QVERIFY(bench.visit(Duration{now}, request).admitted);
        }
    }
    QVERIFY(refused > 1000);
}

void TestModelProperties::aFaultDoesNotShiftAnothersDraws()
{
    /// A number that depends on its key alone, as the contract has it.
    class KeyedDraw : public Draw {
        double operator()(const DrawKey &key) const override
        {
            std::mt19937_64 engine{key.operation * 1000 + key.attempt * 10 + static_cast<std::uint64_t>(key.stream)};
            return static_cast<double>(engine() >> 11) * 0x1p-53;
        }
    };
    const KeyedDraw draw;
    auto server = serverWith({});
    server.latency.kind = ExponentialLatency{100ms};
    TimelineEntry outage;
    outage.span = 1h;
    outage.server = "api";
    outage.faults = {{FaultKind::Status, 503, 0.5}};
    ServerModel calm{server, {}, wall("2026-06-02T09:00:00Z"), draw};
    ServerModel stormy{server, {outage}, wall("2026-06-02T09:00:00Z"), draw};
    Answer a, b;
    int faults = 0;
    for (std::uint64_t key = 0; key < 1000; ++key) {
        Request request;
        request.drawKey = key;
        calm.arrive(at(Duration{static_cast<std::int64_t>(key)}), request, a);
        // The same operation, but the storm has other requests in between.
        request.drawKey = key + 100'000;
        stormy.arrive(at(Duration{static_cast<std::int64_t>(key)}), request, b);
        request.drawKey = key;
        stormy.arrive(at(Duration{static_cast<std::int64_t>(key)}), request, b);
        QCOMPARE(a.serverTime.count(), b.serverTime.count());
        faults += b.response.status == 503 ? 1 : 0;
    }
    QVERIFY(faults > 450 && faults < 550);
}

QTEST_APPLESS_MAIN(TestModelProperties)
#include "tst_model_properties.moc"
