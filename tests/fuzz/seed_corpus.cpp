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

/// As fuzz_http_request.cpp takes them: three sizes of pieces, then a connection's bytes. RFC 9112's own examples, and ours.
QByteArrayList connections()
{
    const QByteArray get = "GET /where?q=now HTTP/1.1\r\nHost: www.example.org\r\n\r\n";
    const QByteArray post = "POST /a HTTP/1.1\r\nHost: a\r\n";
    const QByteArrayList all{get, get + get, post + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\nhello" + get,
        post + "Transfer-Encoding: chunked\r\n\r\n5;n=v\r\nhello\r\n0\r\nT: u\r\n\r\n" + get,
        "GET http://h/p HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get, "\r\nOPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", post + "Content-Length: 3, 3\r\n\r\nabc"};
    QByteArrayList seeds;
    for (const QByteArray &bytes : all)
        seeds.push_back("abc" + bytes);
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
        : target == "http_request"                     ? connections()
                                                       : QByteArrayList{};
    if (seeds.isEmpty() || !QDir().mkpath(argv[2])) {
        std::fputs("usage: seed_corpus http_date|delay_value|structured_fields|response|http_request FOLDER\n", stderr);
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
