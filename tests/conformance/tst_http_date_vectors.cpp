// SPDX-License-Identifier: Apache-2.0
#include "core/signals/http_date.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace throttlescope;
using signals::DateMode;

/// The table of dates that other projects' suites hold, with the verdict of RFC 9110 5.6.7.
class HttpDateVectorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QFile file(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/tests/conformance/data/http_dates.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject table = QJsonDocument::fromJson(file.readAll()).object();
        m_now = WallTime{std::chrono::milliseconds{QDateTime::fromString(table["now"].toString(), Qt::ISODate).toMSecsSinceEpoch()}};
        m_vectors = table["vectors"].toArray();
        QCOMPARE(m_vectors.size(), 139);
    }

    void strict_data() { rows(); }
    void strict()
    {
        QFETCH(QJsonObject, row);
        const auto date = read(row, DateMode::Strict);
        QCOMPARE(date.has_value(), row["rfc9110_valid"].toBool());
        if (date)
            QCOMPARE(epoch(*date), row["epoch"].toInteger());
    }

    void tolerant_data() { rows(); }
    void tolerant()
    {
        QFETCH(QJsonObject, row);
        const auto date = read(row, DateMode::Tolerant);
        if (row["rfc9110_valid"].toBool()) {
            QVERIFY(date);
            QCOMPARE(epoch(*date), row["epoch"].toInteger());
            QVERIFY(!date->wrongDayName);
        } else if (row.contains("epoch_ignoring_day_name")) {
            QVERIFY(date && date->wrongDayName);
            QCOMPARE(epoch(*date), row["epoch_ignoring_day_name"].toInteger());
        } else if (date && !row["suite_value"].isNull()) {
            // What we tolerate beyond the RFC reads to the moment that the lenient suite says.
            QCOMPARE(epoch(*date), row["suite_value"].toInteger());
        }
    }

private:
    void rows()
    {
        QTest::addColumn<QJsonObject>("row");
        int number = 0;
        for (const QJsonValue &value : m_vectors)
            QTest::newRow(qPrintable(QString("%1: %2").arg(++number).arg(value["input"].toString()))) << value.toObject();
    }
    std::optional<signals::HttpDate> read(const QJsonObject &row, DateMode mode) const
    {
        return signals::readHttpDate(row["input"].toString().toStdString(), m_now, mode);
    }
    static qint64 epoch(const signals::HttpDate &date)
    {
        return std::chrono::floor<std::chrono::seconds>(date.time).time_since_epoch().count();
    }

    WallTime m_now;
    QJsonArray m_vectors;
};

QTEST_APPLESS_MAIN(HttpDateVectorsTest)
#include "tst_http_date_vectors.moc"
