// SPDX-License-Identifier: Apache-2.0
#include "core/engine/fifo.h"

#include <QTest>
#include <deque>
#include <random>

using throttlescope::Fifo;

/// The queue of the pacer and the memories of breaker and budget, held against std::deque.
class TestFifo : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itHoldsWhatADequeHolds()
    {
        std::mt19937 random{11};
        for (int round = 0; round < 200; ++round) {
            Fifo<int> fifo;
            std::deque<int> deque;
            for (int i = 0; i < 300; ++i) {
                const auto what = random() % 10;
                if (what < 5) {
                    fifo.append(i);
                    deque.push_back(i);
                } else if (what < 9 && !deque.empty()) {
                    QCOMPARE(fifo.front(), deque.front());
                    fifo.dropFront();
                    deque.pop_front();
                } else if (!deque.empty()) {
                    const auto at = static_cast<std::ptrdiff_t>(random() % deque.size());
                    fifo.erase(fifo.begin() + at);
                    deque.erase(deque.begin() + at);
                }
                QCOMPARE(fifo.empty(), deque.empty());
                QCOMPARE(fifo.size(), deque.size());
                QVERIFY(std::equal(fifo.begin(), fifo.end(), deque.begin(), deque.end()));
                for (std::size_t at = 0; at < deque.size(); ++at)
                    QCOMPARE(fifo[at], deque[at]);
            }
            fifo.clear();
            QVERIFY(fifo.empty());
        }
    }
};

QTEST_APPLESS_MAIN(TestFifo)
#include "tst_fifo.moc"
