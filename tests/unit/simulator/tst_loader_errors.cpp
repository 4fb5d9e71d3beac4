// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <ctime>

#include "simulator/scenario/loader.h"

using namespace throttlescope;

namespace {

const std::string kGood = "throttlescope: 1\nservers: {api: {}}\nworkload: [{operation: call, server: api, arrivals: {batch: 1}}]\n";

/// The first line of the load's errors, without the folder; empty where it loaded.
QString firstLine(const std::string &text, const LoadOptions &options = {})
{
    const auto loaded = loadScenarioText(text, "s.yaml", options);
    return loaded ? QString{} : QString::fromStdString(loaded.error().front().format());
}

std::string repeated(const std::string &text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

} // namespace

class TestLoaderErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textsThatNobodyWrites_data();
    void textsThatNobodyWrites();
    void columnsCountCharacters();
    void lineEndsAndByteOrderMarks();
    void allErrorsInOrderOfPlace();
    void atMostTwentyErrors();
    void aBrokenPartMakesNoOtherErrors();
    void anErrorStaysOnOneLine();
    void hostileTextsEndInTime_data();
    void hostileTextsEndInTime();
};

void TestLoaderErrors::textsThatNobodyWrites_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("line");
    const auto row = [](const char *name, const std::string &text, const char *line) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromUtf8(line);
    };
    row("an empty file", "", "s.yaml:1:1: the file is empty, expected a scenario that begins with 'throttlescope: 1'");
    row("blank lines", "\n \n\n", "s.yaml:1:1: the file is empty, expected a scenario that begins with 'throttlescope: 1'");
    row("a byte order mark alone", "\xEF\xBB\xBF",
        "s.yaml:1:1: the file is empty, expected a scenario that begins with 'throttlescope: 1'");
    row("a NUL byte", std::string("throttlescope: 1\nname: a") + '\0' + "b\n", "s.yaml:2:8: byte 0x00 is no text, expected YAML in UTF-8");
    row("an executable",
        std::string("\x7f"
                    "ELF\x02\x01\x01\0\0",
            9),
        "s.yaml:1:1: byte 0x7f is no text, expected YAML in UTF-8");
    row("UTF-16", std::string("\xff\xfet\0h\0", 6), "s.yaml:1:1: byte 0xff is no text, expected YAML in UTF-8");
    row("Latin-1", "throttlescope: 1\nname: caf\xe9\n", "s.yaml:2:10: byte 0xe9 is no text, expected YAML in UTF-8");
    row("too long a form of a slash", "name: \xc0\xaf", "s.yaml:1:7: byte 0xc0 is no text, expected YAML in UTF-8");
    row("half a surrogate pair", "name: \xed\xa0\x80", "s.yaml:1:7: byte 0xed is no text, expected YAML in UTF-8");
    row("a character that is cut off at the end", "name: \xe2\x82", "s.yaml:1:7: byte 0xe2 is no text, expected YAML in UTF-8");
    // 64 lists in each other stand at levels 2 to 65, in the map: the 64th opens at column 4 + 63.
    row("deep nesting", "a: " + repeated("[", 100) + repeated("]", 100), "s.yaml:1:67: nested over 64 levels, expected a scenario");
    row("an escaped line end in a key", "{\"a\\nb\": 1}", "s.yaml:1:2: 'a\\nb' is no key, expected 1 to 200 characters on one line");
    row("an empty key", "{\"\": 1}", "s.yaml:1:2: '' is no key, expected 1 to 200 characters on one line");
}

void TestLoaderErrors::textsThatNobodyWrites()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, line);
    QCOMPARE(firstLine(text.toStdString()), line);
}

void TestLoaderErrors::columnsCountCharacters()
{
    QCOMPARE(firstLine(kGood + "name: »é« # ü\npolicies: {é: {retry: maybe}}\n"),
        QString{"s.yaml:5:23: 'maybe' is no truth value, expected true or false"});
    QCOMPARE(firstLine(kGood + "summary: |\n  one\n  two\nseed: x\n"), QString{"s.yaml:7:7: 'x' is no whole number, expected digits"});
}

void TestLoaderErrors::lineEndsAndByteOrderMarks()
{
    QVERIFY(loadScenarioText("\xEF\xBB\xBF" + kGood, "s.yaml"));
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : kGood + "seed: x\n")
        windows += c == '\n' ? std::string{"\r\n"} : std::string{c};
    QCOMPARE(firstLine(windows), QString{"s.yaml:4:7: 'x' is no whole number, expected digits"});
    QVERIFY(loadScenarioText(kGood.substr(0, kGood.size() - 1), "s.yaml")); // no line end at the end
    QVERIFY(loadScenarioText(
        R"({"throttlescope": 1, "servers": {"api": {"latency": {"fixed": "120ms"}}}, "workload": [{"operation": "call", "server": "api",
        "idempotent": true, "policy": "p", "arrivals": {"batch": 1}}], "policies": {"p": {"retry_on": ["rate_limited"], "rate_limit": {"hint": "at_least"}}}})",
        "s.json"));
}

