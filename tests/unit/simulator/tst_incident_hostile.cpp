// SPDX-License-Identifier: Apache-2.0
#include "incident_support.h"
#include "simulator/incident/entry_fields.h"

#include <QTest>

#include <random>

using namespace throttlescope;
using namespace throttlescope::testing;
using namespace throttlescope::incident;

namespace {

/// A line of each format with every field filled; @ stands for a secret wherever a stranger or a user can put one.
struct Sample {
    const char *format;
    std::string line;
};

const char *const kLogFormat
    = "$remote_addr $remote_user [$time_local] $msec \"$request\" $status $request_time \"$http_referer\" \"$http_user_agent\" "
      "\"$http_cookie\" \"$http_authorization\" \"$args\" \"$request_body\" \"$http_x_request_id\" \"$uri\" \"$request_uri\" "
      "\"$sent_http_set_cookie\" \"$host\"";

std::vector<Sample> samples()
{
    return {
        {"combined",
            "192.0.2.7 - @ [10/Oct/2000:13:55:36 -0700] \"GET http://@:@@h.example/a;jsessionid=@/b?t=@#@ HTTP/1.1\" 429 2326 "
            "\"http://r.example/?@\" \"@\" \"192.0.2.1, @\" 0.250"},
        {"traefik-clf",
            "192.0.2.7 - @ [24/Nov/2024:13:38:04 +0000] \"GET /b?x=@ HTTP/2\" 429 352 \"@\" \"@\" 244 \"r\" \"http://@:@@172.17.0.3:80\" "
            "42ms"},
        {"log-format",
            "192.0.2.7 @ [10/Oct/2000:13:55:36 -0700] 971211336.123 \"POST /a?@ HTTP/1.1\" 429 0.1 \"@\" \"@\" \"@\" \"@\" \"@\" \"@\" "
            "\"@\" "
            "\"/a\" \"/a?@\" \"@\" \"h.example\""},
        {"nginx-error",
            "2021/12/02 11:53:15 [error] 1#1: *1 limiting requests, excess: 5.428 by zone \"per_ip\", client: 192.0.2.7, server: "
            "example.com, request: \"GET /a?q=@ HTTP/1.1\", host: \"@@h.example\", referrer: \"https://example.com/?@\""},
        {"envoy",
            "[2016-04-15T20:17:00.310Z] \"POST /v1?k=@ HTTP/2\" 429 RL 154 0 226 100 \"10.0.35.28, @\" \"@\" \"@\" \"@@h.example:443\" "
            "\"tcp://10.0.2.1:80\""},
        {"alb",
            "https 2018-07-02T22:23:00.186641Z app/lb/5 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 0.037 429 429 34 366 \"GET "
            "https://@:@@www.example.com:443/p?q=@ HTTP/1.1\" \"@\" ECDHE TLSv1.2 arn:aws:t \"Root=@\" \"www.example.com\" \"@\" 1 "
            "2018-07-02T22:22:59.900000Z \"forward\" \"https://e.example/?@\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" \"-\""},
        {"envoy-json",
            json("{'start_time':'2025-12-31T16:37:40.479Z','method':'GET','x-envoy-origin-path':'/a?k=@',':authority':'@@foo.example',"
                 "'bytes_received':7,'duration':11,'x-forwarded-for':'10.0.0.12','user-agent':'@','authorization':'@','cookie':'@',"
                 "'response_code':429,'response_flags':'RL','response_code_details':'@','x-request-id':'@','retry-after':'30'}")},
        {"caddy",
            json("{'level':'info','ts':1693840791.7,'logger':'http.log.access','msg':'handled request','request':{'remote_ip':'172.17.0.1',"
                 "'method':'GET','host':'@@h.example','uri':'/x?y=@','headers':{'Authorization':['@'],'Cookie':['@'],'X-Request-Id':['@'],"
                 "'User-Agent':['@'],'Referer':['@']}},'user_id':'@','duration':0.25,'status':429,"
                 "'resp_headers':{'Server':['@'],'Set-Cookie':['@'],'Retry-After':['30']}}")},
        {"traefik-json",
            json("{'ClientHost':'192.168.1.100,@','ClientUsername':'@','DownstreamStatus':429,'OriginStatus':429,'RequestHost':'h.example',"
                 "'RequestMethod':'GET','RequestPath':'/s?t=@','StartUTC':'2025-11-28T09:21:55.6Z','request_Authorization':'@',"
                 "'request_X-Request-Id':'@','downstream_Set-Cookie':'@','ServiceURL':'http://@:@@s','level':'info'}")},
        {"har",
            json(
                "{'startedDateTime':'2022-05-12T19:17:34.100Z','time':5,'request':{'method':'POST','url':'https://@:@@a.example/t?k=@#@',"
                "'headers':[{'name':'Authorization','value':'@'},{'name':'X-Request-Id','value':'@'}],'cookies':[{'name':'@','value':'@'}],"
                "'queryString':[{'name':'k','value':'@'}],'postData':{'text':'@'}},'response':{'status':429,'statusText':'@','redirectURL':"
                "'@',"
                "'headers':[{'name':'Set-Cookie','value':'@'},{'name':'Retry-After','value':'3'}],'content':{'text':'@'}}}")},
        {"json",
            json("{'time':'2026-06-02T09:00:12Z','status':429,'method':'GET','url':'https://@:@@h.example/a?b=@','client':'@','user':'@',"
                 "'token':'@','body':'@','referer':'@','user_agent':'@','headers':{'cookie':'@'},'request_length':5}")},
    };
}

ReaderOptions options()
{
    ReaderOptions options;
    options.logFormat = kLogFormat;
    options.correlate = "x-request-id";
    return options;
}

/// All that an entry holds.
std::string textsOf(const LogEntry &entry)
{
    std::string all
        = entry.method + '|' + entry.host + '|' + entry.path + '|' + entry.client + '|' + entry.correlation + '|' + entry.refusedHow;
    for (const auto &[name, value] : entry.limitHeaders)
        all += '|' + name + ':' + value;
    return all;
}

std::string planted(const std::string &line)
{
    std::string filled;
    // "@@" is the sign itself behind a secret: userinfo.
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '@') {
            filled += line[i];
        } else if (i + 1 < line.size() && line[i + 1] == '@') {
            filled += "s3cret@";
            ++i;
        } else {
            filled += "s3cret";
        }
    }
    return filled;
}

} // namespace

