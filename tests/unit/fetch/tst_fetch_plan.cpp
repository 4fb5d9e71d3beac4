// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/allowance.h"
#include "app/cli/fetch/plan.h"
#include "app/cli/fetch/progress.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace throttlescope;
using namespace throttlescope::fetch;

namespace {

std::vector<Item> items(std::size_t count, const QString &host = "h")
{
    std::vector<Item> list;
    for (std::size_t i = 0; i < count; ++i) {
        Item item;
        item.id = std::to_string(i);
        item.url = QUrl{QString{"http://%1/%2"}.arg(host).arg(i)};
        list.push_back(item);
    }
    return list;
}

std::map<std::string, Settled> settled(std::initializer_list<const char *> ids)
{
    std::map<std::string, Settled> known;
    for (const char *id : ids)
        known[id] = {};
    return known;
}

using Order = std::vector<std::size_t>;

/// Where all of them are handed over at once.
std::vector<Duration> startsOf(const std::vector<Item> &items, const Order &order, const Policy &policy)
{
    std::vector<Duration> starts;
    for (const PacedStart &each : pacedStarts(items, order, policy, items.size())) {
        if (each.handedOver != Duration::zero())
            return {};
        starts.push_back(each.start);
    }
    return starts;
}

} // namespace

class TestFetchPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The orders come from a model in another language: MT19937-64 as published, and Fisher and Yates from the end.
    void theSeedGivesTheOrder()
    {
        QCOMPARE(makePlan(items(10), {}, false, 7).order, (Order{0, 7, 4, 9, 3, 1, 2, 8, 6, 5}));
        QCOMPARE(makePlan(items(10), {}, false, UINT64_MAX).order, (Order{1, 3, 6, 9, 8, 4, 2, 7, 5, 0}));
    }
    void whatWasNeverSettledComesFirst()
    {
        const Plan plan = makePlan(items(8), settled({"1", "3", "5", "no longer there"}), false, 7);
        QCOMPARE(plan.order, (Order{2, 6, 7, 4, 0, 5, 1, 3}));
        QCOMPARE(plan.settledBefore, std::size_t{3});
    }
    void whatIsSettledCanBeLeftOut()
    {
        QCOMPARE(makePlan(items(8), settled({"1", "3", "5"}), true, 7).order, (Order{2, 6, 7, 4, 0}));
        QCOMPARE(makePlan(items(1), settled({"0"}), true, 7).order, Order{});
    }
    void everyItemIsThereOnce()
    {
        Order order = makePlan(items(1000), {}, false, 1).order;
        std::sort(order.begin(), order.end());
        Order all(1000);
        std::iota(all.begin(), all.end(), std::size_t{0});
        QCOMPARE(order, all);
    }

    void pacingIsThePolicys_data()
    {
        QTest::addColumn<PacerSpec>("pacer");
        QTest::addColumn<QList<qint64>>("milliseconds");
        PacerSpec requests, units, both;
        requests.requestsPerSecond = Rate{2, 1s};
        units.unitsPerSecond = Rate{1000, 1s};
        both = units;
        both.requestsPerSecond = Rate{2, 1s};
        // Units of the four items: 100, 2000, 1, 1.
        QTest::newRow("2 requests a second") << requests << QList<qint64>{0, 500, 1000, 1500};
        QTest::newRow("1000 units a second") << units << QList<qint64>{0, 100, 2100, 2101};
        QTest::newRow("the slower of both") << both << QList<qint64>{0, 500, 2500, 3000};
        QTest::newRow("none") << PacerSpec{} << QList<qint64>{0, 0, 0, 0};
    }
    void pacingIsThePolicys()
    {
        QFETCH(PacerSpec, pacer);
        QFETCH(QList<qint64>, milliseconds);
        Policy policy;
        policy.pacer = pacer;
        std::vector<Item> list = items(4);
        list[0].units = 100;
        list[1].units = 2000;
        QList<qint64> starts;
        for (const Duration start : startsOf(list, {0, 1, 2, 3}, policy))
            starts << std::chrono::duration_cast<std::chrono::milliseconds>(start).count();
        QCOMPARE(starts, milliseconds);
    }
    void aServerIsPacedByItself()
    {
        Policy policy;
        policy.pacer = PacerSpec{.requestsPerSecond = Rate{1, 1s}};
        std::vector<Item> list = items(2);
        const std::vector<Item> other = items(2, "other");
        list.insert(list.end(), other.begin(), other.end());
        QCOMPARE(startsOf(list, {0, 2, 1, 3}, policy), (std::vector<Duration>{0s, 0s, 1s, 1s}));
        policy.scope = "all";
        QCOMPARE(startsOf(list, {0, 2, 1, 3}, policy), (std::vector<Duration>{0s, 1s, 2s, 3s}));
    }

    void kindsThatTakeTurnsArePacedByWhatEachCosts()
    {
        Policy policy;
        policy.pacer = PacerSpec{.requestsPerSecond = Rate{2, 1s}, .unitsPerSecond = Rate{100, 1s}};
        std::vector<Item> list = items(6);
        list[1].units = 300; // 3 s until the next one
        list[2].url = QUrl{"http://other/"};
        list[3].operationClass = OperationClass::Probe; // waits for nobody, and pays
        list[4].method = "HEAD";
        list[4].operationClass = OperationClass::Read;
        list[5].method = "POST";
        list[5].operationClass = OperationClass::Write;
        const Order mixed{0, 2, 1, 3, 4, 5};
        QCOMPARE(startsOf(list, mixed, policy), (std::vector<Duration>{0s, 0s, 500ms, 0s, 4s, 4500ms}));
        // Two at a time: each is handed over when the earlier of those under way has started.
        QCOMPARE(pacedStarts(list, mixed, policy, 2),
            (std::vector<PacedStart>{{0s, 0s}, {0s, 0s}, {0s, 500ms}, {0s, 0s}, {0s, 4s}, {500ms, 4500ms}}));
        QCOMPARE(pacedStarts(list, {1, 4}, policy, 1), (std::vector<PacedStart>{{0s, 0s}, {0s, 3s}}));
    }

    void aPlanIsCutToWhatRequestsAreEnoughFor()
    {
        std::vector<Item> list = items(5);
        list[2].method = "HEAD"; // needs room for four
        const auto cut = [&list](std::uint64_t most) {
            Plan plan{{0, 1, 2, 3, 4}, 0};
            const std::size_t leftOut = cutTo(most, list, plan);
            return leftOut + plan.order.size() == list.size() ? plan.order : Order{99};
        };
        QCOMPARE(cut(0), Order{});
        QCOMPARE(cut(2), (Order{0, 1}));
        QCOMPARE(cut(4), (Order{0, 1, 3, 4}));
        QCOMPARE(cut(5), (Order{0, 1, 3, 4}));
        QCOMPARE(cut(6), (Order{0, 1, 2, 3, 4}));
        QCOMPARE(cut(100), (Order{0, 1, 2, 3, 4}));
    }

    // Every way that operations can go: each turn, each open one starts and asks for a retry, or ends.
    void theAllowanceIsNeverExceededAndAlwaysUsed_data()
    {
        QTest::addColumn<quint64>("most");
        QTest::addColumn<bool>("everyAnswerIsARetry");
        for (const quint64 most : {1, 2, 3, 7, 8, 9, 50}) {
            QTest::addRow("%llu requests, all refused", most) << most << true;
            QTest::addRow("%llu requests, all answered", most) << most << false;
        }
    }
    void theAllowanceIsNeverExceededAndAlwaysUsed()
    {
        QFETCH(quint64, most);
        QFETCH(bool, everyAnswerIsARetry);
        const Allowance allowance{most};
        constexpr std::size_t concurrency = 4;
        quint64 sent = 0;
        std::size_t open = 0, asks = 0; // how many of the open ones have a request to come
        bool retries = true;
        for (int turn = 0; turn < 200; ++turn) {
            while (open < concurrency && !allowance.usedUp(sent)) {
                retries = retries && !allowance.endsRetries(sent, open);
                if (!allowance.admits(sent, open, retries))
                    break;
                ++open, ++asks;
            }
            const bool before = retries; // what is switched off in a turn holds from the next
            sent += asks;
            retries = retries && !allowance.endsRetries(sent, open);
            QVERIFY(sent <= most);
            const std::size_t again = everyAnswerIsARetry && before ? asks : 0;
            open = asks = again;
        }
        QCOMPARE(sent, most);
    }
    void noMixtureOfTurnsExceedsTheAllowance_data()
    {
        QTest::addColumn<quint64>("most");
        for (const quint64 most : {0, 1, 2, 3, 5, 8, 13, 50})
            QTest::addRow("%llu requests", most) << most;
    }
    // Whatever is open waits, is answered or asks again, and a HEAD is repeated, as the dice have it.
    void noMixtureOfTurnsExceedsTheAllowance()
    {
        QFETCH(quint64, most);
        constexpr std::size_t concurrency = 4;
        const Allowance allowance{most};
        for (unsigned seed = 0; seed < 300; ++seed) {
            std::mt19937 dice{seed};
            std::vector<std::size_t> open; // how many requests an attempt of each may become
            quint64 sent = 0;
            bool retries = true;
            for (int turn = 0; turn < 2000 && (!open.empty() || !allowance.usedUp(sent)); ++turn) {
                while (open.size() < concurrency && !allowance.usedUp(sent)) {
                    const std::size_t next = Allowance::mostOf(dice() % 3 == 0 ? "HEAD" : "GET");
                    const std::size_t toCome = std::accumulate(open.begin(), open.end(), std::size_t{0});
                    retries = retries && !allowance.endsRetries(sent, toCome, next);
                    const bool fits = allowance.admits(sent, toCome, retries, next);
                    if (!fits && !open.empty())
                        break;
                    if (fits)
                        open.push_back(next);
                }
                const bool before = retries; // what is switched off in a turn holds from the next
                std::erase_if(open, [&](std::size_t mostOfIt) {
                    if (dice() % 4 == 0)
                        return false; // still waits
                    sent += 1 + dice() % mostOfIt;
                    return !before || dice() % 2 == 0;
                });
                retries = retries && !allowance.endsRetries(sent, std::accumulate(open.begin(), open.end(), std::size_t{0}));
                QVERIFY2(sent <= most, qPrintable(QString{"seed %1"}.arg(seed)));
            }
            QCOMPARE(sent, most);
        }
    }

    void withoutALimitNothingIsHeldBack()
    {
        QVERIFY(Allowance{std::nullopt}.admits(1'000'000, 1000, true));
        QVERIFY(!Allowance{std::nullopt}.usedUp(1'000'000) && !Allowance{std::nullopt}.endsRetries(1'000'000, 1000));
        QVERIFY(Allowance{0}.usedUp(0));
    }

    void progressTellsRateAndTimeLeft()
    {
        // 40 in 20 s are 2 a second; 460 more take 230 s.
        QCOMPARE(progressText(40, 500, 3, 20s), std::string{"40/500  2.0/s  3 unchecked  3m50s left"});
        QCOMPARE(progressText(0, 500, 0, 0ms), std::string{"0/500  0.0/s  0 unchecked"});
    }
};

QTEST_GUILESS_MAIN(TestFetchPlan)
#include "tst_fetch_plan.moc"
