// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run_program.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QTemporaryDir>
#include <zlib.h>

/// Logs of which it is known what is in them: written from the journal of a run of a scenario of ours.
struct KnownLog {
    QByteArray text; ///< nginx combined
    int requests = 0;
    int refused = 0;
};

/// Twelve clients for 25 minutes against 30 a minute each; a third of them wants twice that, and tries again three times.
inline KnownLog calendarMinutes(const QTemporaryDir &folder, const QByteArray &query = {}, const QByteArray &agent = "curl/8.0")
{
    QByteArray trace = "at,operation,key\n";
    quint32 state = 1; // what is drawn is the same on every machine
    QMultiMap<int, QByteArray> rows;
    for (int client = 0; client < 12; ++client) {
        const int gap = client < 4 ? 1000 : 4000;
        for (int at = 100 * client; at < 1'500'000;) {
            state = state * 1664525U + 1013904223U;
            rows.insert(at, "GET /users/" + QByteArray::number(state >> 12) + "/orders,10.0.0." + QByteArray::number(client + 1));
            at += gap / 2 + static_cast<int>((state >> 8) % static_cast<quint32>(gap));
        }
    }
    QList<QByteArray> addresses;
    for (auto row = rows.cbegin(); row != rows.cend(); ++row) {
        trace += QByteArray::number(row.key() / 1000.0, 'f', 3) + ',' + row.value() + '\n';
        addresses << row.value().mid(row.value().lastIndexOf(',') + 1);
    }
    write(folder.filePath("known.csv"), trace);
    write(folder.filePath("known.yaml"),
        "throttlescope: 1\nstart: 2026-06-02T02:00:00Z\n"
        "servers:\n  api:\n    latency: {lognormal: {median: 80ms, p99: 400ms}}\n"
        "    limits: [{name: minute, quota: 30, per: 1m, window: fixed, align: calendar, key: header:X-K}]\n"
        "    on_limit: {retry_after: none}\n"
        "policies:\n  p: {replay: safe, max_attempts: 4, backoff: {sequence: [1s, 2s, 4s], jitter: {plus_minus: 20%}}}\n"
        "workload: [{operation: x, server: api, method: GET, policy: p, arrivals: {trace: known.csv}}]\n");
    throttlescope({"run", "known.yaml", "--journal", "known.jsonl"}, folder.path());
    KnownLog log;
    for (const QByteArray &line : readAll(folder.filePath("known.jsonl")).split('\n')) {
        const QJsonObject event = QJsonDocument::fromJson(line).object();
        if (event["event"].toString() != QLatin1String("server.answered"))
            continue;
        const auto at = QDateTime::fromString(event["time"].toString(), Qt::ISODateWithMs).toUTC();
        const QByteArray operation = event["operation"].toString().toUtf8();
        const QByteArray status = QByteArray::number(event["status"].toInt());
        log.text += addresses[event["op"].toInt() - 1] + " - - [" + QLocale::c().toString(at, "dd/MMM/yyyy:HH:mm:ss").toUtf8()
            + " +0000] \"" + operation + query + " HTTP/1.1\" " + status + " 12 \"-\" \"" + agent + "\"\n";
        ++log.requests;
        log.refused += status == "429";
    }
    return log;
}

inline QByteArray zipped(const QByteArray &text)
{
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    QByteArray packed(static_cast<qsizetype>(deflateBound(&stream, static_cast<uLong>(text.size()))) + 64, '\0');
    QByteArray plain = text;
    stream.next_in = reinterpret_cast<Bytef *>(plain.data());
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef *>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.truncate(static_cast<qsizetype>(stream.total_out));
    deflateEnd(&stream);
    return packed;
}