class TestIncidentHostile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plantedSecretsAreInNoEntry()
    {
        for (const Sample &sample : samples()) {
            const ReadLine read = readLine(sample.format, planted(sample.line), options());
            QVERIFY2(read.reading == Reading::Entry, (std::string{sample.format} + ' ' + read.what.toStdString()).c_str());
            const std::string texts = textsOf(read.entry);
            QVERIFY2(texts.find("s3cret") == std::string::npos, (std::string{sample.format} + ' ' + texts).c_str());
            QVERIFY2(read.entry.refusedBy != RefusedBy::Nobody, sample.format);
            QVERIFY2(!read.entry.path.empty() && !read.entry.method.empty(), sample.format);
        }
    }

    void secretsThatComeByAnotherWay()
    {
        // Encoded signs, URLs within paths, path parameters, a body as URL, an address that is none.
        for (const char *target : {"/a%3Fs3cret", "/a%23s3cret", "/a\\x3Fs3cret", "/f/https://u:s3cret@h/x", "/a;sid=s3cret",
                 "//u:s3cret@h/x", "data:text/plain,s3cret", "s3cret@h:443", "http://s3cret@h", "http://h?s3cret", "HTTP://u:s3cret@h/"}) {
            const ReadLine read
                = readLine("combined", std::string{"::1 - - [10/Oct/2000:13:55:36 -0700] \"GET "} + target + " HTTP/1.1\" 200 0");
            QVERIFY(read.reading == Reading::Entry);
            QVERIFY2(textsOf(read.entry).find("s3cret") == std::string::npos, textsOf(read.entry).c_str());
        }
        const ReadLine read = readLine("combined", "s3cret - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 0");
        QVERIFY(read.entry.client.starts_with("key-"));
    }

    void ofLimitHeadersNumbersAndTimesAreKept_data()
    {
        QTest::addColumn<QString>("header");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("kept");
        const auto row = [](const char *header, const char *value, const char *kept) {
            QTest::addRow("%s: %s", header, value) << QString{header} << QString{value} << QString{kept};
        };
        for (const char *value : {"30", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT", "Wednesday, 21-Oct-15 07:28:00 GMT"})
            row("Retry-After", value, value);
        row("Retry-After", "Bearer s3cret", "unreadable");
        row("X-RateLimit-Remaining", "17", "17");
        row("X-RateLimit-Remaining", "s3cret", "unreadable");
        row("X-RateLimit-Reset", "2026-06-02T09:00:12Z", "2026-06-02T09:00:12Z");
        row("x-ratelimit-reset-requests", "6m0s", "6m0s");
        row("RateLimit", "'default';r=50;t=30", "'default';r=50;t=30");
        row("RateLimit-Policy", "'user';q=100;w=60;pk=:czNjcmV0:", "unreadable");
    }
    void ofLimitHeadersNumbersAndTimesAreKept()
    {
        QFETCH(QString, header);
        QFETCH(QString, value);
        QFETCH(QString, kept);
        LogEntry entry;
        addHeader(entry, header.toStdString(), json(value.toStdString()));
        QCOMPARE(entry.limitHeaders.size(), std::size_t{1});
        QCOMPARE(entry.limitHeaders[0].second, json(kept.toStdString()));
    }

    void everyMutationIsSurvived()
    {
        std::mt19937 random{20'260'602};
        for (const Sample &sample : samples()) {
            const auto reader = makeReader(*formatNamed(sample.format), options());
            const auto behindPrefix = makeReader(FormatChoice{formatNamed(sample.format)->format, true}, options());
            const std::string line = planted(sample.line);
            LogEntry entry;
            for (std::size_t i = 0; i < line.size(); ++i) {
                (*reader)->read(std::string_view{line}.substr(0, i), entry);
                (*reader)->read(std::string_view{line}.substr(i), entry);
            }
            for (int round = 0; round < 5000; ++round) {
                std::string changed = line;
                for (auto changes = random() % 3 + 1; changes > 0; --changes)
                    changed[random() % changed.size()]
                        = static_cast<char>(random() % 4 == 0 ? "\"\\ []{}:,-0"[random() % 11] : random() % 256);
                if ((*reader)->read(changed, entry) == Reading::Malformed)
                    QVERIFY((*reader)->complaint().column >= 1 && (*reader)->complaint().column <= changed.size() + 1);
                else
                    QVERIFY(entry.path.empty() || entry.path.front() == '/');
                (*behindPrefix)->read("2016-10-06T00:17:09Z stdout " + std::string{random() % 2 == 0 ? "P " : "F "} + changed, entry);
            }
        }
    }

    void sizesAreBounded()
    {
        const std::string large(900'000, 'a');
        for (const Sample &sample : samples()) {
            std::string line = sample.line;
            for (std::size_t at = line.find('@'); at != std::string::npos; at = line.find('@'))
                line.replace(at, 1, line.size() < 2'000'000 ? large.substr(0, 50'000) : "b");
            const ReadLine read = readLine(sample.format, line, options());
            if (read.reading == Reading::Entry)
                QVERIFY2(textsOf(read.entry).size() < 20'000, sample.format);
        }
        const ReadLine read = readLine("combined", "::1 - - [10/Oct/2000:13:55:36 -0700] \"GET /" + large + " HTTP/1.1\" 200 0");
        QVERIFY(read.reading == Reading::Entry && read.entry.path.size() < 2100);
        std::string headers;
        for (int i = 0; i < 5000; ++i)
            headers += json("'X-RateLimit-Limit-") + QString::number(i).toStdString() + json("':['1'],");
        const ReadLine many
            = readLine("caddy", json("{'ts':1,'msg':'','request':{},'status':429,'resp_headers':{") + headers + json("'a':[]}}"));
        QVERIFY(many.reading == Reading::Entry && many.entry.limitHeaders.size() <= 16);
    }

    void timesAtTheEndsOfAllNumbers()
    {
        for (const char *time : {"9223372036854775807", "18446744073709551615", "1e308", "-1", "0", "99999999999999999999", "253402300799",
                 "'9999-12-31T23:59:60Z'", "'0000-01-01T00:00:00+18:00'", "null", "{}", "[]", "''"}) {
            for (const char *duration : {"9223372036854775807", "1e308", "-5", "'9223372036854775807h'", "0.000000001"})
                readLine("json", json(std::string{"{'time':"} + time + ",'status':200,'method':'GET','duration':" + duration + "}"));
            readLine("caddy", json(std::string{"{'ts':"} + time + ",'msg':'','request':{},'status':200,'duration':1e300}"));
        }
        readLine("envoy", "[2016-04-15T20:17:00.310Z] \"G / H\" 200 - 1 2 99999999999999999999 - \"\" \"\" \"\" \"\" \"\"");
    }
};

QTEST_GUILESS_MAIN(TestIncidentHostile)
#include "tst_incident_hostile.moc"
