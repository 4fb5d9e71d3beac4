// SPDX-License-Identifier: Apache-2.0
#include "incident_support.h"

#include "simulator/incident/json_fault.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;
using incident::Reading;

namespace {

const std::string kEnvoy
    = R"({"start_time":"2025-12-31T16:37:40.479Z","method":"GET","x-envoy-origin-path":"/a?k=1",":authority":"Foo.example.com",)"
      R"("bytes_received":7,"duration":11,"x-forwarded-for":"10.0.0.12","downstream_remote_address":"[::1]:5",)"
      R"("upstream_host":"10.42.0.82:8080","response_code":@,"x-request-id":"abc"})";
const std::string kCaddy
    = R"({"level":"info","ts":1693840791.7564995,"logger":"http.log.access.log0","msg":"handled request",)"
      R"("request":{"remote_ip":"172.17.0.1","client_ip":"127.0.0.1","proto":"HTTP/1.1","method":"GET","host":"127.0.0.1:8080",)"
      R"("uri":"/x?y=1","headers":{"Authorization":["s3cret"],"X-Trace":["t1"]}},"bytes_read":5,"user_id":"bob",)"
      R"("duration":0.25,"size":0,"status":@})";
const std::string kTraefik = R"({"ClientHost":"192.168.1.100,10.0.0.50","ClientUsername":"bob","DownstreamStatus":@,"Duration":2337877,)"
                             R"("RequestContentSize":3,"RequestHost":"example.com","RequestMethod":"OPTIONS","RequestPath":"/sync?t=1",)"
                             R"("StartUTC":"2025-11-28T09:21:55.645779561Z","level":"info","msg":"","time":"2025-11-28T09:21:55Z"})";
const std::string kHar
    = R"({"startedDateTime":"2022-05-12T19:17:34.100Z","time":513.5,"request":{"method":"post","url":"https://u:pw@Api.example.com/t?k=1",)"
      R"("bodySize":45,"cookies":[],"headers":[{"name":"X-Id","value":"7"}]},"response":{"status":@,)"
      R"("content":{"text":"secret"}}})";

std::string with(std::string line, const std::string &value)
{
    return line.replace(line.rfind('@'), 1, value);
}

} // namespace

class TestIncidentJsonReaders : public QObject {
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
        row("Envoy: via_upstream", "envoy-json", with(kEnvoy, json("429,'response_flags':'-','response_code_details':'via_upstream'")),
            "GET foo.example.com/a 10.0.0.12 429 11000us 7 | upstream (via_upstream)");
        row("Envoy: the rate limit filter", "envoy-json",
            with(kEnvoy, json("429,'response_flags':'RL','response_code_details':'request_rate_limited'")),
            "GET foo.example.com/a 10.0.0.12 429 11000us 7 | this proxy (RL)");
        row("Envoy: the local filter, which sets no flag in older versions", "envoy-json",
            with(kEnvoy, json("429,'response_flags':'-','response_code_details':'local_rate_limited'")),
            "GET foo.example.com/a 10.0.0.12 429 11000us 7 | this proxy (local_rate_limited)");
        row("Envoy: overflow by its details", "envoy-json",
            with(kEnvoy, json("503,'response_flags':'-','response_code_details':'upstream_reset_before_response_started{overflow}'")),
            "GET foo.example.com/a 10.0.0.12 503 11000us 7 | this proxy (overflow)");
        row("Envoy: nothing was answered", "envoy-json", with(kEnvoy, json("0,'response_flags':'DC'")),
            "GET foo.example.com/a 10.0.0.12 - 11000us 7 | nobody");
        row("Envoy: numbers as texts", "envoy-json", with(kEnvoy, json("'503','response_flags':'UH'")),
            "GET foo.example.com/a 10.0.0.12 503 11000us 7 | nobody");
        row("Envoy: a logged header", "envoy-json", with(kEnvoy, json("503,'response_flags':'-','retry-after':'30'")),
            "GET foo.example.com/a 10.0.0.12 503 11000us 7 | upstream (upstream host) | retry-after: 30");

