// SPDX-License-Identifier: Apache-2.0
#include "core/signals/structured_fields.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace throttlescope::signals;

namespace {

/// The suite writes bytes in base32 (RFC 4648).
std::string base32(const QString &text)
{
    const QString alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string bytes;
    unsigned bits = 0;
    int held = 0;
    for (const QChar c : text) {
        if (c == '=')
            break;
        bits = (bits << 5) | static_cast<unsigned>(alphabet.indexOf(c));
        held += 5;
        if (held >= 8) {
            held -= 8;
            bytes.push_back(static_cast<char>((bits >> held) & 0xffU));
        }
    }
    return bytes;
}

/// JSON has one kind of number: what has no fraction is an integer, and `same` forgives a decimal for it.
sf::BareItem bareItem(const QJsonValue &value)
{
    if (value.isBool())
        return value.toBool();
    if (value.isString())
        return sf::String{value.toString().toStdString()};
    if (value.isDouble()) {
        const double number = value.toDouble();
        return number == static_cast<double>(value.toInteger()) ? sf::BareItem{sf::Integer{value.toInteger()}}
                                                                : sf::BareItem{sf::Decimal::rounded(number)};
    }
    const QString type = value["__type"].toString();
    if (type == "token")
        return sf::Token{value["value"].toString().toStdString()};
    if (type == "binary")
        return sf::ByteSequence{base32(value["value"].toString())};
    if (type == "date")
        return sf::Date{value["value"].toInteger()};
    return sf::DisplayString{value["value"].toString().toStdString()};
}

sf::Parameters parameters(const QJsonValue &value)
{
    sf::Parameters made;
    for (const QJsonValue &pair : value.toArray())
        made.push_back({pair[0].toString().toStdString(), bareItem(pair[1])});
    return made;
}

sf::Item item(const QJsonValue &value)
{
    return {bareItem(value[0]), parameters(value[1])};
}

sf::Member member(const QJsonValue &value)
{
    if (!value[0].isArray())
        return item(value);
    sf::InnerList inner;
    for (const QJsonValue &each : value[0].toArray())
        inner.items.push_back(item(each));
    inner.parameters = parameters(value[1]);
    return inner;
}

sf::List list(const QJsonValue &value)
{
    sf::List made;
    for (const QJsonValue &each : value.toArray())
        made.push_back(member(each));
    return made;
}

sf::Dictionary dictionary(const QJsonValue &value)
{
    sf::Dictionary made;
    for (const QJsonValue &each : value.toArray())
        made.push_back({each[0].toString().toStdString(), member(each[1])});
    return made;
}

// Comparison through visitors: a decimal without a fraction equals the number that JSON has for it.
bool same(const sf::BareItem &parsed, const sf::BareItem &expected)
{
    const auto *decimal = std::get_if<sf::Decimal>(&parsed);
    const auto *integer = std::get_if<sf::Integer>(&expected);
    return decimal && integer ? decimal->thousandths == *integer * 1000 : parsed == expected;
}
bool same(const sf::Parameters &parsed, const sf::Parameters &expected)
{
    return std::equal(parsed.begin(), parsed.end(), expected.begin(), expected.end(),
        [](const auto &a, const auto &b) { return a.key == b.key && same(a.value, b.value); });
}
bool same(const sf::Item &parsed, const sf::Item &expected)
{
    return same(parsed.value, expected.value) && same(parsed.parameters, expected.parameters);
}
bool same(const sf::Member &parsed, const sf::Member &expected)
{
    if (parsed.index() != expected.index())
        return false;
    if (const auto *one = std::get_if<sf::Item>(&parsed))
        return same(*one, std::get<sf::Item>(expected));
    const auto &a = std::get<sf::InnerList>(parsed);
    const auto &b = std::get<sf::InnerList>(expected);
    return same(a.parameters, b.parameters)
        && std::equal(
            a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), [](const auto &x, const auto &y) { return same(x, y); });
}
bool same(const sf::List &parsed, const sf::List &expected)
{
    return std::equal(
        parsed.begin(), parsed.end(), expected.begin(), expected.end(), [](const auto &a, const auto &b) { return same(a, b); });
}
bool same(const sf::Dictionary &parsed, const sf::Dictionary &expected)
{
    return std::equal(parsed.begin(), parsed.end(), expected.begin(), expected.end(),
        [](const auto &a, const auto &b) { return a.key == b.key && same(a.value, b.value); });
}

