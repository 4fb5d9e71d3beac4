// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/string_pool.h"

#include <QTest>

using namespace throttlescope::dashboard;

class TestDashboardTexts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textsOfOneLengthAndTheSameEndsAreToldApart()
    {
        StringPool pool;
        std::vector<TextId> ids;
        for (char middle = 'a'; middle <= 'z'; ++middle)
            ids.push_back(pool.intern(std::string{"r"} + middle + "d"));
        for (int round = 0; round < 2; ++round) {
            for (char middle = 'a'; middle <= 'z'; ++middle) {
                const std::string text = std::string{"r"} + middle + "d";
                const TextId id = ids.at(static_cast<std::size_t>(middle - 'a'));
                QCOMPARE(pool.intern(text), id);
                QCOMPARE(pool.text(id), std::string_view{text});
            }
        }
        QCOMPARE(pool.size(), std::size_t{27}); // the empty text is one of them
    }

    void theBytesMayChangeUnderTheSamePointer()
    {
        StringPool pool;
        char bytes[] = "read";
        const TextId read = pool.intern(bytes);
        bytes[1] = 'o';
        const TextId road = pool.intern(bytes);
        QVERIFY(read != road);
        QCOMPARE(pool.text(read), std::string_view{"read"});
        QCOMPARE(pool.find("road"), std::optional{road});
    }

    void theEmptyTextIsTheFirst()
    {
        StringPool pool;
        QCOMPARE(pool.intern("a"), TextId{1});
        QCOMPARE(pool.intern({}), TextId{0});
        QCOMPARE(pool.intern("a"), TextId{1});
    }
};

QTEST_GUILESS_MAIN(TestDashboardTexts)
#include "tst_dashboard_texts.moc"
