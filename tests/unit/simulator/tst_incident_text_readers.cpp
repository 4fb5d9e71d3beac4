// SPDX-License-Identifier: Apache-2.0
#include "incident_support.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;
using incident::Reading;

namespace {

/// nginx' documentation of its log module, and Apache's of its own: what the fields are and in which order they stand.
const std::string kCombined = "192.0.2.7 - frank [10/Oct/2000:13:55:36 -0700] \"GET /apache_pb.gif?token=s3cret HTTP/1.0\" 200 2326 "
                              "\"http://www.example.com/start.html\" \"Mozilla/4.08 [en] (Win98; I ;Nav)\"";
const std::string kError = "2021/12/02 11:53:15 [error] 4065777#4065777: *42952950 ";
const std::string kErrorEnd = ", client: 192.0.2.7, server: example.com, request: \"GET /a?q=1 HTTP/1.1\", host: \"Api.Example.com:8080\"";
const std::string kAlb = "https 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 192.168.131.39:2817 10.0.0.1:80 0.086 "
                         "0.048 0.037 ";
const std::string kAlbEnd = "\"curl/7.46.0\" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/t/7 "
                            "\"Root=1-58337281-1d84f3d73c47ec4e58577259\" \"www.example.com\" \"arn:aws:acm:us-east-2:1:certificate/1\" 1 "
                            "2018-07-02T22:22:59.900000Z \"authenticate,forward\" \"-\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" \"-\"";

std::string error(const char *message)
{
    return kError + message + kErrorEnd;
}

std::string alb(const char *statuses, const char *request = "\"GET https://www.example.com:443/p?q=1 HTTP/1.1\"")
{
    return kAlb + statuses + " 34 366 " + request + ' ' + kAlbEnd;
}

std::string envoy(const char *middle, const char *upstream = "tcp://10.0.2.1:80")
{
    return std::string{"[2016-04-15T20:17:00.310Z] \"POST /api/v1/locations?k=1 HTTP/2\" "} + middle
        + " \"10.0.35.28, 10.0.0.1\" \"nsq2http\" \"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\" \"Locations:443\" \"" + upstream + '"';
}

} // namespace