        row("Caddy: nobody knows whose", "caddy", with(kCaddy, json("429,'resp_headers':{'Server':['Caddy'],'Retry-After':['30']}")),
            "GET 127.0.0.1/x 127.0.0.1 429 250000us 5 | unknown | retry-after: 30");
        row("Caddy: from behind by its Server", "caddy", with(kCaddy, json("429,'resp_headers':{'Server':['gunicorn']}")),
            "GET 127.0.0.1/x 127.0.0.1 429 250000us 5 | upstream (Server)");
        row("Caddy: from behind by Via", "caddy", with(kCaddy, json("429,'resp_headers':{'Via':['1.1 Caddy']}")),
            "GET 127.0.0.1/x 127.0.0.1 429 250000us 5 | upstream (Via)");
        row("Caddy: from a cache", "caddy", with(kCaddy, json("429,'resp_headers':{'X-Cache':['HIT']}")),
            "GET 127.0.0.1/x 127.0.0.1 429 250000us 5 | this proxy (X-Cache)");
        row("Caddy: GitHub's 403", "caddy",
            with(kCaddy,
                json("403,'resp_headers':{'Server':['github.com'],'X-Ratelimit-Remaining':['0'],'X-Ratelimit-Limit':['60'],'X-Ratelimit-"
                     "Reset':['1693841000'],'X-Ratelimit-Used':['60'],'X-Ratelimit-Resource':['core']}")),
            "GET 127.0.0.1/x 127.0.0.1 403 250000us 5 | upstream (Server) | x-ratelimit-remaining: 0 | x-ratelimit-limit: 60 | "
            "x-ratelimit-reset: 1693841000 | x-ratelimit-used: 60 | x-ratelimit-resource: core");
        row("Caddy: status 0", "caddy", with(kCaddy, "0"), "GET 127.0.0.1/x 127.0.0.1 - 250000us 5 | nobody");

        row("Traefik: the service refused", "traefik-json", with(kTraefik, json("429,'OriginStatus':429,'downstream_Retry-After':'2'")),
            "OPTIONS example.com/sync 192.168.1.100 429 2338us 3 | upstream (OriginStatus) | retry-after: 2");
        row("Traefik: a middleware refused", "traefik-json", with(kTraefik, json("429,'OriginStatus':0")),
            "OPTIONS example.com/sync 192.168.1.100 429 2338us 3 | this proxy (no OriginStatus)");
        row("Traefik: the client had gone", "traefik-json", with(kTraefik, json("499,'OriginStatus':499")),
            "OPTIONS example.com/sync 192.168.1.100 - 2338us 3 | nobody");

        row("HAR: whoever refused was upstream", "har",
            with(kHar, json("429,'headers':[{'name':'Retry-After','value':'7'},{'name':'Set-Cookie','value':'s'}]")),
            "POST api.example.com/t ? 429 513500us 45 | upstream (response) | retry-after: 7");
        row("HAR: 0 is no status", "har", with(kHar, "0"), "POST api.example.com/t ? - 513500us 45 | nobody");
        row("HAR: 500 is a failure", "har", with(kHar, "500"), "POST api.example.com/t ? 500 513500us 45 | nobody");

        row("JSON Lines: common names", "json",
            json("{'time':'2026-06-02T09:00:12Z','status':429,'method':'GET','path':'/"
                 "a?b','remote_addr':'::1','duration_ms':12.5,'host':'h.example'}"),
            "GET h.example/a ::1 429 12500us - | unknown");
        row("JSON Lines: nested", "json",
            json("{'@timestamp':'2026-06-02T09:00:12Z','http':{'response':{'status_code':'503'},'request':{'method':'get'}},'url':{'path':'"
                 "/a'},'client':{'ip':'192.0.2.1'}}"),
            "GET /a 192.0.2.1 503 - - | nobody");
        row("JSON Lines: nginx' variables", "json",
            json("{'msec':'971211336.123','request':'GET /a?b "
                 "HTTP/"
                 "1.1','status':'503','request_time':'0.250','upstream_status':'','limit_req_status':'REJECTED','sent_http_retry_after':'9'"
                 "}"),
            "GET /a ? 503 250000us - | this proxy (limit_req) | retry-after: 9");
        row("JSON Lines: upstream_status", "json", json("{'time':1,'status':429,'method':'GET','upstream_status':'429'}"),
            "GET  ? 429 - - | upstream (upstream_status)");
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

