// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/run_hint.h"

/// What `hint` makes of what wants to break it, and what it keeps to itself.
class TestHintFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qunsetenv("NO_COLOR"); }

    void secretsAreNeverRepeated_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("input");
        const QByteArray raw = "HTTP/1.1 429 X\r\nAuthorization: Bearer hunter2\r\nSet-Cookie: s=hunter2\r\nnonsense hunter2\r\n"
                               "Proxy-Authorization: Basic hunter2\r\nRetry-After: 5\r\n\r\nhunter2";
        QTest::newRow("arguments") << QStringList{"Authorization: Bearer hunter2", "Cookie: hunter2", "X-Api-Key: hunter2"} << QByteArray{};
        QTest::newRow("an argument that is no header") << QStringList{"Authorization hunter2"} << QByteArray{};
        QTest::newRow("as curl takes them") << QStringList{"-HAuthorization: Bearer hunter2", "--header=Cookie: hunter2"} << QByteArray{};
        QTest::newRow("a flag with a value") << QStringList{"--json=hunter2", "Retry-After: 5"} << QByteArray{};
        QTest::newRow("an unknown option") << QStringList{"--hunter2"} << QByteArray{};
        for (const char *option : {"--status", "--now", "--dialect", "--max-wait", "--at-least", "--total-timeout"})
            QTest::newRow(option) << QStringList{option, "hunter2", "Retry-After: 5"} << QByteArray{};
        QTest::newRow("a line's moment") << QStringList{"--stdin"} << QByteArray{"{\"now\":\"hunter2\",\"headers\":[]}"};
        QTest::newRow("a line's dialect") << QStringList{"--stdin"} << QByteArray{"{\"dialect\":\"hunter2\",\"headers\":[]}"};
        QTest::newRow("what follows a line that is no header") << QStringList{} << QByteArray{"Retry-After: 5\nX Token: a\n hunter2\n\n"};
        QTest::newRow("a raw response") << QStringList{} << raw;
        QTest::newRow("as JSON") << QStringList{"--json"} << raw;
        QTest::newRow("a line") << QStringList{"--stdin"} << QByteArray{"{\"headers\":[[\"Cookie\",\"hunter2\"]],\"body\":\"hunter2\"}"};
        QTest::newRow("a broken line") << QStringList{"--stdin"} << QByteArray{"{\"headers\":[[\"Cookie\",\"hunter2\",1]]}"};
        QTest::newRow("a line that is no JSON") << QStringList{"--stdin"} << QByteArray{"Authorization: hunter2"};
    }
    void secretsAreNeverRepeated()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, input);
        const Ran ran = hint(arguments, input);
        QVERIFY2(!ran.out.contains("hunter2") && !ran.err.contains("hunter2"), ran.out + ran.err);
        QVERIFY(!(ran.out + ran.err).isEmpty());
    }

    void controlCharactersDoNotReachTheTerminal()
    {
        constexpr char raw[] = "HTTP/1.1 429 X\r\nRetry-After: \x1b[2J\x01\0\xff\xc2\x9b\r\n\r\n";
        const Ran ran = hint({}, QByteArray(raw, sizeof raw - 1));
        QVERIFY(ran.out.contains("\\x1b[2J\\x01\\x00\\xff\\xc2\\x9b"));
        QVERIFY(!ran.out.contains('\x1b') && !ran.out.contains('\0'));
    }

    void hostileLines_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("good");
        QTest::newRow("a value of 1 MB") << lineWith(QByteArray(1'000'000, '9')) << true;
        QTest::newRow("a value of 1 MB of text") << lineWith(QByteArray(1'000'000, 'x')) << true;
        QTest::newRow("NUL, escaped") << lineWith("\\u0000") << true;
        QTest::newRow("NUL, as it is") << lineWith(QByteArray(1, '\0')) << false;
        QTest::newRow("bytes that are no UTF-8") << lineWith("\xff\xfe") << false;
        QTest::newRow("half a surrogate") << lineWith("\\ud800") << false;
        QTest::newRow("10,000 headers") << "{\"headers\":[" + QByteArray("[\"Retry-After\",\"5\"],").repeated(9'999)
                + "[\"Retry-After\",\"5\"]]}"
                                        << true;
        QTest::newRow("nested a million deep") << "{\"a\":" + QByteArray(1'000'000, '[') << false;
        QTest::newRow("an endless number") << "{\"status\":" + QByteArray(1'000'000, '1') + "}" << false;
        QTest::newRow("a line over 16 MiB") << lineWith(QByteArray(17 << 20, ' ')) << false;
    }
    void hostileLines()
    {
        QFETCH(QByteArray, line);
        QFETCH(bool, good);
        const Ran ran = hint({"--stdin"}, line + "\n{\"headers\":[[\"Retry-After\",\"4\"]]}\n");
        QCOMPARE(ran.code, good ? 0 : 1);
        const auto answers = objects(ran.out);
        QCOMPARE(answers.size(), 2);
        QVERIFY(ran.out.size() < 100'000);
        QCOMPARE(answers[0].contains("error"), !good);
        QCOMPARE(answers[1]["delay_seconds"].toDouble(), 4.0); // the next line is not the worse for it
    }

    void memoryIsBoundedHoweverLongALineIs()
    {
#ifdef THROTTLESCOPE_SANITIZED
        QSKIP("a sanitizer's shadow memory does not fit into a limit of addresses");
#endif
        const Ran ran = shell("ulimit -v 600000; head -c 1000000000 /dev/zero | $HINT --stdin");
        QCOMPARE(ran.code, 1);
        QCOMPARE(ran.out, QByteArray{"{\"error\":\"longer than 16 MiB\",\"line\":1}\n"});
        QCOMPARE(shell("ulimit -v 600000; head -c 1000000000 /dev/zero | $HINT").code, 3);
    }

    void anOutputThatCannotBeWrittenIsSaid_data()
    {
        QTest::addColumn<QString>("script");
        QTest::newRow("a full disk, lines") << "yes '{\"headers\":[]}' | head -n 100000 | $HINT --stdin > /dev/full";
        QTest::newRow("a closed output, lines") << "echo '{\"headers\":[]}' | $HINT --stdin >&-";
        QTest::newRow("a full disk") << "$HINT 'Retry-After: 5' > /dev/full";
        QTest::newRow("a closed output") << "$HINT 'Retry-After: 5' >&-";
        QTest::newRow("an input that is a folder") << "$HINT --stdin < /";
    }
    void anOutputThatCannotBeWrittenIsSaid()
    {
        QFETCH(QString, script);
        const Ran ran = shell(script);
        QVERIFY2(ran.code == 3, ran.err);
        QVERIFY2(ran.err.contains("could not be written") || ran.err.contains("cannot be read"), ran.err);
    }

    void aReaderThatLeavesEndsIt()
    {
        QCOMPARE(shell("yes '{\"headers\":[]}' | $HINT --stdin | head -n 1 | wc -l").out.trimmed(), QByteArray{"1"});
    }
};

QTEST_GUILESS_MAIN(TestHintFaults)
#include "tst_hint_faults.moc"
