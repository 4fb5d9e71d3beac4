// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/run_hint.h"

#include <cmath>

namespace {

QJsonArray vectors()
{
    QFile file(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/tests/conformance/data/retry_after.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray{};
}

} // namespace

class TestHint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qunsetenv("NO_COLOR"); }

    // "Inputs that others get wrong" of the shared retry-engines.md, by number. Numbers 8 to 11 and 13 to 15 are about what
    // a client does (tst_breaker, tst_backoff, tst_pacer, tst_engine_* have them); here stands what the answer that it meets
    // there means.
    void inputsThatOthersGetWrong_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("verdict");
        const QString own = "the client's own backoff decides";
        const QString now = "2026-06-02T09:00:12Z";
        const auto row = [](const char *name, const QStringList &arguments, const QString &value, const QString &verdict) {
            QTest::newRow(name) << arguments << value << verdict;
        };
        row("1: an hour over a cap of 10 s is refused, not clamped", {"Retry-After: 3600", "--max-wait", "10s"}, "3600 s (1h)",
            "refused: 3600 s (1h) is over the max-wait of 10s");
        row("2: 9223372037 s is no negative wait", {"Retry-After: 9223372037"}, "9223372037 s", "refused: 9223372037 s");
        row("2: what overflows saturates", {"Retry-After: 99999999999999999999"}, "longer than 292,000 years", "refused: longer than");
        row("3: a day does not fit into minutes", {"Retry-After: 86400", "--max-wait", "48h", "--total-timeout", "5m"}, "86400 s (24h)",
            "refused at once: 86400 s (24h) does not fit into the total timeout of 5m");
        row("4: at least the own 10 s", {"Retry-After: 1", "--at-least", "10s"}, "1 s", "wait the client's own delay of 10 s, then retry");
        row("4: at least the own 10 s, but 0 is told first", {"Retry-After: 0", "--at-least", "10s"}, "0 s", "retry now");
        row("4: a hint of a 503 is taken as it is", {"Retry-After: 1", "--status", "503", "--at-least", "10s"}, "1 s",
            "wait 1 s, then retry");
        row("4: without a hint the own 5 s", {"Server: x", "--at-least", "5s"}, "none", "wait the client's own delay of 5 s, then retry");
        row("5: a fraction", {"Retry-After: 0.503"}, "0.503 s", "wait 0.503 s, then retry");
        row("5: minutes and seconds", {"Retry-After: 1m0s"}, "60 s", "wait 60 s");
        row("5: milliseconds are not seconds", {"Retry-After: 500ms"}, "0.5 s", "wait 0.5 s");
        row("5: by the letter of the RFC it is nothing", {"Retry-After: 500ms", "--strict"}, "none", own);
        row("6: 0 is a hint", {"Retry-After: 0"}, "0 s", "retry now");
        row("7: a date is in GMT", {"Retry-After: Tue, 02 Jun 2026 09:00:59 GMT", "--now", now}, "47 s", "wait 47 s");
        row("7: a date against the server's Date",
            {"Retry-After: Tue, 02 Jun 2026 09:00:59 GMT", "Date: Tue, 02 Jun 2026 09:00:12 GMT", "--now", "2026-06-02T14:30:12Z"}, "47 s",
            "wait 47 s");
        row("7: a date in the past is 0", {"Retry-After: Tue, 02 Jun 2026 08:00:00 GMT", "--now", now}, "0 s", "retry now");
        row("8: a probe's 503 tells nothing", {"Content-Length: 0", "--status", "503"}, "none", own);
        row("9: attempt 1,024 gets no delay told", {"Content-Length: 0"}, "none", own);
        row("10: at the cap is not over it", {"Retry-After: 60", "--max-wait", "60s"}, "60 s", "wait 60 s");
        row("11: a negative wait is none", {"Retry-After: -5"}, "none", own);
        row("12: epoch milliseconds", {"X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1780390859000", "--now", now}, "47 s", "wait 47 s");
        row("12: a past epoch is 0", {"X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1780390811", "--now", now}, "0 s", "retry now");
        row("13: a window that is used up orders no wait on a success", {"RateLimit: \"a\";r=0;t=5", "--status", "200"}, "5 s",
            "nothing to wait for");
        row("14: a cancelled attempt's answer tells nothing", {"Content-Length: 0", "--status", "500"}, "none", own);
        row("15: the second layer meets the same refusal", {"Retry-After: 7", "--status", "503"}, "7 s", "wait 7 s, then retry");
    }
    void inputsThatOthersGetWrong()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, value);
        QFETCH(QString, verdict);
        const Ran ran = hint(arguments);
        QVERIFY2(ran.code == 0, ran.err);
        QVERIFY2(lineOf(ran.out, "value").startsWith(value), ran.out);
        QVERIFY2(lineOf(ran.out, "verdict").contains(verdict), ran.out);
        QVERIFY2(!lineOf(ran.out, "rule").isEmpty(), ran.out);
    }

    void theIssuesExampleInItsWords()
    {
        const Ran ran = hint({"x-ratelimit-limit: 60", "x-ratelimit-remaining: 0", "x-ratelimit-reset: 1780390859",
            "Date: Tue, 02 Jun 2026 09:00:12 GMT", "--status", "403"});
        QVERIFY2(lineOf(ran.out, "rule")
                     .startsWith("x-ratelimit-reset 1780390859 is epoch seconds (≥ 1e9); the server's Date says 09:00:12, so 47 s"),
            ran.out);
        QCOMPARE(lineOf(ran.out, "form"), QStringLiteral("epoch, epoch-seconds"));
        QCOMPARE(lineOf(ran.out, "source"), QStringLiteral("x-ratelimit-reset"));
        QCOMPARE(lineOf(ran.out, "window"), QStringLiteral("unnamed: 0 of 60 left, resets in 47s"));
    }

    void verdictsByStatus_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("a redirect") << QStringList{"Retry-After: 5", "--status", "301"} << "wait 5 s before following the redirect";
        QTest::newRow("a plain success") << QStringList{"Date: x", "--status", "204"} << "nothing to wait for: a 204 asks for no retry";
        QTest::newRow("a 404") << QStringList{"Retry-After: 5", "--status", "404"}
                               << "not retried: a 404 without a rate limit is permanent";
        QTest::newRow("a 403 of GitHub's with nothing left") << QStringList{"x-ratelimit-remaining: 0", "x-ratelimit-reset: 1780390859",
            "--status", "403", "--now", "2026-06-02T09:00:12Z", "--dialect", "github"}
                                                             << "wait 47 s";
    }
    void verdictsByStatus()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, verdict);
        QVERIFY2(lineOf(hint(arguments).out, "verdict").startsWith(verdict), hint(arguments).out);
    }

    void rawResponses_data()
    {
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("verdict");
        const auto row = [](const char *name, const QByteArray &input, const char *value, const char *verdict) {
            QTest::newRow(name) << input << QString(value) << QString(verdict);
        };
        row("HTTP/1.1 with CRLF and a body", "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n\r\n{\"a\":1}", "7 s", "wait 7 s");
        row("HTTP/2, LF, no body", "HTTP/2 503\nretry-after: 7\n", "7 s", "wait 7 s");
        row("100 Continue before it", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 X\r\nRetry-After: 8\r\n\r\n", "8 s", "wait 8 s");
        row("a redirect that was followed", "HTTP/1.1 301 M\r\nRetry-After: 100\r\n\r\nHTTP/2 429 \r\nretry-after: 9\r\n\r\nbody", "9 s",
            "wait 9 s");
        row("a hint in the body", "HTTP/1.1 429 X\r\nContent-Type: application/json\r\n\r\n{\"retry_after\": 64.57}", "64.57 s", "refused");
        row("a folded line", "HTTP/1.1 429 X\r\nRateLimit: \"a\";r=0;t=5,\r\n \"b\";r=0;t=9\r\n\r\n", "9 s", "wait 9 s");
        row("header lines only", "Retry-After: 6\n", "6 s", "wait 6 s");
        row("a status that orders nothing", "HTTP/1.1 200 OK\r\nRetry-After: 6\r\n\r\n", "6 s", "nothing to wait for");
    }
    void rawResponses()
    {
        QFETCH(QByteArray, input);
        QFETCH(QString, value);
        QFETCH(QString, verdict);
        const Ran ran = hint({}, input);
        QVERIFY2(ran.code == 0, ran.err);
        QVERIFY2(lineOf(ran.out, "value").startsWith(value), ran.out);
        QVERIFY2(lineOf(ran.out, "verdict").startsWith(verdict), ran.out);
    }

    void usageErrors_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char *name, const QStringList &arguments, const QByteArray &input, const QByteArray &said) {
            QTest::newRow(name) << arguments << input << said;
        };
        row("no colon", {"Retry-After: 5", "Retry-After 120"}, {}, "argument 2 is no header line, expected 'Name: value'");
        row("a name that is no token", {"Retry After: 120"}, {}, "argument 1 is no header line");
        row("a clock that is none", {"Retry-After: 5", "--now", "tomorrow"}, {}, "--now is no moment, expected RFC 3339");
        row("a wait that is none", {"Retry-After: 5", "--max-wait", "long"}, {}, "--max-wait is no duration");
        row("a negative wait", {"Retry-After: 5", "--max-wait=-5s"}, {}, "--max-wait is negative");
        row("a dialect that is none", {"Retry-After: 5", "--dialect", "githbu"}, {}, "did you mean 'github'?");
        row("a status that is none", {"Retry-After: 5", "--status", "42"}, {},
            "--status does not take what is given to it, expected INT:INT in [100 - 999]");
        row("an empty input", {}, {}, "nothing to read");
        row("an input of something else", {}, "<html>\nhello\n", "expected an HTTP response");
        row("lines and arguments at once", {"Retry-After: 5", "--stdin"}, {}, "--stdin reads JSON Lines");
    }
    void usageErrors()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, input);
        QFETCH(QByteArray, said);
        const Ran ran = hint(arguments, input);
        QVERIFY2(ran.code == 2, ran.out + ran.err);
        QVERIFY2(ran.err.contains(said), ran.err);
        QCOMPARE(ran.out, QByteArray{});
    }

    void everyVectorThroughTheLines_data()
    {
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("strict") << QByteArray{"strict"};
        QTest::newRow("tolerant, the dialect named") << QByteArray{"named"};
        QTest::newRow("tolerant, unasked") << QByteArray{"unasked"};
    }
    void everyVectorThroughTheLines()
    {
        QFETCH(QByteArray, mode);
        QByteArray input;
        QList<QJsonObject> asked;
        for (const QJsonValue &value : vectors()) {
            QJsonObject row = value.toObject();
            const bool needsName = row["dialect"] == "discord-v6-ms" || row["dialect"] == "prisjakt-ms-delta";
            if ((mode == "unasked" && needsName) || (mode == "named" && !row.contains("dialect")))
                continue;
            asked << row;
            row["strict"] = mode == "strict";
            if (mode != "named")
                row.remove("dialect");
            input += QJsonDocument(row).toJson(QJsonDocument::Compact) + '\n';
        }
        const Ran ran = hint({"--stdin"}, input);
        QVERIFY2(ran.code == 0, ran.err);
        const auto answers = objects(ran.out);
        QCOMPARE(answers.size(), asked.size());
        for (qsizetype i = 0; i < asked.size(); ++i)
            compare(asked[i], answers[i], mode == "strict");
    }

    void linesAreAnsweredInOrderAndTheBadOnesByNumber()
    {
        const Ran ran = hint({"--stdin", "--now", "2026-06-02T09:00:12Z"},
            "{\"headers\":[[\"Retry-After\",\"1\"]]}\r\n"
            "nonsense\n"
            "\n"
            "{\"status\":503,\"headers\":[[\"Retry-After\",\"Tue, 02 Jun 2026 09:00:14 GMT\"]]}\n"
            "{\"status\":\"503\",\"headers\":[]}\n"
            "{\"status\":503}\n"
            "{\"headers\":[[\"a\"]]}\n"
            "{\"headers\":[],\"dialect\":\"nobody\"}\n"
            "{\"headers\":[],\"now\":\"noon\"}\n"
            "{\"headers\":[]} {}\n"
            "[1]\n"
            "{\"headers\":[[\"Retry-After\",\"3\"]]}"); // no line end
        QCOMPARE(ran.code, 1);
        const auto answers = objects(ran.out);
        QCOMPARE(answers.size(), 12);
        QCOMPARE(answers[0]["delay_seconds"].toDouble(), 1.0);
        QCOMPARE(answers[3]["delay_seconds"].toDouble(), 2.0);
        QCOMPARE(answers[11]["delay_seconds"].toDouble(), 3.0);
        for (const int bad : {2, 3, 5, 6, 7, 8, 9, 10, 11}) {
            QVERIFY2(!answers[bad - 1]["error"].toString().isEmpty(), QByteArray::number(bad));
            QCOMPARE(answers[bad - 1]["line"].toInt(), bad);
        }
    }

    void anAnswerHasTheKeysThatTheFormatNames()
    {
        const QJsonObject answer = answerTo(
            "{\"now\":\"2026-06-02T09:00:12Z\",\"status\":403,\"dialect\":\"github\",\"headers\":[[\"x-ratelimit-limit\",\"60\"],"
            "[\"x-ratelimit-remaining\",\"0\"],[\"x-ratelimit-reset\",\"1780390859\"]]}");
        QCOMPARE(answer["delay_seconds"].toDouble(), 47.0);
        QCOMPARE(answer["valid"], QJsonValue{true});
        QCOMPARE(answer["source"].toString(), QStringLiteral("x-ratelimit-reset"));
        QCOMPARE(answer["form"].toString(), QStringLiteral("epoch"));
        QCOMPARE(answer["dialect"].toString(), QStringLiteral("github"));
        QCOMPARE(answer["windows"].toArray(), (QJsonArray{QJsonObject{{"limit", 60}, {"remaining", 0}, {"reset_seconds", 47}}}));
        const QJsonObject none = answerTo("{\"headers\":[]}");
        QVERIFY(none["delay_seconds"].isNull() && none["source"].isNull() && none["form"].isNull() && none["dialect"].isNull());
        QCOMPARE(none["valid"], QJsonValue{false});
        QVERIFY(!none["why"].toString().isEmpty());
        QCOMPARE(none["windows"].toArray(), QJsonArray{});
    }

    void anAnswerComesBeforeTheNextLineIsSent()
    {
        QProcess process;
        prepare(process);
        process.setArguments({"hint", "--stdin"});
        process.start();
        for (const char *seconds : {"1", "2", "3"}) {
            process.write(lineWith(seconds) + '\n');
            QTRY_VERIFY_WITH_TIMEOUT(process.canReadLine(), 30'000);
            QCOMPARE(QJsonDocument::fromJson(process.readLine())["delay_seconds"].toInt(), QByteArray{seconds}.toInt());
        }
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 0);
    }

    void theJsonOfOneResponseHasItsVerdict()
    {
        const auto verdict
            = [](const QStringList &arguments) { return QJsonDocument::fromJson(hint(QStringList{"--json"} + arguments).out).object(); };
        QVERIFY(verdict({"Retry-After: 3600", "--max-wait", "10s"})["verdict"].toString().startsWith("refused: 3600 s"));
        QVERIFY(verdict({"Retry-After: 6", "--status", "200"})["verdict"].toString().startsWith("nothing to wait for"));
        const QJsonObject beside = verdict({"Retry-After: foo", "RateLimit: \"a\";r=0;t=50"});
        QCOMPARE(beside["delay_seconds"].toInt(), 50);
        QCOMPARE(beside["ignored"][0]["header"].toString(), QStringLiteral("Retry-After"));
        QCOMPARE(hint({"--stdin", "--max-wait", "10s"}).code, 2);
    }

    void theRuleNamesWhatSaidIt()
    {
        const Ran ran = hint({"RateLimit: \"burst\";r=0;t=2", "RateLimit: \"daily\";r=0;t=40"});
        QCOMPARE(lineOf(ran.out, "value"), QStringLiteral("40 s"));
        QVERIFY2(lineOf(ran.out, "rule").contains("t=2, \"daily\";r=0;t=40"), ran.out);
    }

    void whatFollowsAResponseWithABodyIsItsBody()
    {
        const QByteArray raw = "HTTP/1.1 429 X\nContent-Length: 19\nRetry-After: 5\n\nHTTP/1.1 200 OK\n\nok";
        QVERIFY(lineOf(hint({}, raw).out, "verdict").startsWith("wait 5 s"));
        const QByteArray redirected = "HTTP/1.1 301 X\nContent-Length: 19\n\nHTTP/1.1 429 X\nRetry-After: 7\n\n";
        QVERIFY(lineOf(hint({}, redirected).out, "verdict").startsWith("wait 7 s"));
    }

    void aMarkBeforeTheStatusLineIsNoPartOfIt()
    {
        const Ran ran = hint({}, "\xef\xbb\xbf \nHTTP/1.1 200 OK\nRetry-After: 9\n\n");
        QVERIFY2(lineOf(ran.out, "verdict").startsWith("nothing to wait for: a 200"), ran.out);
        QVERIFY(hint({}, "Retry-After: 9\n").err.contains("taken as a 429"));
    }

private:
    static void compare(const QJsonObject &asked, const QJsonObject &answer, bool strict)
    {
        const QJsonObject expected = (strict && asked.contains("expect_strict") ? asked["expect_strict"] : asked["expect"]).toObject();
        const QByteArray said = asked["id"].toString().toUtf8() + ": " + QJsonDocument(answer).toJson(QJsonDocument::Compact);
        QVERIFY2(answer["valid"] == expected["valid"], said);
        QVERIFY2(answer["delay_seconds"].isNull() == expected["delay_seconds"].isNull(), said);
        if (expected["delay_seconds"].isNull())
            return;
        const double delay = answer["delay_seconds"].toDouble();
        const double wanted = expected["delay_seconds"].toDouble();
        if (asked["cmp"].toString() == "at_least")
            QVERIFY2(delay >= wanted, said);
        else
            QVERIFY2(std::abs(delay - wanted) <= asked["tolerance_seconds"].toDouble(1e-6), said);
    }
};

QTEST_GUILESS_MAIN(TestHint)
#include "tst_hint.moc"
