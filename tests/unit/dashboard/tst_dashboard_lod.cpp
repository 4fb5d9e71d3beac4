// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/rare_events.h"
#include "dashboard_support.h"

#include <QTest>
#include <algorithm>
#include <random>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using dashboard::test::at;

namespace {

struct RareEvent {
    Rare rare;
    MonotonicTime at;
    Row row;
};

/// Samples and rare events by chance: bursts at one moment, gaps, now and then an extreme.
struct Chance {
    LodSeries series;
    std::vector<LodSeries::Sample> samples;
    RareEvents rareEvents;
    std::vector<RareEvent> rares;

    Chance(unsigned seed, int count, std::int64_t widestGap)
    {
        std::mt19937 random{seed};
        MonotonicTime now{};
        for (int i = 0; i < count; ++i) {
            now += random() % 4 == 0 ? Duration{static_cast<std::int64_t>(random()) % widestGap} : 0us;
            const bool extreme = random() % 1000 == 0;
            const auto value = static_cast<float>(random() % 10'000) * (extreme ? 1000.0F : 1.0F) * (random() % 2 == 0 ? 1.0F : -1.0F);
            samples.push_back({now, value, static_cast<std::uint8_t>(random() % kLodClasses), static_cast<Row>(3 * i)});
            series.append(samples.back());
            if (random() % 500 == 0) {
                rares.push_back({static_cast<Rare>(random() % kRares), now, static_cast<Row>(3 * i + 1)});
                rareEvents.append(rares.back().rare, now, rares.back().row);
            }
        }
    }
};

/// Every sample looked at, one by one.
std::vector<LodColumn> bruteForce(const Chance &chance, const PixelRange &range)
{
    std::vector<LodColumn> columns(static_cast<std::size_t>(range.width));
    for (const LodSeries::Sample &sample : chance.samples) {
        if (sample.at < range.from || sample.at >= range.to)
            continue;
        // Its column by division, in long double, which holds 64 bits.
        const long double share = static_cast<long double>((sample.at - range.from).count()) * range.width
            / static_cast<long double>((range.to - range.from).count());
        LodColumn &column = columns[static_cast<std::size_t>(share)];
        column.least = std::min(column.least, sample.value);
        column.most = std::max(column.most, sample.value);
        ++column.count;
        ++column.byClass[sample.sampleClass];
    }
    return columns;
}

} // namespace

class TestDashboardLod : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noExtremeAndNoCountIsLost_data() { rows(); }
    void noExtremeAndNoCountIsLost()
    {
        QFETCH(int, count);
        QFETCH(qint64, gap);
        for (unsigned seed = 1; seed <= 20; ++seed) {
            const Chance chance{seed, count, gap};
            for (const PixelRange &range : ranges(chance, seed)) {
                std::vector<LodColumn> columns;
                chance.series.read(range, columns);
                QCOMPARE(columns, bruteForce(chance, range));
            }
        }
    }

    void noRareEventIsLost_data() { rows(); }
    void noRareEventIsLost()
    {
        QFETCH(int, count);
        QFETCH(qint64, gap);
        for (unsigned seed = 1; seed <= 20; ++seed) {
            const Chance chance{seed, count, gap};
            for (const PixelRange &range : ranges(chance, seed)) {
                std::vector<RareMark> marks;
                chance.rareEvents.read(range, marks);
                std::size_t expected = 0, counted = 0;
                for (const RareEvent &rare : chance.rares) {
                    if (rare.at < range.from || rare.at >= range.to)
                        continue;
                    ++expected;
                    const auto mark = std::find_if(marks.begin(), marks.end(),
                        [&](const RareMark &each) { return each.rare == rare.rare && each.first <= rare.row && rare.row <= each.last; });
                    QVERIFY(mark != marks.end());
                    QCOMPARE(mark->column, range.columnOf(rare.at));
                }
                for (const RareMark &mark : marks)
                    counted += mark.count;
                QCOMPARE(counted, expected);
            }
        }
    }

