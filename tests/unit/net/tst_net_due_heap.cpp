// SPDX-License-Identifier: Apache-2.0
#include "core/net/due_heap.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <random>

using namespace throttlescope;
using net::DueHeap;

class TestNetDueHeap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tiesComeInTheOrderInWhichTheyWereSet()
    {
        DueHeap heap;
        for (const DueHeap::Index index : {7U, 2U, 9U})
            heap.set(index, MonotonicTime{Duration{5}});
        heap.set(2, MonotonicTime{Duration{5}}); // set anew: to the end
        QCOMPARE(taken(heap), (std::vector<DueHeap::Index>{7, 9, 2}));
    }

    void removingWhatIsNotThereChangesNothing()
    {
        DueHeap heap;
        heap.remove(3);
        heap.set(1, MonotonicTime{});
        heap.remove(0);
        QVERIFY(!heap.empty());
    }

    /// Against a sorted map, over thousands of random changes.
    void itAgreesWithASortedList()
    {
        std::mt19937 random{5};
        DueHeap heap;
        std::map<DueHeap::Index, std::pair<std::int64_t, int>> expected;
        for (int step = 0; step < 20'000; ++step) {
            const auto index = static_cast<DueHeap::Index>(random() % 50);
            if (random() % 3 == 0) {
                heap.remove(index);
                expected.erase(index);
            } else {
                const auto at = static_cast<std::int64_t>(random() % 20);
                heap.set(index, MonotonicTime{Duration{at}});
                expected[index] = {at, step};
            }
            QCOMPARE(heap.empty(), expected.empty());
            if (expected.empty())
                continue;
            const auto first
                = std::min_element(expected.begin(), expected.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
            QCOMPARE(heap.top(), first->first);
            QVERIFY(heap.earliest() == MonotonicTime{Duration{first->second.first}});
        }
    }

private:
    static std::vector<DueHeap::Index> taken(DueHeap &heap)
    {
        std::vector<DueHeap::Index> order;
        for (; !heap.empty(); heap.remove(heap.top()))
            order.push_back(heap.top());
        return order;
    }
};

QTEST_GUILESS_MAIN(TestNetDueHeap)
#include "tst_net_due_heap.moc"
