// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"
#include "simulator/scenario/trace_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;

namespace {

QString errorOf(const std::string &text)
{
    Problems problems;
    const auto read = readTraceText(text, "t.csv", problems);
    return read ? QString{} : QString::fromStdString(problems.sorted().front().format());
}

} // namespace

class TestLoaderTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTraceIsSortedByTimeAndKeepsOrderWithinAMoment()
    {
        Problems problems;
        const auto trace = readTraceText("at,operation,server,method,class,idempotent,units,key\r\n2s,late,,,,,,\r\n0.5,a,api,post,write,"
                                         "false,3,k1\r\n500ms,b,,,,,,\r\n",
            "t.csv", problems);
        QVERIFY(trace);
        QCOMPARE(trace->size(), std::size_t{3});
        const TracedOperation &first = (*trace)[0];
        QCOMPARE(first.operation, std::string{"a"});
        QVERIFY(first.at == 500ms && first.server == "api" && first.method == "POST" && first.operationClass == OperationClass::Write);
        QVERIFY(first.idempotent == false && first.units == 3 && first.key == "k1" && first.line == 3);
        QCOMPARE((*trace)[1].operation, std::string{"b"});
        QVERIFY(!(*trace)[1].server && !(*trace)[1].units);
        QCOMPARE((*trace)[2].operation, std::string{"late"});
    }

    void quotesHoldCommasAndQuotes()
    {
        Problems problems;
        const auto trace = readTraceText("at,operation,key\n1s,\"a, \"\"b\"\"\",k\n2s,\"\"\"\",\"\"\n", "t.csv", problems);
        QVERIFY(trace);
        QCOMPARE((*trace)[0].operation, std::string{"a, \"b\""});
        QVERIFY((*trace)[0].key == "k");
        QCOMPARE((*trace)[1].operation, std::string{"\""});
    }

    void brokenTraces_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("error");
        const auto row
            = [](const char *name, const QByteArray &text, const char *error) { QTest::newRow(name) << text << QString::fromUtf8(error); };
        row("nothing", "", "t.csv:1:1: the trace is empty, expected the header line at,operation");
        row("no header", "1s,a\n",
            "t.csv:1:1: unknown column '1s', expected one of at, operation, server, method, class, idempotent, units, key");
        row("an unknown column", "at,operation,sever\n", "t.csv:1:14: unknown column 'sever', did you mean 'server'?");
        row("a column twice", "at,operation,key,key\n", "t.csv:1:18: a second column 'key', expected it once");
        row("columns in another order", "operation,at\n", "t.csv:1:1: expected the header line to begin with at,operation");
        row("a cell too many", "at,operation\n1s,a\n2s,b,c\n", "t.csv:3:6: 3 fields, expected 2");
        row("a cell too few", "at,operation,key\n1s,a\n", "t.csv:2:4: 2 fields, expected 3");
        row("no time", "at,operation\nsoon,a\n", "t.csv:2:1: 'soon' is no time since the start, expected seconds or a duration");
        row("before the start", "at,operation\n-1,a\n", "t.csv:2:1: '-1' is no time since the start, expected seconds or a duration");
        row("no number", "at,operation\nnan,a\n", "t.csv:2:1: 'nan' is no time since the start, expected seconds or a duration");
        row("no name", "at,operation\n1s,\n", "t.csv:2:4: the operation is empty, expected a name");
        row("an unknown class", "at,operation,class\n1s,a,wrte\n", "t.csv:2:6: unknown class 'wrte', did you mean 'write'?");
        row("no method", "at,operation,method\n1s,a,G T\n", "t.csv:2:6: 'G T' is no method, expected one such as GET or POST");
        row("negative units", "at,operation,units\n1s,a,-1\n", "t.csv:2:6: '-1' is no number of units, expected digits");
        row("an open quote", "at,operation\n1s,\"a\n",
            "t.csv:2:1: a quote that does not end with its cell, expected a closing quote before the comma");
        row("a quote that ends too soon", "at,operation\n1s,\"a\"b\n",
            "t.csv:2:1: a quote that does not end with its cell, expected a closing quote before the comma");
        row("a NUL byte", QByteArray{"at,operation\n1s,a\0b\n", 20}, "t.csv:2:5: byte 0x00 is no text, expected CSV in UTF-8");
    }
    void brokenTraces()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, error);
        QCOMPARE(errorOf(text.toStdString()), error);
    }

    void aScenarioReadsItsTraceFromItsOwnFolder()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("s.yaml").toStdString();
        const std::string rest = "servers: {api: {}}\nworkload: [{operation: all, server: api, replay: safe, arrivals: {trace: "
                                 "t.csv}}]\nexpect: {by_operation: {get: {attempts: 1}}}\n";
        QFile trace{folder.filePath("t.csv")};
        QVERIFY(trace.open(QIODevice::WriteOnly));
        trace.write("at,operation,server,class\n1s,get,,read\n");
        trace.flush();
        const auto loaded = loadScenarioText("throttlescope: 1\n" + rest, path);
        QVERIFY2(loaded, loaded ? "" : loaded.error().front().format().c_str());
        QCOMPARE(std::get<TraceArrivals>(loaded->scenario.workload[0].arrivals).operations->size(), std::size_t{1});
        trace.write("2s,get,apo,read\n3s,boot,,action\n");
        trace.flush();
        const auto broken = loadScenarioText("throttlescope: 1\n" + rest, path);
        QVERIFY(!broken);
        const std::string file = folder.filePath("t.csv").toStdString();
        QCOMPARE(broken.error()[0].format(), file + ":3:1: unknown server 'apo', did you mean 'api'?");
        QCOMPARE(broken.error()[1].format(), file + ":4:1: class action is never replayed, 'replay: safe' cannot raise it, expected never");
    }
};

QTEST_GUILESS_MAIN(TestLoaderTrace)
#include "tst_loader_trace.moc"