    void aMomentAndItsColumnAgree()
    {
        std::mt19937_64 random{7};
        for (int i = 0; i < 20'000; ++i) {
            const auto span = static_cast<std::int64_t>(random() % 1'000'000'000'000 + 1);
            const PixelRange range{at(Duration{-5}), at(Duration{span - 5}), static_cast<int>(random() % 4000 + 1)};
            const MonotonicTime time = range.from + Duration{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(span))};
            const int column = range.columnOf(time);
            QVERIFY(column >= 0 && column < range.width);
            QVERIFY(range.beginOf(column) <= time);
            QVERIFY(time < range.beginOf(column + 1));
        }
    }

    void aLoneTripOverAMillionEventsStaysVisible()
    {
        LodSeries attempts;
        RareEvents rares;
        for (int i = 0; i < 1'000'000; ++i)
            attempts.append({at(Duration{1000 * i}), i == 654'321 ? 99.0F : 1.0F, 0, static_cast<Row>(i)});
        rares.append(Rare::BreakerOpened, at(Duration{654'321'000}), 654'321);
        const PixelRange whole{at(0s), at(1000s), 1600};
        std::vector<LodColumn> columns;
        attempts.read(whole, columns);
        std::vector<RareMark> marks;
        rares.read(whole, marks);
        // 1000 s on 1600 columns: 0.625 s each; 654.321 s is in column 1046.
        QCOMPARE(marks, (std::vector<RareMark>{{1046, Rare::BreakerOpened, 1, 654'321, 654'321}}));
        QCOMPARE(columns[1046].most, 99.0F);
        QCOMPARE(columns[1046].count, 625U);
        QCOMPARE(columns[1045].most, 1.0F);
    }

    void emptyRangesAndSeriesAreEmpty()
    {
        LodSeries series;
        std::vector<LodColumn> columns(3);
        series.read({at(0s), at(1s), 2}, columns);
        QCOMPARE(columns, std::vector<LodColumn>(2));
        series.append({at(1s), 5, 0, 0});
        for (const PixelRange &range : {PixelRange{at(1s), at(1s), 5}, PixelRange{at(2s), at(1s), 5}, PixelRange{at(0s), at(1s), 0}}) {
            series.read(range, columns);
            QVERIFY(std::all_of(columns.begin(), columns.end(), [](const LodColumn &column) { return column.count == 0; }));
            std::vector<RareMark> marks;
            RareEvents{}.read(range, marks);
            QVERIFY(marks.empty());
        }
    }

    void theNextAndThePreviousRareEventAreFound()
    {
        RareEvents rares;
        rares.append(Rare::WaitExceeded, at(1s), 10);
        rares.append(Rare::BreakerOpened, at(2s), 20);
        rares.append(Rare::BreakerClosed, at(3s), 30);
        rares.append(Rare::WaitExceeded, at(4s), 40);
        const RareSet exceeded{Rare::WaitExceeded};
        QCOMPARE(rares.next(exceeded, 10), std::optional<Row>{40});
        QCOMPARE(rares.next(exceeded, 40), std::nullopt);
        QCOMPARE(rares.next(kBreakerEvents, 0), std::optional<Row>{20});
        QCOMPARE(rares.next(kBreakerEvents, 20), std::optional<Row>{30});
        QCOMPARE(rares.previous(kBreakerEvents, 30), std::optional<Row>{20});
        QCOMPARE(rares.previous(kBreakerEvents, 20), std::nullopt);
        QCOMPARE(rares.previous(exceeded, 40), std::optional<Row>{10});
    }

    void aMillionSamplesOn1600Columns()
    {
        const Chance chance{1, test::kSanitized ? 50'000 : 1'000'000, 4000};
        const PixelRange range{at(0s), chance.samples.back().at, 1600};
        std::vector<LodColumn> columns;
        std::vector<RareMark> marks;
        QBENCHMARK
        {
            chance.series.read(range, columns);
            chance.rareEvents.read(range, marks);
        }
        QVERIFY(!marks.empty());
    }

private:
    static void rows()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<qint64>("gap");
        QTest::newRow("a few samples far apart") << 40 << qint64{1'000'000'000};
        QTest::newRow("dense samples") << 9000 << qint64{20};
        QTest::newRow("many columns without a sample") << 5000 << qint64{1'000'000};
    }

    static std::vector<PixelRange> ranges(const Chance &chance, unsigned seed)
    {
        std::mt19937_64 random{seed};
        const std::int64_t end = chance.samples.back().at.time_since_epoch().count() + 1;
        std::vector<PixelRange> ranges{
            {at(0s), at(Duration{end}), 1600}, {at(0s), at(Duration{end}), 1}, {at(-1s), at(Duration{3 * end}), 777}};
        for (int i = 0; i < 6; ++i) {
            const auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
            const auto span = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end) + 1);
            ranges.push_back({at(Duration{from}), at(Duration{from + span}), static_cast<int>(random() % 2000 + 1)});
        }
        return ranges;
    }
};

QTEST_GUILESS_MAIN(TestDashboardLod)
#include "tst_dashboard_lod.moc"
