// SPDX-License-Identifier: Apache-2.0
#include "incident_support.h"

#include "simulator/incident/log_format_pieces.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;
using incident::Reading;

namespace {

/// As nginx' documentation of `log_format` has them, and people's own.
const char *const kMain = "log_format main '$remote_addr - $remote_user [$time_local] \"$request\" '\n"
                          "                '$status $body_bytes_sent \"$http_referer\" '\n"
                          "                '\"$http_user_agent\" \"$http_x_forwarded_for\"';";
const char *const kTimed = "$remote_addr [$time_iso8601] $host \"$request_method $request_uri\" $status $request_time "
                           "us=$upstream_status ut=$upstream_response_time lr=$limit_req_status ra=$sent_http_retry_after "
                           "rl=$sent_http_x_ratelimit_remaining id=$request_id";
const char *const kJson
    = "log_format j escape=json '{\"t\":$msec,\"r\":\"$request\",\"s\":$status,\"u\":\"$remote_user\",\"a\":\"$remote_addr\"}'";

ReadLine read(const char *format, const std::string &line, const char *correlate = "")
{
    incident::ReaderOptions options;
    options.logFormat = format;
    options.correlate = correlate;
    return readLine("log-format", line, options);
}

std::string timed(const char *status, const char *upstream, const char *limit, const char *retryAfter = "-")
{
    return std::string{"192.0.2.7 [2026-06-02T09:00:12+02:00] api.example.com \"GET /a?token=1\" "} + status + " 0.250 us=" + upstream
        + " ut=0.100, 0.150 lr=" + limit + " ra=" + retryAfter + " rl=0 id=7f";
}

} // namespace

class TestIncidentLogFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDirectiveAsItStandsInTheConfiguration()
    {
        const ReadLine line = read(kMain,
            "192.0.2.7 - some user [10/Oct/2000:13:55:36 -0700] \"GET /a\\x22b?q=1 HTTP/1.1\" 200 2326 \"-\" \"curl \\x22x\\x22\" "
            "\"203.0.113.9, 10.0.0.1\"");
        QVERIFY2(line.reading == Reading::Entry, qPrintable(line.what));
        QCOMPARE(testing::shown(line.entry), QStringLiteral("GET /a%22b 203.0.113.9 200 - - | nobody"));
        QVERIFY(line.entry.at == utc(2000, 10, 10, 20, 55, 36));
    }

    void whoRefused_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("entry");
        const auto row = [](const char *name, const std::string &line, const char *entry) {
            QTest::newRow(name) << QString::fromStdString(line) << QString{entry};
        };
        const char *const begin = "GET api.example.com/a 192.0.2.7 ";
        const auto with = [begin](const char *rest) { return std::string{begin} + rest; };
        row("an answer", timed("200", "200", "PASSED"), with("200 250000us - | nobody | x-ratelimit-remaining: 0").c_str());
        row("held back", timed("200", "200", "DELAYED"), with("200 250000us - | nobody delayed | x-ratelimit-remaining: 0").c_str());
        row("limit_req's default 503", timed("503", "-", "REJECTED"),
            with("503 250000us - | this proxy (limit_req) | x-ratelimit-remaining: 0").c_str());
        row("a dry run refuses nobody", timed("200", "200", "REJECTED_DRY_RUN"),
            with("200 250000us - | nobody | x-ratelimit-remaining: 0").c_str());
        row("429 from behind", timed("429", "429", "PASSED", "30"),
            with("429 250000us - | upstream (upstream_status) | retry-after: 30 | x-ratelimit-remaining: 0").c_str());
        row("the second one tried refused", timed("429", "502, 429", "PASSED"),
            with("429 250000us - | upstream (upstream_status) | x-ratelimit-remaining: 0").c_str());
        row("503 and nobody was asked", timed("503", "-", "-"),
            with("503 250000us - | this proxy (no upstream) | x-ratelimit-remaining: 0").c_str());
        row("503 from behind is a failure", timed("503", "503", "-"), with("503 250000us - | nobody | x-ratelimit-remaining: 0").c_str());
        row("503 from behind that says when to come back", timed("503", "503", "-", "120"),
            with("503 250000us - | upstream (upstream_status) | retry-after: 120 | x-ratelimit-remaining: 0").c_str());
        row("an internal redirect", timed("429", "200 : 429", "-"),
            with("429 250000us - | upstream (upstream_status) | x-ratelimit-remaining: 0").c_str());
    }
    void whoRefused()
    {
        QFETCH(QString, line);
        QFETCH(QString, entry);
        const ReadLine found = read(kTimed, line.toStdString());
        QVERIFY2(found.reading == Reading::Entry, qPrintable(QString::number(found.column) + ' ' + found.what));
        QCOMPARE(testing::shown(found.entry), entry);
        QVERIFY(found.entry.at == utc(2026, 6, 2, 7, 0, 11, 750ms));
    }

    void escapeJson()
    {
        const ReadLine line
            = read(kJson, "{\"t\":971211336.123,\"r\":\"GET /\\\"a HTTP/1.1\",\"s\":429,\"u\":\"x\\\",\\\"y\",\"a\":\"::1\"}");
        QVERIFY2(line.reading == Reading::Entry, qPrintable(line.what));
        QCOMPARE(testing::shown(line.entry), QStringLiteral("GET /%22a ::1 429 - - | unknown"));
        QVERIFY(line.entry.at == WallTime{971'211'336'123ms});
        QVERIFY(line.entry.precision == 1ms);
    }

    void whatBelongsTogetherStandsForItsValue()
    {
        const ReadLine first = read(kTimed, timed("200", "200", "-"), "x-request-id");
        const ReadLine other = read(kTimed, timed("429", "429", "-"), "x-request-id");
        QVERIFY(!first.entry.correlation.empty());
        QCOMPARE(first.entry.correlation, other.entry.correlation);
        QVERIFY(first.entry.correlation.find("7f ") == std::string::npos);
    }

    void complaints_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("complaint");
        QTest::newRow("no time") << "::1 [soon] a \"GET /\" 200 0 "
                                 << "6 expected $time_iso8601 as 2000-10-10T13:55:36-07:00";
        QTest::newRow("no status") << "::1 [2026-06-02T09:00:12+02:00] a \"GET /\" OK 0.1 us="
                                   << "43 expected $status, three digits";
        QTest::newRow("a text is missing") << "::1 [2026-06-02T09:00:12+02:00] a \"GET /\" 200 0.1"
                                           << "47 expected ' us=' before $upstream_status";
    }
    void complaints()
    {
        QFETCH(QString, line);
        QFETCH(QString, complaint);
        const ReadLine found = read(kTimed, line.toStdString());
        QVERIFY(found.reading == Reading::Malformed);
        QCOMPARE(QString::number(found.column) + ' ' + found.what, complaint);
    }

    void formatsThatSayTooLittle_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("error");
        QTest::newRow("side by side") << "$time_local$status"
                                      << "log_format: $time_local and $status stand side by side, nothing tells where the one ends";
        QTest::newRow("no time") << "$remote_addr $status"
                                 << "log_format: no time in it, expected $time_local, $time_iso8601 or $msec";
        QTest::newRow("no status") << "$msec $request"
                                   << "log_format: no $status in it, nothing tells what was refused";
        QTest::newRow("a lone dollar") << "$msec $ x"
                                       << "log_format: column 7: expected a variable's name behind '$'";
        QTest::newRow("an open brace") << "${msec $status"
                                       << "log_format: column 1: expected a variable's name behind '$'";
        QTest::newRow("an open quote") << "'$msec $status"
                                       << "log_format: a quote is not closed";
        QTest::newRow("nothing") << ""
                                 << "log_format: no time in it, expected $time_local, $time_iso8601 or $msec";
    }
    void formatsThatSayTooLittle()
    {
        QFETCH(QString, format);
        QFETCH(QString, error);
        const auto pieces = incident::logFormatPieces(format.toStdString());
        QVERIFY(!pieces);
        QCOMPARE(QString::fromStdString(pieces.error()), error);
    }

    void bracesAreTheSame()
    {
        const auto pieces = incident::logFormatPieces("${msec}ms $status");
        QVERIFY(pieces && pieces->pieces.size() == 2 && pieces->pieces[1].before == "ms ");
    }
};

QTEST_GUILESS_MAIN(TestIncidentLogFormat)
#include "tst_incident_log_format.moc"
