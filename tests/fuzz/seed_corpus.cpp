// SPDX-License-Identifier: Apache-2.0
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstdio>

/// seed_corpus TARGET FOLDER: writes the inputs of the tables of values into FOLDER, a file each, named by their hash.
namespace {

QJsonDocument read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()) : QJsonDocument{};
}

const QString kData = QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/tests/conformance/data/");

QByteArrayList dates()
{
    QByteArrayList seeds;
    for (const QJsonValue &row : read(kData + "http_dates.json").object()["vectors"].toArray())
        seeds.push_back(row["input"].toString().toUtf8());
    return seeds;
}

QByteArrayList values()
{
    QByteArrayList seeds = dates();
    for (const QJsonValue &row : read(kData + "retry_after.json").array()) {
        for (const QJsonValue &header : row["headers"].toArray())
            seeds.push_back(header[1].toString().toUtf8());
    }
    return seeds;
}

/// As fuzz_response.cpp splits them: status, "name: value" lines, an empty line, the body.
QByteArrayList responses()
{
    QByteArrayList seeds;
    for (const QJsonValue &row : read(kData + "retry_after.json").array()) {
        QByteArray seed = QByteArray::number(row["status"].toInt()) + '\n';
        for (const QJsonValue &header : row["headers"].toArray())
            seed += header[0].toString().toUtf8() + ": " + header[1].toString().toUtf8() + '\n';
        seeds.push_back(seed + '\n' + row["body"].toString().toUtf8());
    }
    for (const QJsonValue &dialect : read(kData + "dialects.json").array()) {
        QByteArray seed = "429\n";
        for (const QJsonValue &header : dialect["headers"].toArray())
            seed += header["name"].toString().toUtf8() + ": " + header["samples"][0].toString().toUtf8() + '\n';
        seeds.push_back(seed + '\n');
    }
    return seeds;
}

/// The public suite where it is there, and the structured fields among our own values.
QByteArrayList structuredFields()
{
    QByteArrayList seeds = values();
    const QDir suite(QStringLiteral(THROTTLESCOPE_SHARED_DIR "/vectors/structured-field-tests"));
    for (const QString &name : suite.entryList({"*.json"}, QDir::Files)) {
        for (const QJsonValue &test : read(suite.filePath(name)).array()) {
            QByteArrayList lines;
            for (const QJsonValue &line : test["raw"].toArray())
                lines.push_back(line.toString().toUtf8());
            seeds.push_back(lines.join(", "));
        }
    }
    return seeds;
}

} // namespace

int main(int argc, char **argv)
{
    const QByteArray target = argc == 3 ? argv[1] : "";
    const QByteArrayList seeds = target == "http_date" ? dates()
        : target == "delay_value"                      ? values()
        : target == "structured_fields"                ? structuredFields()
        : target == "response"                         ? responses()
                                                       : QByteArrayList{};
    if (seeds.isEmpty() || !QDir().mkpath(argv[2])) {
        std::fputs("usage: seed_corpus http_date|delay_value|structured_fields|response FOLDER\n", stderr);
        return 2;
    }
    const QDir folder(argv[2]);
    for (const QByteArray &seed : seeds) {
        QFile file(folder.filePath(QCryptographicHash::hash(seed, QCryptographicHash::Sha1).toHex()));
        if (!file.open(QIODevice::WriteOnly) || file.write(seed) != seed.size())
            return 3;
    }
    return 0;
}