void TestLoaderErrors::allErrorsInOrderOfPlace()
{
    const auto loaded = loadScenarioText("throttlescope: 1\nworkload: [{operation: call, server: apo, polcy: x, arrivals: {batch: "
                                         "1}}]\nseed: x\nservers: {api: {latency: {fixed: 1}}}\n",
        "s.yaml");
    QVERIFY(!loaded);
    QStringList lines;
    for (const LoadError &error : loaded.error())
        lines << QString::fromStdString(error.format());
    QCOMPARE(lines,
        (QStringList{"s.yaml:2:43: unknown key 'polcy', did you mean 'policy'?", "s.yaml:3:7: 'x' is no whole number, expected digits",
            "s.yaml:4:34: '1' needs a unit, expected a duration such as 1s"}));
}

void TestLoaderErrors::atMostTwentyErrors()
{
    std::string text = kGood + "policies:\n";
    for (int i = 0; i < 100; ++i)
        text += "  p" + std::to_string(i) + ": {max_attempts: 0}\n";
    const auto loaded = loadScenarioText(text, "s.yaml");
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().size(), std::size_t{20});
    QCOMPARE(loaded.error().back().mark, (Mark{24, 23})); // p0 stands on line 5
}

void TestLoaderErrors::aBrokenPartMakesNoOtherErrors()
{
    // The row `backup` cannot be read; it is there all the same. So is the server, whose limit is wrong.
    const auto loaded = loadScenarioText("throttlescope: 1\nservers: {api: {limits: [{name: m, quota: x, per: 1m}]}}\n"
                                         "workload:\n  - {operation: call, server: api, fallback: backup, arrivals: {batch: 1}}\n  - "
                                         "{operation: backup, server: api, units: x, on_demand: true}\n"
                                         "expect: {by_operation: {backup: {attempts: 0}}}\n",
        "s.yaml");
    QVERIFY(!loaded);
    QCOMPARE(loaded.error().size(), std::size_t{2});
    QCOMPARE(loaded.error()[0].mark.line, 2);
    QCOMPARE(loaded.error()[1].mark.line, 5);
}

void TestLoaderErrors::anErrorStaysOnOneLine()
{
    QCOMPARE(firstLine(kGood + "start: \"a\\nb\\tc\"\n"),
        QString{"s.yaml:4:8: 'a\\nb\\x09c' is no moment, expected RFC 3339 such as 2026-06-02T09:00:12Z"});
    const QString line = firstLine(kGood + "start: " + std::string(100'000, 'x') + "\n");
    QVERIFY2(line.size() < 300, qPrintable(line.left(400)));
    QVERIFY(line.endsWith("expected RFC 3339 such as 2026-06-02T09:00:12Z"));
}

void TestLoaderErrors::hostileTextsEndInTime_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char *name, const std::string &text) { QTest::newRow(name) << QByteArray::fromStdString(text); };
    std::string keys, rows, policies;
    for (int i = 0; i < 150'000; ++i)
        keys += "k" + std::to_string(i) + ": 1\n";
    for (int i = 0; i < 9'000; ++i)
        rows += "  - {operation: o" + std::to_string(i) + ", server: api, fallback: o" + std::to_string(i + 1) + ", on_demand: true}\n";
    for (int i = 0; i < 60'000; ++i)
        policies += "  p" + std::to_string(i) + ": {}\n";
    row("a million brackets", std::string(1'000'000, '['));
    row("a hundred thousand maps", "a: " + repeated("{a: ", 100'000));
    row("a hundred thousand lists", repeated("- ", 100'000));
    row("a million colons", std::string(1'000'000, ':'));
    row("a million anchors", std::string(1'000'000, '&'));
    row("a million tags", std::string(1'000'000, '!'));
    row("a million directives", std::string(1'000'000, '%'));
    row("a quote of fifteen megabytes", "a: \"" + std::string(15'000'000, 'x'));
    row("150,000 unknown keys", "throttlescope: 1\n" + keys);
    row("a chain of 9,000 fallbacks", "throttlescope: 1\nservers: {api: {}}\nworkload:\n" + rows);
    row("60,000 policies", kGood + "policies:\n" + policies);
    row("a million values", kGood + "expect: [" + repeated("1,", 1'000'000) + "]");
}

void TestLoaderErrors::hostileTextsEndInTime()
{
    QFETCH(QByteArray, text);
    const std::clock_t began = std::clock();
    QVERIFY(!firstLine(text.toStdString()).isEmpty());
    const auto seconds = (std::clock() - began) / CLOCKS_PER_SEC; // of the processor: other work on the machine does not count
    QVERIFY2(seconds < 60, "quadratic in the size of the text"); // some under a sanitizer, hours if it were
}

QTEST_GUILESS_MAIN(TestLoaderErrors)
#include "tst_loader_errors.moc"
