// SPDX-License-Identifier: Apache-2.0
#include "core/journal/json_line.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <random>

using namespace throttlescope;
using journal::JsonLine;

/// One JSON object, member by member: whatever the lengths are, another reader gets what was written.
class TestJsonLine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whateverTheLengthsAnotherReaderGetsThem_data()
    {
        QTest::addColumn<int>("name");
        QTest::addColumn<int>("text");
        for (const int name : {1, 200, 1016, 1017, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 5000}) {
            for (const int text : {0, 1, 7, 8, 9, 800, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 3000})
                QTest::addRow("a name of %d and a text of %d", name, text) << name << text;
        }
    }
    void whateverTheLengthsAnotherReaderGetsThem()
    {
        QFETCH(int, name);
        QFETCH(int, text);
        const std::string key(static_cast<std::size_t>(name), 'k'), value(static_cast<std::size_t>(text), 'v');
        std::string out = "before";
        JsonLine json{out};
        json.member(key, value);
        json.member(key + "1", 17);
        json.open(key + "2", '[');
        json.openItem();
        json.member(key, Duration{1'500'000});
        json.close('}');
        json.openItem();
        json.close('}');
        json.close(']');
        json.raw("raw", "[" + std::string(static_cast<std::size_t>(text), ' ') + "]");
        json.member("last", true);
        json.end();
        QVERIFY(out.starts_with("before{"));
        const QJsonObject read = parsed(out.substr(6));
        const QString expected = QString::fromStdString(key);
        QCOMPARE(read[expected].toString(), QString::fromStdString(value));
        QCOMPARE(read[expected + "1"].toInt(), 17);
        QCOMPARE(read[expected + "2"].toArray().size(), 2);
        QCOMPARE(read[expected + "2"].toArray()[0].toObject()[expected].toDouble(), 1.5);
        QCOMPARE(read["raw"].toArray().size(), 0);
        QCOMPARE(read["last"].toBool(), true);
    }

    void everyCharacterAtEveryPlace()
    {
        for (int place = 0; place < 20; ++place) {
            for (int c = 0; c < 256; ++c) {
                std::string text(20, 'a');
                text[static_cast<std::size_t>(place)] = static_cast<char>(c);
                std::string out;
                JsonLine json{out};
                json.member("text", text);
                json.end();
                QByteArray plain = QByteArray::fromStdString(text);
                const QString expected
                    = c < 0x80 ? QString::fromLatin1(plain) : QString::fromLatin1(plain).replace(place, 1, QChar{0xFFFD});
                QCOMPARE(parsed(out)["text"].toString(), expected);
            }
        }
    }

    void numbersAreReadBack()
    {
        std::mt19937_64 random{7};
        for (int i = 0; i < 2000; ++i) {
            const auto shift = static_cast<int>(random() % 64);
            const auto number = static_cast<std::int64_t>(random()) >> shift;
            std::string out;
            JsonLine json{out};
            json.member("n", number);
            json.member("s", Duration{number});
            json.end();
            const std::string digits = std::to_string(number);
            QVERIFY2(out.starts_with("{\"n\":" + digits + ",\"s\":"), out.c_str());
            // A duration is the same digits with a point in front of the last six.
            std::string shown = out.substr(out.find("\"s\":") + 4);
            shown.pop_back();
            const bool negative = shown.front() == '-';
            shown.erase(std::remove(shown.begin(), shown.end(), '.'), shown.end());
            const std::size_t first = shown.find_first_not_of("-0");
            const std::string significant = first == std::string::npos ? "0" : (negative ? "-" : "") + shown.substr(first);
            QCOMPARE(significant, digits);
        }
    }

    void aTimeOfDayIsWrittenWithAllItsDigits_data()
    {
        QTest::addColumn<qlonglong>("microseconds");
        QTest::addColumn<QString>("expected");
        QTest::newRow("the epoch") << 0LL << "1970-01-01T00:00:00.000000Z";
        QTest::newRow("a leap day") << 1'709'251'199'999'999LL << "2024-02-29T23:59:59.999999Z";
        QTest::newRow("2106") << 4'294'967'296'000'001LL << "2106-02-07T06:28:16.000001Z";
        QTest::newRow("before the epoch") << -1LL << "1969-12-31T23:59:59.999999Z";
    }
    void aTimeOfDayIsWrittenWithAllItsDigits()
    {
        QFETCH(qlonglong, microseconds);
        QFETCH(QString, expected);
        std::string out;
        JsonLine json{out};
        json.member("time", WallTime{Duration{microseconds}});
        json.end();
        QCOMPARE(parsed(out)["time"].toString(), expected);
    }

private:
    static QJsonObject parsed(const std::string &text)
    {
        QJsonParseError error;
        const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text), &error);
        return error.error == QJsonParseError::NoError ? document.object() : QJsonObject{{"error", error.errorString()}};
    }
};

QTEST_APPLESS_MAIN(TestJsonLine)
#include "tst_json_line.moc"