class TestIncidentTextReaders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void entries_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("entry");
        const auto row = [](const char *name, const char *format, const std::string &line, const char *entry) {
            QTest::newRow(name) << QString{format} << QString::fromStdString(line) << QString{entry};
        };
        const std::string &combined = kCombined;
        row("combined: no query, no user, no referrer", "combined", combined, "GET /apache_pb.gif 192.0.2.7 200 - - | nobody");
        row("common, without the last two", "combined", combined.substr(0, combined.find(" \"http:")),
            "GET /apache_pb.gif 192.0.2.7 200 - - | nobody");
        row("a forwarded address and the time it took", "combined", combined + " \"203.0.113.9, 10.0.0.1\" 0.250",
            "GET /apache_pb.gif 203.0.113.9 200 250000us - | nobody");
        row("the time it took by name", "combined", combined + " rt=1.5 uct=\"0.001\" urt=\"1.4\"",
            "GET /apache_pb.gif 192.0.2.7 200 1500000us - | nobody");
        row("a 429 of whom nobody knows", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 429 0 \"-\" \"-\"",
            "GET / ::1 429 - - | unknown");
        row("a 503 alone is no refusal", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 503 0 \"-\" \"-\"",
            "GET / ::1 503 - - | nobody");
        row("status 0", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 000 0 \"-\" \"-\"",
            "GET / ::1 - - - | nobody");
        row("the client had gone", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 499 0 \"-\" \"-\"",
            "GET / ::1 - - - | nobody");
        row("no request line at all", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"-\" 408 0 \"-\" \"-\"", "  ::1 408 - - | nobody");
        row("a TLS hello on a plain port", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"\\x16\\x03\\x01\" 400 157 \"-\" \"-\"",
            "  ::1 400 - - | nobody");
        row("a user with blanks and a bracket", "combined",
            "::1 - a [b c [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 0 \"-\" \"-\"", "GET / ::1 200 - - | nobody");
        row("a virtual host before it", "combined",
            "Www.Example.com:443 192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] \"GET /x HTTP/1.1\" 200 5 \"-\" \"-\"",
            "GET www.example.com/x 192.0.2.7 200 - - | nobody");
        row("an escaped quote in the path", "combined",
            "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a\\x22b\\\"c HTTP/1.1\" 200 5 \"-\" \"q\\\"q\"",
            "GET /a%22b%22c ::1 200 - - | nobody");
        row("a proxy's whole URL with a password", "combined",
            "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET http://u:pw@Host:81/x;jsessionid=1/y#f HTTP/1.1\" 200 5 \"-\" \"-\"",
            "GET host/x/y ::1 200 - - | nobody");
        row("CONNECT", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"CONNECT u:pw@a.example:443 HTTP/1.1\" 200 5 \"-\" \"-\"",
            "CONNECT a.example/ ::1 200 - - | nobody");

        row("limit_req refused", "nginx-error", error("limiting requests, excess: 5.428 by zone \"per_ip\""),
            "GET api.example.com/a 192.0.2.7 - - - | this proxy (limit_req zone \"per_ip\") note");
        row("limit_conn refused", "nginx-error", error("limiting connections by zone \"addr\""),
            "GET api.example.com/a 192.0.2.7 - - - | this proxy (limit_conn zone \"addr\") note");
        row("limit_req held back", "nginx-error", error("delaying request, excess: 0.112, by zone \"per_ip\""),
            "GET api.example.com/a 192.0.2.7 - - - | nobody delayed note");

        row("a quote of the request's own, which nginx writes as it came", "nginx-error",
            kError
                + "limiting requests, excess: 5.428 by zone \"per_ip\", client: 192.0.2.7, server: , request: \"GET /b\"q HTTP/1.1\", "
                  "host: \"h\"",
            "GET h/b%22q 192.0.2.7 - - - | this proxy (limit_req zone \"per_ip\") note");
        row("HTTP/0.9, which has no protocol", "nginx-error",
            kError + "limiting requests, excess: 5.428 by zone \"per_ip\", client: 192.0.2.7, server: , request: \"GET /b\"",
            "GET /b 192.0.2.7 - - - | this proxy (limit_req zone \"per_ip\") note");

        row("Envoy: an answer from behind", "envoy", envoy("204 - 154 0 226 100"),
            "POST locations/api/v1/locations 10.0.35.28 204 226000us 154 | nobody");
        row("Envoy: 429 from behind", "envoy", envoy("429 - 154 0 226 100"),
            "POST locations/api/v1/locations 10.0.35.28 429 226000us 154 | upstream (upstream host)");
        row("Envoy: its own rate limit", "envoy", envoy("429 RL 154 18 1 -", "-"),
            "POST locations/api/v1/locations 10.0.35.28 429 1000us 154 | this proxy (RL)");
        row("Envoy: a circuit breaker's 503", "envoy", envoy("503 UO,URX 154 18 1 -", "10.0.2.1:80"),
            "POST locations/api/v1/locations 10.0.35.28 503 1000us 154 | this proxy (UO)");
        row("Envoy: no healthy upstream is no refusal", "envoy", envoy("503 UH 154 18 1 -", "-"),
            "POST locations/api/v1/locations 10.0.35.28 503 1000us 154 | nobody");
        row("Envoy: the client had gone", "envoy", envoy("0 DC 154 0 5000 -"),
            "POST locations/api/v1/locations 10.0.35.28 - 5000000us 154 | nobody");
        row("Envoy: Istio's longer format", "envoy", envoy("429 - via_upstream - \"-\" 154 0 226 100"),
            "POST locations/api/v1/locations 10.0.35.28 429 226000us 154 | upstream (via_upstream)");

        row("ALB: the target's answer", "alb", alb("200 200"), "GET www.example.com/p 192.168.131.39 200 171000us 34 | nobody");
        row("ALB: the target refused", "alb", alb("429 429"), "GET www.example.com/p 192.168.131.39 429 171000us 34 | upstream (target)");
        row("ALB: nobody was asked", "alb", alb("429 -"), "GET www.example.com/p 192.168.131.39 429 171000us 34 | this proxy (no target)");
        row("ALB: the client had gone", "alb", alb("460 -"), "GET www.example.com/p 192.168.131.39 - 171000us 34 | nobody");
        row("ALB: no request to be read", "alb", alb("400 -", "\"- http://www.example.com:80- -\""),
            " www.example.com 192.168.131.39 400 171000us 34 | nobody");

        row("Traefik CLF: the service refused", "traefik-clf",
            "192.0.2.7 - - [24/Nov/2024:13:38:04 +0000] \"GET /b?x=1 HTTP/2\" 429 352 \"-\" \"Nikto\" 244 \"test@docker\" "
            "\"http://172.17.0.3:80\" 42ms",
            "GET /b 192.0.2.7 429 42000us - | upstream (service answered)");
        row("Traefik CLF: a middleware refused", "traefik-clf",
            "192.0.2.7 - - [24/Nov/2024:13:38:04 +0000] \"GET /b HTTP/2\" 429 17 \"-\" \"-\" 244 \"test@docker\" \"-\" 0ms",
            "GET /b 192.0.2.7 429 0us - | this proxy (no service)");
        row("Traefik CLF: nothing answered", "traefik-clf",
            "192.0.2.7 - - [28/Sep/2022:13:38:04 +0000] \"GET /b HTTP/1.1\" - - \"-\" \"-\" 45640 \"-\" \"-\" 0ms",
            "GET /b 192.0.2.7 - 0us - | nobody");

        row("behind a container runtime", "cri-envoy", "2016-10-06T00:17:09.669794202Z stdout F " + envoy("204 - 154 0 226 100"),
            "POST locations/api/v1/locations 10.0.35.28 204 226000us 154 | nobody");
    }
    void entries()
    {
        QFETCH(QString, format);
        QFETCH(QString, line);
        QFETCH(QString, entry);
        const ReadLine read = readLine(format.toStdString(), line.toStdString());
        QVERIFY2(read.reading == Reading::Entry, qPrintable(QString::number(read.column) + ' ' + read.what));
        QCOMPARE(testing::shown(read.entry), entry);
    }

    void whatIsNone_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("complaint");
        const auto row = [](const char *name, const char *format, const std::string &line, const char *complaint) {
            QTest::newRow(name) << QString{format} << QString::fromStdString(line) << QString{complaint};
        };
        row("nothing in brackets", "combined", "hello", "1 expected a time as 10/Oct/2000:13:55:36 -0700 in brackets");
        row("no such day", "combined", "::1 - - [31/Feb/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 0",
            "10 expected a time as 10/Oct/2000:13:55:36 -0700 in brackets");
        row("no status", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" abc 0",
            "55 expected a status of three digits or '-'");
        row("an open quote", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1", "38 expected the request in quotes");
        row("no size", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 x", "59 expected a size in bytes or '-'");
        row("no user agent", "combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 0 \"-\" x",
            "65 expected the user agent in quotes");
        row("another program's line", "nginx-error", "Dec  1 hello", "1 expected a time as 2021/12/02 11:53:15");
        row("no level", "nginx-error", "2021/12/02 11:53:15 [loud] 1#1: x", "22 expected a level as [error]");
        row("a cut line", "nginx-error", "2021/12/02 11:53:15 [error] 1#1: *1 limiting requests, excess: 5.428 by zo",
            "37 expected 'by zone \"…\", client: …', the line is cut");
        row("no brackets", "envoy", "2016-04-15T20:17:00.310Z \"POST / HTTP/2\" 204 - 1 2 3 4",
            "1 expected a time as [2016-04-15T20:17:00.310Z]");
        row("no prefix of a container runtime", "cri-envoy", envoy("204 - 154 0 226 100"),
            "1 expected a container runtime's prefix as 2016-10-06T00:17:09.669794202Z stdout F");
        row("the column counts from the line's beginning", "cri-envoy", "2016-10-06T00:17:09Z stdout F x",
            "31 expected a time as [2016-04-15T20:17:00.310Z]");
        row("no type", "alb", "ftp 2018", "1 expected http, https, h2, grpcs, ws or wss");
        row("combined is no Traefik CLF", "traefik-clf", kCombined, "171 expected the number of requests so far");
    }
    void whatIsNone()
    {
        QFETCH(QString, format);
        QFETCH(QString, line);
        QFETCH(QString, complaint);
        const ReadLine read = readLine(format.toStdString(), line.toStdString());
        QVERIFY(read.reading == Reading::Malformed);
        QCOMPARE(QString::number(read.column) + ' ' + read.what, complaint);
    }

    void whatIsNoRequest()
    {
        // ngx_http_limit_req_module writes "dry run" where limit_req_dry_run is on: it refused nobody.
        for (const char *message :
            {"limiting requests, dry run, excess: 5.428 by zone \"per_ip\"", "upstream timed out (110: Connection timed out)",
                "connect() failed (111: Connection refused) while connecting to upstream", "open() \"/favicon.ico\" failed"}) {
            QVERIFY2(readLine("nginx-error", error(message)).reading == Reading::NotARequest, message);
        }
        QVERIFY(readLine("nginx-error", "2021/12/02 11:53:15 [notice] 1#1: signal process started").reading == Reading::NotARequest);
    }

    void arrivalIsTheEndWithoutTheDuration()
    {
        // 13:55:36 -0700 is 20:55:36Z, and a quarter of a second before.
        const ReadLine combined = readLine("combined", kCombined + " 0.250");
        QVERIFY(combined.entry.at == utc(2000, 10, 10, 20, 55, 35, 750ms));
        QVERIFY(combined.entry.precision == 1s);
        const ReadLine envoyLine = readLine("envoy", envoy("204 - 154 0 226 100"));
        QVERIFY(envoyLine.entry.at == utc(2016, 4, 15, 20, 17, 0, 310ms)); // its time is the start
        QVERIFY(envoyLine.entry.precision == 1ms);
        QVERIFY(readLine("alb", alb("200 200")).entry.at == utc(2018, 7, 2, 22, 22, 59, 900ms)); // request_creation_time
        std::string edited = alb("200 200");
        edited.replace(edited.find("2018-07-02T22:22:59"), 4, "2011"); // cannot be: end minus 171 ms
        QVERIFY(readLine("alb", edited).entry.at == utc(2018, 7, 2, 22, 23, 0, 186'641us - 171ms));
    }

    void localTimesTakeTheirZone()
    {
        incident::ReaderOptions options;
        options.zone = *incident::LogTimeZone::named("Europe/Berlin");
        QVERIFY(
            readLine("nginx-error", error("limiting requests, excess: 1 by zone \"a\""), options).entry.at == utc(2021, 12, 2, 10, 53, 15));
        options.zone = *incident::LogTimeZone::named("-0530");
        QVERIFY(
            readLine("nginx-error", error("limiting requests, excess: 1 by zone \"a\""), options).entry.at == utc(2021, 12, 2, 17, 23, 15));
        QVERIFY(!incident::LogTimeZone::named("Europe/Berlim"));
        QVERIFY(!incident::LogTimeZone::named("+25:00"));
    }

    void anHourThatCameTwiceGoesOnFromTheLineBefore()
    {
        // On 2021-10-31 Berlin's clock went from 03:00 (UTC+2) back to 02:00 (UTC+1).
        const auto zone = incident::LogTimeZone::named("Europe/Berlin");
        const auto local = [](int hour, int minute) { return utc(2021, 10, 31, hour, minute).time_since_epoch(); };
        QVERIFY(zone->moment(local(2, 59), utc(2021, 10, 31, 0, 58)) == utc(2021, 10, 31, 0, 59));
        QVERIFY(zone->moment(local(2, 1), utc(2021, 10, 31, 0, 59)) == utc(2021, 10, 31, 1, 1));
        QVERIFY(zone->moment(local(3, 30), utc(2021, 10, 31, 1, 1)) == utc(2021, 10, 31, 2, 30));
        // On 2021-03-28 there was no 02:30: it counts on from 02:00 (UTC+1).
        QVERIFY(zone->moment(utc(2021, 3, 28, 2, 30).time_since_epoch(), WallTime::min()) == utc(2021, 3, 28, 1, 30));
        QVERIFY(zone->moment(utc(2021, 7, 1, 12).time_since_epoch(), WallTime::min()) == utc(2021, 7, 1, 10));
        QVERIFY(zone->moment(utc(2021, 7, 1, 13).time_since_epoch(), WallTime::min()) == utc(2021, 7, 1, 11));
    }

    void theFirstAndTheLastYears()
    {
        QVERIFY(readLine("combined", "::1 - - [01/Jan/1970:00:00:00 +0000] \"GET / HTTP/1.1\" 200 0").entry.at == utc(1970, 1, 1));
        QVERIFY(readLine("combined", "::1 - - [01/Jan/1970:00:00:00 +0100] \"GET / HTTP/1.1\" 200 0").entry.at == utc(1969, 12, 31, 23));
        QVERIFY(readLine("combined", "::1 - - [07/Feb/2106:06:28:16 +0000] \"GET / HTTP/1.1\" 200 0").entry.at == WallTime{4'294'967'296s});
        incident::ReaderOptions options;
        options.zone = *incident::LogTimeZone::named("America/New_York");
        QVERIFY(readLine("nginx-error",
                    "2106/02/07 01:28:16 [error] 1#1: *1 limiting requests, excess: 1 by zone \"a\", client: ::1, server: ", options)
                    .entry.at
            == WallTime{4'294'967'296s});
    }

    void epochsAreToldApartBySize()
    {
        using incident::EpochUnit;
        const auto at = [](const char *text, EpochUnit unit = EpochUnit::Guessed) { return incident::readEpochTime(text, unit); };
        QVERIFY(at("971211336.123")->local == 971'211'336'123ms && at("971211336.123")->precision == 1ms);
        QVERIFY(at("4294967296")->local == 4'294'967'296s && at("4294967296")->precision == 1s);
        QVERIFY(at("971211336123")->local == 971'211'336'123ms && at("971211336123")->precision == 1ms);
        QVERIFY(at("971211336123456")->local == 971'211'336'123'456us);
        QVERIFY(at("971211336123456789")->local == 971'211'336'123'456us);
        QVERIFY(at("1000", EpochUnit::Milliseconds)->local == 1s);
        QVERIFY(!at("253402300800", EpochUnit::Seconds)); // the year 10000
        QVERIFY(!at("-1") && !at("") && !at("1e9"));
    }

    void partialLinesAreOne()
    {
        const auto reader = incident::makeReader(*incident::formatNamed("cri-envoy"), {});
        const std::string whole = envoy("204 - 154 0 226 100");
        LogEntry entry;
        QVERIFY((*reader)->read("2016-10-06T00:17:09Z stdout P " + whole.substr(0, 30), entry) == Reading::NotARequest);
        QVERIFY((*reader)->read("2016-10-06T00:17:09Z stderr F unrelated", entry) == Reading::Malformed);
        QVERIFY((*reader)->read("2016-10-06T00:17:09Z stdout P " + whole.substr(30, 40), entry) == Reading::NotARequest);
        QVERIFY((*reader)->read("2016-10-06T00:17:09Z stdout F " + whole.substr(70), entry) == Reading::Entry);
        QCOMPARE(testing::shown(entry), QStringLiteral("POST locations/api/v1/locations 10.0.35.28 204 226000us 154 | nobody"));
        QVERIFY((*reader)->read("2016-10-06T00:17:09Z stdout F " + whole, entry) == Reading::Entry);
    }
};

QTEST_GUILESS_MAIN(TestIncidentTextReaders)
#include "tst_incident_text_readers.moc"
