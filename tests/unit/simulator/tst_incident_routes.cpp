// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/pseudonyms.h"
#include "simulator/incident/record_store.h"
#include "simulator/incident/routes.h"

#include <QSet>
#include <QTest>
#include <algorithm>
#include <random>

using namespace throttlescope;
using namespace throttlescope::incident;

/// What stands for paths and addresses, and where requests are kept.
class TestIncidentRoutes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPathBecomesATemplate_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QString>("route");
        QTest::newRow("words stay") << QByteArray{"/api/v1/orders"} << "/api/v1/orders";
        QTest::newRow("the root") << QByteArray{"/"} << "/";
        QTest::newRow("none was logged") << QByteArray{""} << "(no path)";
        QTest::newRow("slashes at the end and twice") << QByteArray{"//api//orders/"} << "/api/orders";
        QTest::newRow("a number is an id") << QByteArray{"/orders/17/items/4"} << "/orders/{id}/items/{id}";
        QTest::newRow("a UUID") << QByteArray{"/jobs/3f2504e0-4f89-11d3-9a0c-0305e82c3301"} << "/jobs/{uuid}";
        QTest::newRow("a digest") << QByteArray{"/blobs/9e107d9d372bb6826bd81d3542a419d6"} << "/blobs/{hex}";
        QTest::newRow("a token") << QByteArray{"/reset/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9abcdef"} << "/reset/{token}";
        QTest::newRow("a short token") << QByteArray{"/reset/aB3xK9Qz"} << "/reset/{id}";
        QTest::newRow("who is behind users is nobody's business") << QByteArray{"/users/alice/orders"} << "/users/{id}/orders";
        QTest::newRow("but me is nobody") << QByteArray{"/users/me"} << "/users/me";
        QTest::newRow("an address") << QByteArray{"/mail/alice@example.com"} << "/mail/{…}";
        QTest::newRow("an address in percents") << QByteArray{"/mail/alice%40example.com"} << "/mail/{id}";
        QTest::newRow("a session in a parameter of the path") << QByteArray{"/cart;jsessionid=0A1B2C/items"} << "/cart/items";
        QTest::newRow("a query that nobody cut") << QByteArray{"/search?q=secret"} << "/search";
        QTest::newRow("bytes that are no text") << QByteArray{"/a/\xff\xfe"} << "/a/{…}";
        QTest::newRow("quotes and commas") << QByteArray{"/a/x,\"y\""} << "/a/{…}";
        QTest::newRow("very deep") << QByteArray{"/a/b/c/d/e/f/g/h/i/j"} << "/a/b/c/d/e/f/g/h/…";
    }
    void aPathBecomesATemplate()
    {
        QFETCH(QByteArray, path);
        QFETCH(QString, route);
        RouteBook book;
        const auto number = book.take(path.toStdString());
        QCOMPARE(QString::fromStdString(book.text(number)), route);
    }

    void aSegmentWithManyValuesIsOneRouteWhateverTheOrder()
    {
        std::vector<std::string> paths;
        for (int i = 0; i < 200'000; ++i)
            paths.push_back("/shop/" + word(i) + (i % 2 ? "/price" : "/stock/now"));
        paths.push_back("/health");
        std::mt19937 random{7};
        for (int round = 0; round < 3; ++round) {
            RouteBook book;
            std::vector<std::uint32_t> taken;
            for (const std::string &path : paths)
                taken.push_back(book.take(path));
            QSet<QString> routes;
            for (const std::uint32_t number : taken)
                routes.insert(QString::fromStdString(book.text(number)));
            QCOMPARE(routes, (QSet<QString>{"/health", "/shop/{…}/price", "/shop/{…}/stock/now"}));
            QVERIFY(book.size() <= 2 * RouteBook::kMostNodes);
            std::shuffle(paths.begin(), paths.end(), random);
        }
    }

    void whatStandsForOneRouteIsOneNumber()
    {
        RouteBook book;
        const std::uint32_t first = book.take("/shop/apple");
        for (int i = 0; i < 100; ++i)
            book.take("/shop/" + word(i));
        QCOMPARE(book.route(first), book.route(book.take("/shop/another")));
        QCOMPARE(QString::fromStdString(book.text(first)), QString{"/shop/{…}"});
    }

    void manyValuesAtEveryDepthStayBounded()
    {
        RouteBook book;
        for (int i = 0; i < 60'000; ++i)
            book.take('/' + word(i % 23) + '/' + word(i / 23 % 23) + '/' + word(i / 529 % 23) + '/' + word(i / 12'167));
        QVERIFY(book.size() <= 2 * RouteBook::kMostNodes);
    }

    void pseudonymsGoByRequestsAndNotByArrival()
    {
        const auto ranked = [](const std::vector<std::string> &clients) {
            Pseudonyms book;
            std::map<std::string, std::uint32_t> numbers;
            for (const std::string &client : clients)
                numbers[client] = book.take(client);
            const std::vector<std::uint32_t> ranks = book.ranks();
            for (auto &[client, number] : numbers)
                number = ranks[number];
            return numbers;
        };
        const auto there = ranked({"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.2", "10.0.0.4", "10.0.0.2", "10.0.0.3"});
        QCOMPARE(there.at("10.0.0.2"), 1U);
        QCOMPARE(there.at("10.0.0.3"), 2U);
        QCOMPARE(there, ranked({"10.0.0.4", "10.0.0.3", "10.0.0.2", "10.0.0.1", "10.0.0.3", "10.0.0.2", "10.0.0.2"}));
        QCOMPARE(QString::fromStdString(pseudonym(there.at("10.0.0.2"))), QString{"c-1"});
    }

    void clientsBeyondTheMostShareOne()
    {
        Pseudonyms book;
        for (std::size_t i = 0; i < Pseudonyms::kMost + 5; ++i)
            book.take(std::to_string(i));
        QCOMPARE(book.size(), Pseudonyms::kMost);
        QCOMPARE(book.shared(), 5U);
        QCOMPARE(book.take("0"), 0U);
        QCOMPARE(book.requests(Pseudonyms::kMost - 1), 6U);
    }

    void recordsComeBackInOrderFromMemoryAndFromTheFile_data()
    {
        QTest::addColumn<int>("count");
        QTest::newRow("none") << 0;
        QTest::newRow("all in memory") << 90;
        QTest::newRow("some on their way to the file") << 150;
        QTest::newRow("most in the file") << 40'000;
    }
    void recordsComeBackInOrderFromMemoryAndFromTheFile()
    {
        QFETCH(int, count);
        RecordStore store{100};
        for (int i = 0; i < count; ++i) {
            KeptRequest request;
            request.at = WallTime{Duration{i}};
            request.client = static_cast<std::uint32_t>(i);
            store.add(request);
        }
        QCOMPARE(store.size(), static_cast<std::uint64_t>(count));
        for (int round = 0; round < 2; ++round) {
            int next = 0;
            const std::string fault = store.each([&next](const KeptRequest &request) {
                const bool right = request.at == WallTime{Duration{next}} && request.client == static_cast<std::uint32_t>(next);
                next += right;
                return right;
            });
            QVERIFY(fault.empty());
            QCOMPARE(next, count);
        }
    }

    void lookingMayStopAnywhere()
    {
        RecordStore store{10};
        for (int i = 0; i < 30'000; ++i)
            store.add({});
        int seen = 0;
        QVERIFY(store.each([&seen](const KeptRequest &) { return ++seen < 20'000; }).empty());
        QCOMPARE(seen, 20'000);
    }

private:
    /// A word of letters only, another one for each number.
    static std::string word(int number)
    {
        std::string text = "w";
        for (; number > 0; number /= 25)
            text += static_cast<char>('a' + number % 25);
        return text + 'z';
    }
};

QTEST_GUILESS_MAIN(TestIncidentRoutes)
#include "tst_incident_routes.moc"
