// SPDX-License-Identifier: Apache-2.0
#include "core/signals/dialects.h"
#include "core/signals/header_index.h"
#include "core/signals/rate_limit_state.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace throttlescope;

namespace {

const WallTime kNow{std::chrono::seconds{1'372'700'000}}; // before every sample epoch

QJsonArray table()
{
    QFile file(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/tests/conformance/data/dialects.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray{};
}

/// Samples that stand for a value: "(uuid)", "(time of next allowed request)".
bool isPlaceholder(const QString &sample)
{
    return sample.startsWith('(');
}

} // namespace

/// Every dialect and every header of the shared table is in ours, and each sample value can be read.
class DialectTableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyDialectHasItsName_data()
    {
        QTest::addColumn<QString>("name");
        for (const QJsonValue &dialect : table()) {
            if (dialect["name"] != "_rules")
                QTest::newRow(qPrintable(dialect["name"].toString())) << dialect["name"].toString();
        }
    }
    void everyDialectHasItsName()
    {
        QFETCH(QString, name);
        const auto dialect = signals::dialectNamed(name.toStdString());
        QVERIFY(dialect);
        QCOMPARE(QString::fromStdString(std::string{signals::info(*dialect).name}), name);
    }

    void everySampleIsReadable_data()
    {
        QTest::addColumn<QString>("dialect");
        QTest::addColumn<QString>("header");
        QTest::addColumn<QString>("sample");
        for (const QJsonValue &dialect : table()) {
            for (const QJsonValue &header : dialect["headers"].toArray()) {
                for (const QJsonValue &sample : header["samples"].toArray()) {
                    const QString name = header["name"].toString();
                    const QString row = QString("%1, %2: %3").arg(dialect["name"].toString(), name, sample.toString());
                    if (!isPlaceholder(sample.toString()))
                        QTest::newRow(qPrintable(row)) << dialect["name"].toString() << name << sample.toString();
                }
            }
        }
    }
    void everySampleIsReadable()
    {
        QFETCH(QString, dialect);
        QFETCH(QString, header);
        QFETCH(QString, sample);
        // Patterns of the shared table: any window's name will do.
        header
            .replace("x-ratelimit-*-tokens_usage_based",
                sample.endsWith('s') ? "x-ratelimit-reset-tokens_usage_based" : "x-ratelimit-limit-tokens_usage_based")
            .replace("tokens-*", "tokens-limit")
            .replace("<instance>", "eu");
        const signals::HeaderMatch match = signals::HeaderIndex::instance().find(header.toStdString());
        QVERIFY2(match.entry, "no row of ours has this header");
        signals::ReadOptions options;
        options.dialect = signals::dialectNamed(dialect.toStdString());
        const Response response{429, {{header.toStdString(), sample.toStdString()}}, {}, true, 0};
        const auto state = signals::read(response, kNow, options);
        QVERIFY(signals::readHint(response, kNow, options) == state.hint);
        QVERIFY2(state.unreadable.empty(), state.unreadable.empty() ? "" : state.unreadable.front().why.c_str());
    }

    void eachDialectsOwnHeadersTellIt_data() { everyDialectHasItsName_data(); }
    void eachDialectsOwnHeadersTellIt()
    {
        QFETCH(QString, name);
        Headers headers;
        for (const QJsonValue &dialect : table()) {
            if (dialect["name"] != name)
                continue;
            for (const QJsonValue &header : dialect["headers"].toArray()) {
                if (!header["name"].toString().contains(QRegularExpression("[*<]")) && !isPlaceholder(header["samples"][0].toString()))
                    headers.push_back({header["name"].toString().toStdString(), header["samples"][0].toString().toStdString()});
            }
        }
        const Response response{429, headers, {}, true, 0};
        const auto state = signals::read(response, kNow);
        QVERIFY(signals::readHint(response, kNow, {}) == state.hint);
        // Those that send nothing of their own, or exactly what a better known one sends, are told by that one's name.
        static const QMap<QString, QString> alike{{"cloudflare-api", "ietf-list-08-10"}, {"okta", "x-twitter"}, {"groq", "openai"},
            {"scaleway", "openai"}, {"prisjakt", "x-twitter"}, {"discord-v6", "github"}, {"twitch", "gitlab"}, {"akamai", "github"},
            {"turn-whatsapp", "discord"}, {"zalando", "envoy"}, {"ibm-sva", "x-twitter"}};
        static const QStringList silent{"slack", "notion", "oai-pmh", "spotify", "google-retryinfo", "matrix", "apisix-ai", "kubernetes"};
        if (silent.contains(name))
            return;
        QVERIFY(state.dialect);
        QCOMPARE(QString::fromStdString(std::string{signals::info(*state.dialect).name}), alike.value(name, name));
    }
};

QTEST_APPLESS_MAIN(DialectTableTest)
#include "tst_dialect_table.moc"
