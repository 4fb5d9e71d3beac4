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

/// A line of each format, in the order of incident::LogFormat.
QByteArrayList logLines()
{
    return {"::1 [10/Oct/2000:13:55:36 -0700] 971211336.123 \"GET /a?b HTTP/1.1\" 503 0.250 us=502, 429 \"192.0.2.1, 10.0.0.1\" REJECTED "
            "30 h /a?b",
        R"({"startedDateTime":"2022-05-12T19:17:34.100Z","time":513,"request":{"method":"POST","url":"https://u:p@a/t?k","bodySize":45,"headers":[]},)"
        R"("response":{"status":429,"headers":[{"name":"Retry-After","value":"7"}]}})",
        R"({"seq":3,"t":1.5,"time":"2026-06-02T09:00:13.500000Z","event":"attempt.finished","op":1,"operation":"a","attempt":1,"status":200,"took":0.1})",
        R"({"start_time":"2025-12-31T16:37:40.479Z","method":"GET","path":"/a?k","response_code":429,"response_flags":"RL","duration":11})",
        R"({"ts":1693840791.75,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"::1","method":"GET","host":"h:80","uri":"/x?y"},)"
        R"("duration":0.25,"status":429,"resp_headers":{"Retry-After":["30"]}})",
        R"({"ClientHost":"::1","DownstreamStatus":429,"OriginStatus":0,"Duration":2337877,"RequestMethod":"GET","RequestPath":"/","StartUTC":"2025-11-28T09:21:55.6Z"})",
        R"({"time":"2026-06-02T09:00:12Z","status":429,"method":"GET","path":"/a?b","client_ip":"::1","duration_ms":12.5})",
        "2021/12/02 11:53:15 [error] 1#1: *1 limiting requests, excess: 5.428 by zone \"z\", client: ::1, server: , request: \"GET / "
        "HTTP/1.1\", host: \"h\"",
        "[2016-04-15T20:17:00.310Z] \"POST /a HTTP/2\" 429 RL,UO 154 0 226 100 \"10.0.35.28\" \"a\" \"b\" \"h:443\" \"tcp://10.0.2.1:80\"",
        "https 2018-07-02T22:23:00.186641Z app/l/5 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 429 429 0 57 \"GET https://h:443/p "
        "HTTP/1.1\" \"a\" c "
        "TLSv1.2 arn \"Root=1\" \"h\" \"arn\" 1 2018-07-02T22:22:48.364000Z \"waf,forward\"",
        "::1 - - [24/Nov/2024:13:38:04 +0000] \"GET /b HTTP/2\" 200 352 \"-\" \"a\" 244 \"t@docker\" \"http://172.17.0.3:80\" 42ms",
        "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a\\x22b HTTP/1.0\" 200 2326 \"-\" \"a\" \"192.0.2.1\" 0.250"};
}

/// As fuzz_log_lines.cpp takes them: the format's number, then lines; with its highest bit a container runtime's prefix.
QByteArrayList numberedLogLines()
{
    QByteArrayList seeds;
    for (const QByteArray &line : logLines()) {
        const auto number = static_cast<char>(seeds.size() / 2);
        seeds.push_back(number + line + '\n' + line);
        // The first multiple of the number of formats from 128 on.
        seeds.push_back(static_cast<char>(132 + number)
            + ("2016-10-06T00:17:09.6Z stdout P " + line.left(20) + "\n2016-10-06T00:17:09.6Z stdout F " + line.mid(20)));
    }
    return seeds;
}

/// As fuzz_log_file.cpp takes them: the size of the pieces, then the file; the public examples where they are there.
QByteArrayList logFiles()
{
    QByteArrayList seeds;
    for (const QByteArray &line : logLines())
        seeds.push_back('\7' + line + '\n' + line + "\nbroken\n" + line);
    seeds.push_back("\1{\"log\":{\"version\":\"1.2\",\"entries\":[" + logLines().at(1) + ",\n" + logLines().at(1) + "]}}");
    const QDir examples(QStringLiteral(THROTTLESCOPE_SHARED_DIR "/incidents/formats"));
    for (const QString &name : examples.entryList(QDir::Files)) {
        QFile file(examples.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            seeds.push_back('\x40' + file.readAll());
    }
    // gzip and zstd of "a\n".
    seeds.push_back('\1' + QByteArray::fromHex("1f8b08000000000002ff4be4020007a1eadd02000000"));
    seeds.push_back('\1' + QByteArray::fromHex("28b52ffd0058110000610a"));
    return seeds;
}

QByteArrayList logFormats()
{
    const QByteArray line = logLines().first();
    return {QByteArray{"$remote_addr [$time_local] $msec \"$request\" $status $request_time us=$upstream_status \"$http_x_forwarded_for\" "
                       "$limit_req_status "
                       "$sent_http_retry_after $host $request_uri"}
            + '\0' + line,
        QByteArray{"log_format j escape=json '{\"t\":$msec,' '\"s\":${status}}';"} + '\0' + "{\"t\":1.5,\"s\":200}"};
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
        : target == "log_lines"                        ? numberedLogLines()
        : target == "log_file"                         ? logFiles()
        : target == "log_format"                       ? logFormats()
                                                       : QByteArrayList{};
    if (seeds.isEmpty() || !QDir().mkpath(argv[2])) {
        std::fputs(
            "usage: seed_corpus http_date|delay_value|structured_fields|response|http_request|log_lines|log_file|log_format FOLDER\n",
            stderr);
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
