// SPDX-License-Identifier: Apache-2.0
#include "core/signals/dialects.h"
#include "core/signals/verdict.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>

using namespace throttlescope;

namespace {

struct Expected {
    std::optional<double> delay;
    bool valid = false;
};

Expected expected(const QJsonObject &object)
{
    const QJsonValue delay = object["delay_seconds"];
    return {delay.isNull() ? std::nullopt : std::optional{delay.toDouble()}, object["valid"].toBool()};
}

Response responseOf(const QJsonObject &row)
{
    Response response;
    response.status = row["status"].toInt();
    for (const QJsonValue &header : row["headers"].toArray())
        response.headers.push_back({header[0].toString().toStdString(), header[1].toString().toStdString()});
    response.body = row["body"].toString().toStdString();
    return response;
}

WallTime nowOf(const QJsonObject &row)
{
    const QDateTime now = QDateTime::fromString(row["now"].toString(), Qt::ISODate);
    return WallTime{std::chrono::milliseconds{now.toMSecsSinceEpoch()}};
}

QJsonArray table()
{
    QFile file(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/tests/conformance/data/retry_after.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray{};
}

/// What no header can tell: the caller must name the dialect.
bool needsName(const QJsonObject &row)
{
    return row["dialect"] == "discord-v6-ms" || row["dialect"] == "prisjakt-ms-delta";
}

} // namespace

/// The table of Retry-After and vendor values: strict, tolerant with the dialect named, and tolerant unasked.
class RetryAfterVectorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTableIsWhole() { QCOMPARE(table().size(), 205); }
    void strict_data()
    {
        rows([](const QJsonObject &) { return true; });
    }
    void strict()
    {
        QFETCH(QJsonObject, row);
        compare(
            row, expected((row.contains("expect_strict") ? row["expect_strict"] : row["expect"]).toObject()), {true, std::nullopt, false});
    }
    void tolerantWithTheDialectNamed_data()
    {
        rows([](const QJsonObject &row) { return row.contains("dialect"); });
    }
    void tolerantWithTheDialectNamed()
    {
        QFETCH(QJsonObject, row);
        const auto dialect = signals::dialectNamed(row["dialect"].toString().toStdString());
        QVERIFY2(dialect, qPrintable(row["dialect"].toString()));
        compare(row, expected(row["expect"].toObject()), {false, dialect, false});
    }
    void tolerantUnasked_data()
    {
        rows([](const QJsonObject &row) { return !needsName(row); });
    }
    void tolerantUnasked()
    {
        QFETCH(QJsonObject, row);
        compare(row, expected(row["expect"].toObject()), {});
    }

private:
    template <typename Filter>
    void rows(Filter filter)
    {
        QTest::addColumn<QJsonObject>("row");
        for (const QJsonValue &value : table()) {
            const QJsonObject row = value.toObject();
            if (filter(row))
                QTest::newRow(qPrintable(row["id"].toString() + ": " + row["why"].toString().left(120))) << row;
        }
    }

    void compare(const QJsonObject &row, const Expected &expected, const signals::ReadOptions &options)
    {
        const signals::Verdict verdict = signals::explain(responseOf(row), nowOf(row), options);
        const auto plain = signals::read(responseOf(row), nowOf(row), options).hint;
        QCOMPARE(verdict.delay, plain ? std::optional{plain->delay} : std::nullopt);
        QVERIFY(signals::readHint(responseOf(row), nowOf(row), options) == plain);
        const QByteArray said = QByteArray::fromStdString(verdict.why);
        QVERIFY2(!said.isEmpty(), "a verdict always says why");
        QVERIFY2(verdict.valid == expected.valid, said);
        QVERIFY2(verdict.delay.has_value() == expected.delay.has_value(), said);
        if (row.contains("actionable"))
            QCOMPARE(verdict.actionable, row["actionable"].toBool());
        if (!expected.delay)
            return;
        const double delay = secondsOf(*verdict.delay);
        const QByteArray both = QByteArray::number(delay, 'f', 9) + " for " + QByteArray::number(*expected.delay, 'f', 9) + ": " + said;
        if (row["cmp"].toString() == "at_least") {
            QVERIFY2(delay >= *expected.delay, both);
        } else {
            // Our resolution is a microsecond, rounded up.
            const double tolerance = row["tolerance_seconds"].toDouble(1e-6);
            QVERIFY2(std::abs(delay - *expected.delay) <= tolerance, both);
        }
    }
};

QTEST_APPLESS_MAIN(RetryAfterVectorsTest)
#include "tst_retry_after_vectors.moc"