const QString kSuite = qEnvironmentVariable("THROTTLESCOPE_SHARED_DIR", QStringLiteral(THROTTLESCOPE_SHARED_DIR))
    + QStringLiteral("/vectors/structured-field-tests");

} // namespace

/// The public suite of RFC 9651, read where it lies. None of it is copied.
class StructuredFieldsSuiteTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!QDir(kSuite).exists())
            QSKIP(qPrintable("no suite at " + kSuite));
    }
    void parsing_data() { rows(kSuite); }
    void parsing()
    {
        QFETCH(QJsonObject, test);
        QByteArrayList lines;
        for (const QJsonValue &line : test["raw"].toArray())
            lines.push_back(line.toString().toUtf8());
        const std::string text = lines.join(", ").toStdString();
        const QString type = test["header_type"].toString();
        if (type == "item")
            parsed(test, sf::parseItem(text), item(test["expected"]));
        else if (type == "list")
            parsed(test, sf::parseList(text), list(test["expected"]));
        else
            parsed(test, sf::parseDictionary(text), dictionary(test["expected"]));
    }
    void serialisation_data() { rows(kSuite + "/serialisation-tests"); }
    void serialisation()
    {
        QFETCH(QJsonObject, test);
        const QString type = test["header_type"].toString();
        if (type == "item")
            serialised(test, sf::serialised(item(test["expected"])));
        else if (type == "list")
            serialised(test, sf::serialised(list(test["expected"])));
        else
            serialised(test, sf::serialised(dictionary(test["expected"])));
    }

private:
    static void rows(const QString &folder)
    {
        QTest::addColumn<QJsonObject>("test");
        int count = 0;
        const QDir directory(folder);
        for (const QString &name : directory.entryList({"*.json"}, QDir::Files)) {
            QFile file(directory.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            for (const QJsonValue &test : QJsonDocument::fromJson(file.readAll()).array())
                QTest::newRow(qPrintable(QString("%1 %2: %3").arg(name).arg(++count).arg(test["name"].toString()))) << test.toObject();
        }
        QVERIFY2(count > 0, "the folder is there and holds no test");
    }

    template <typename Result, typename Expected>
    static void parsed(const QJsonObject &test, const Result &result, const Expected &expected)
    {
        if (test["must_fail"].toBool()) {
            QVERIFY(!result);
            return;
        }
        if (!result && test["can_fail"].toBool())
            return;
        QVERIFY2(result, result ? "" : result.error().what.data());
        QVERIFY(same(*result, expected));
        serialised(test, sf::serialised(*result));
    }

    template <typename Result>
    static void serialised(const QJsonObject &test, const Result &result)
    {
        if (test["must_fail"].toBool()) {
            QVERIFY(!result);
            return;
        }
        QVERIFY2(result, result ? "" : result.error().data());
        // Without a canonical form of its own the test's input is canonical; an empty one means that nothing is sent.
        QByteArrayList canonical;
        for (const QJsonValue &line : (test.contains("canonical") ? test["canonical"] : test["raw"]).toArray())
            canonical.push_back(line.toString().toUtf8());
        QCOMPARE(QByteArray::fromStdString(*result), canonical.join(", "));
    }
};

QTEST_APPLESS_MAIN(StructuredFieldsSuiteTest)
#include "tst_structured_fields_suite.moc"