    void arrival()
    {
        QVERIFY(readLine("envoy-json", with(kEnvoy, json("200,'response_flags':'-'"))).entry.at == utc(2025, 12, 31, 16, 37, 40, 479ms));
        // 1693840791.7564995 is 2023-09-04T15:19:51.756499Z and a half; it is the end.
        QVERIFY(readLine("caddy", with(kCaddy, "200")).entry.at == utc(2023, 9, 4, 15, 19, 51, 506'499us));
        QVERIFY(readLine("traefik-json", with(kTraefik, "200")).entry.at == utc(2025, 11, 28, 9, 21, 55, 645'779us));
        QVERIFY(readLine("har", with(kHar, "200")).entry.at == utc(2022, 5, 12, 19, 17, 34, 100ms));
        const ReadLine end = readLine("json", json("{'time':'2026-06-02T09:00:12Z','status':200,'method':'GET','duration':2}"));
        QVERIFY(end.entry.at == utc(2026, 6, 2, 9, 0, 10));
        const ReadLine start = readLine("json", json("{'start_time':'2026-06-02T09:00:12Z','status':200,'method':'GET','duration':2}"));
        QVERIFY(start.entry.at == utc(2026, 6, 2, 9, 0, 12));
    }

    void fieldsByName()
    {
        incident::ReaderOptions options;
        for (const char *field : {"time=ts:ms", "status=r.code", "path=where", "method=verb", "client=api_key", "duration=took:us",
                 "header.Retry-After=r.ra", "correlation=rid"})
            options.fields.push_back(*incident::fieldMapping(field));
        const ReadLine read = readLine("json",
            json("{'ts':1000,'r':{'code':429,'ra':30},'where':'https://u:p@h.example/"
                 "a?k=s3cret','verb':'GET','api_key':'sk-s3cret','took':1500,'rid':'x','status':200}"),
            options);
        QVERIFY2(read.reading == Reading::Entry, qPrintable(read.what));
        QVERIFY(read.entry.at == WallTime{1s} - 1500us);
        QVERIFY(read.entry.status == 429 && read.entry.host == "h.example" && read.entry.path == "/a");
        QVERIFY(read.entry.client.starts_with("key-") && read.entry.correlation.starts_with("key-"));
        QVERIFY(read.entry.limitHeaders == (decltype(read.entry.limitHeaders){{"retry-after", "30"}}));
        const ReadLine without = readLine("json", json("{'ts':1000,'where':'/a','verb':'GET'}"), options);
        QVERIFY(without.reading == Reading::Malformed);
        QCOMPARE(without.what, QStringLiteral("expected a status; its key can be named: status=KEY"));
    }

    void fieldsThatAreNone()
    {
        for (const char *field : {"", "time", "time=", "=x", "tme=ts", "header.=x", "header.a b=x"})
            QVERIFY2(!incident::fieldMapping(field), field);
        QVERIFY(incident::fieldMapping("tme=ts").error().find("expected one of time, start, duration") != std::string::npos);
    }

    void whatIsNoRequest()
    {
        QVERIFY(
            readLine("caddy", json("{'level':'debug','ts':1742400753.05,'logger':'http.handlers.reverse_proxy','msg':'selected upstream'}"))
                .reading
            == Reading::NotARequest);
        QVERIFY(readLine("traefik-json", json("{'level':'info','msg':'Configuration loaded','time':'2025-11-28T09:21:55Z'}")).reading
            == Reading::NotARequest);
        QVERIFY(readLine("json", json("{'level':'info','msg':'started','time':1}")).reading == Reading::NotARequest);
        QVERIFY(readLine("har", json("{'startedDateTime':'2022-05-12T19:17:34.100Z','request':{'url':'data:text/plain,secret'}}")).reading
            == Reading::NotARequest);
    }

    void whatIsNone_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("complaint");
        QTest::newRow("no object") << "json"
                                   << "[1]"
                                   << "1 expected a JSON object";
        QTest::newRow("cut in a text") << "json" << QString::fromStdString(json("{'a':'b"))
                                       << "8 expected a closing quote, the JSON is cut";
        QTest::newRow("cut behind a value") << "json" << QString::fromStdString(json("{'a':1")) << "7 expected more, the JSON is cut";
        QTest::newRow("no colon") << "json" << QString::fromStdString(json("{'a' 1}")) << "6 expected ':' behind a key";
        QTest::newRow("a comma too many") << "json" << QString::fromStdString(json("{'a':1,}")) << "8 expected a key";
        QTest::newRow("a comma too many in a list") << "json" << QString::fromStdString(json("{'a':[1,]}")) << "9 expected a value";
        QTest::newRow("no value") << "json" << QString::fromStdString(json("{'a':tru}")) << "6 expected a value";
        QTest::newRow("something behind it") << "json" << QString::fromStdString(json("{'a':{}} x"))
                                             << "10 expected nothing behind the JSON object";
        QTest::newRow("the wrong bracket") << "json" << QString::fromStdString(json("{'a':[1}}")) << "8 expected ',' or a closing bracket";
        QTest::newRow("no status") << "caddy" << QString::fromStdString(with(kCaddy, "\"x\""))
                                   << "343 expected a status of three digits or 0";
        QTest::newRow("no time") << "envoy-json" << QString::fromStdString(json("{'start_time':'soon'}"))
                                 << "2 expected 'start_time' as 2016-04-15T20:17:00.310Z";
        QTest::newRow("no URL") << "har" << QString::fromStdString(json("{'startedDateTime':'2022-05-12T19:17:34.100Z','request':{}}"))
                                << "47 expected 'request' with a 'url'";
        QTest::newRow("no event") << "journal" << QString::fromStdString(json("{'a':1}"))
                                  << "1 expected a journal event with 'event' and 't'";
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

    void aThousandBracketsAreSurvived()
    {
        for (const char bracket : {'[', '{'}) {
            const std::string deep = "{\"a\":" + std::string(500'000, bracket);
            QVERIFY(readLine("json", deep).reading == Reading::Malformed);
        }
    }

    void aJournalsAttempts()
    {
        // core/journal/README.md: after a throttled attempt `rate_limit.detected` follows, with the hint.
        const auto reader = incident::makeReader(*incident::formatNamed("journal"), {});
        LogEntry entry;
        const auto read = [&](const std::string &rest) {
            return (*reader)->read("{\"seq\":1,\"t\":1,\"time\":\"2026-06-02T09:00:13.000000Z\",\"event\":" + rest, entry);
        };
        QVERIFY(read(json("'run.started','schema':1}")) == Reading::NotARequest);
        QVERIFY(read(json("'operation.started','op':7,'operation':'convert','server':'saia','method':'POST'}")) == Reading::NotARequest);
        QVERIFY(read(json("'attempt.finished','op':7,'operation':'convert','server':'saia','attempt':1,'status':429,'family':'rate_limited'"
                          ",'took':0.25}"))
            == Reading::NotARequest);
        QVERIFY(read(json("'rate_limit.detected','op':7,'operation':'convert','server':'saia','status':429,'hint':{'delay':30,'header':'"
                          "Retry-After','raw':'30'}}"))
            == Reading::Entry);
        QCOMPARE(
            testing::shown(entry), QStringLiteral("POST saia/convert ? 429 250000us - | upstream (rate_limit.detected) | retry-after: 30"));
        QVERIFY(entry.at == utc(2026, 6, 2, 9, 0, 12, 750ms));
        QVERIFY(
            read(json(
                "'attempt.finished','op':7,'operation':'convert','server':'saia','attempt':2,'status':200,'family':'success','took':0.25}"))
            == Reading::Entry);
        QCOMPARE(testing::shown(entry), QStringLiteral("POST saia/convert ? 200 250000us - | nobody"));
        QVERIFY(read(json("'attempt.finished','op':7,'operation':'convert','server':'saia','attempt':3,'failure':'connection_reset','"
                          "family':'transport','took':0.25}"))
            == Reading::Entry);
        QVERIFY(!entry.status);
        QVERIFY(read(json("'attempt.finished','op':7,'attempt':4,'status':9999999999,'took':1e300}")) == Reading::Entry);
        QVERIFY(!entry.status && entry.took <= Duration{24h * 365});
        QVERIFY(read(json("'some.later.event'}")) == Reading::NotARequest);
    }
};

QTEST_GUILESS_MAIN(TestIncidentJsonReaders)
#include "tst_incident_json_readers.moc"
