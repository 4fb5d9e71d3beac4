// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/acknowledged.h"
#include "app/cli/fetch/worklist.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace throttlescope;
using namespace throttlescope::fetch;

namespace {

/// Single quotes stand for double ones.
std::string quoted(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

Worklist parsed(const std::string &text)
{
    return parseWorklist(quoted(text), "list");
}

QString errorOf(const Worklist &worklist)
{
    return worklist.skipped.empty() ? QString{} : QString::fromStdString(worklist.skipped.front().format());
}

const std::string kBase = "{'id': 'a', 'method': 'POST', 'url': 'https://h/p', 'headers': {'X-A': '1'}, 'body': 'b', 'units': 2}";

std::string withInstead(const std::string &what, const std::string &instead)
{
    std::string text = kBase;
    return text.replace(text.find(what), what.size(), instead);
}

} // namespace

class TestFetchWorklist : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLineIsAUrlOrAnObject()
    {
        const Worklist worklist = parsed("\xef\xbb\xbf# list\r\n\r\n  HTTPS://Example.com/a#part \r\n"
                                         "{'id':'b','method':'put','url':'http://h:8080/x?q=1','headers':{'X-A':'1','X-A':'2'},"
                                         "'body':'\\u00e4\\n','class':'write','idempotent':true,'units':7}");
        QCOMPARE(errorOf(worklist), QString{});
        QCOMPARE(worklist.items.size(), std::size_t{2});
        QCOMPARE(worklist.items[0].id, std::string{"https://example.com/a"});
        QCOMPARE(worklist.items[0].line, 3);
        const Item &item = worklist.items[1];
        const Item expected{"b", 4, "PUT", QUrl{"http://h:8080/x?q=1"}, {{"X-A", "1"}, {"X-A", "2"}}, QByteArray{"\xc3\xa4\n"},
            OperationClass::Write, true, 7};
        QVERIFY(item == expected);
    }

    void anEmptyListIsNoError() { QCOMPARE(parsed("\n# nothing\n").skipped.size() + parsed("").items.size(), std::size_t{0}); }

    void whatIsNoItemIsNamedWithItsPlace_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("expected");
        const auto row
            = [](const char *name, const QByteArray &line, const char *expected) { QTest::newRow(name) << line << QString{expected}; };
        row("no URL", "foo", "list:1:1: no http or https URL, expected one such as https://example.com/a");
        row("another scheme, indented", "  ftp://h/", "list:1:3: no http or https URL, expected one such as https://example.com/a");
        row("a URL without a host", "http:///p", "list:1:1: no http or https URL, expected one such as https://example.com/a");
        row("user information", "http://u:secret@h/",
            "list:1:1: user information in the URL, expected credentials from --header-file or --bearer-env");
        row("no UTF-8", "http://h/\xff", "list:1:1: no text, expected UTF-8");
        row("an unknown key", "{'url':'http://h/','bdy':'secret'}", "list:1:20: unknown key 'bdy', did you mean 'body'?");
        row("a key twice", "{'url':'http://h/','url':'http://h/'}", "list:1:20: the key 'url' is there twice, expected once");
        row("no url", " {'id':'a'}", "list:1:2: 'url' is missing, expected a http or https URL");
        row("a URL that is none in an object", "{'url':'secret'}",
            "list:1:8: no http or https URL, expected one such as https://example.com/a");
        row("an id that is a number", "{'id':5,'url':'http://h/'}", "list:1:7: 'id' is wrong, expected text");
        row("an empty id", "{'id':'','url':'http://h/'}", "list:1:7: no id, expected 1 to 1000 bytes of text on one line");
        row("an id with a line end", "{'id':'a\\nb','url':'http://h/'}", "list:1:7: no id, expected 1 to 1000 bytes of text on one line");
        row("a body that is an object", "{'body':{'secret':1},'url':'http://h/'}", "list:1:9: 'body' is wrong, expected text");
        row("a class that is none", "{'class':'reed','url':'http://h/'}", "list:1:10: unknown class 'reed', did you mean 'read'?");
        row("idempotent that is text", "{'idempotent':'yes','url':'http://h/'}",
            "list:1:15: 'idempotent' is wrong, expected true or false");
        row("units that are negative", "{'units':-1,'url':'http://h/'}", "list:1:10: 'units' is wrong, expected a whole number from 1");
        row("units of none", "{'units':0,'url':'http://h/'}", "list:1:10: 'units' is wrong, expected a whole number from 1");
        row("headers that are a list", "{'headers':['secret'],'url':'http://h/'}",
            "list:1:12: 'headers' is wrong, expected text by name, such as {\"Accept\": \"text/html\"}");
        row("a header that is a number", "{'headers':{'A':77},'url':'http://h/'}",
            "list:1:13: header 'A' is wrong, expected text by name, such as {\"Accept\": \"text/html\"}");
        row("a header whose name is none", "{'headers':{'A: secret':77},'url':'http://h/'}",
            "list:1:13: a header is wrong, expected text by name, such as {\"Accept\": \"text/html\"}");
        row("a header with a line end", "{'url':'http://h/','headers':{'A':'secret\\n'}}",
            "list:1:1: the value of header A has a line end or a NUL, expected a request that can be sent");
        row("a method that is none", "{'url':'http://h/','method':'G T'}",
            "list:1:1: the method is no method of a request, expected a request that can be sent");
        row("something behind the object", "{'url':'http://h/'} x",
            "list:1:1: no JSON object that can be read from here on, expected one such as {\"url\": \"https://example.com/a\"}");
        row("half an object", "{'url':'http://h/'",
            "list:1:1: no JSON object that can be read from here on, expected one such as {\"url\": \"https://example.com/a\"}");
        row("a list", "[1]", "list:1:1: no http or https URL, expected one such as https://example.com/a");
    }
    void whatIsNoItemIsNamedWithItsPlace()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, expected);
        const Worklist worklist = parsed("http://good/\n" + line.toStdString() + "\nhttp://after/?secret\n");
        QCOMPARE(worklist.items.size(), std::size_t{2});
        QCOMPARE(worklist.skipped.size(), std::size_t{1});
        QCOMPARE(errorOf(worklist), QString{expected}.replace("list:1:", "list:2:"));
        QVERIFY(!errorOf(worklist).contains("secret"));
    }

    void aLineOfMoreThanAMebibyteIsSkipped()
    {
        const std::string url = "http://h/";
        const std::string longest = url + std::string(kLongestLine - url.size(), 'a');
        QCOMPARE(parsed(longest).items.size(), std::size_t{1});
        QCOMPARE(errorOf(parsed(longest + "a")), QString{"list:1:1: a line of 1048577 bytes, expected at most 1048576"});
    }

    void anIdIsThereOnce()
    {
        const Worklist worklist = parsed("http://h/a\nhttp://h/a#other\n{\"id\":\"http://h/a\",\"url\":\"http://h/b\"}\n");
        QCOMPARE(worklist.items.size(), std::size_t{1});
        QCOMPARE(worklist.skipped.size(), std::size_t{2});
        QCOMPARE(errorOf(worklist), QString{"list:2:1: the id 'http://h/a' is there twice, expected one of its own"});
    }

    void aQueryIsInNoIdAndStillTellsItemsApart()
    {
        const Worklist worklist = parsed("http://h/a?key=secret1\nhttp://h/a?key=secret2\n");
        QCOMPARE(worklist.items.size(), std::size_t{2});
        QVERIFY(worklist.items[0].id != worklist.items[1].id);
        for (const Item &item : worklist.items) {
            QVERIFY(QString::fromStdString(item.id).startsWith("http://h/a?sha256:"));
            QVERIFY(!QString::fromStdString(item.id).contains("secret"));
            QCOMPARE(item.url.query(), QString{"key=secret%1"}.arg(item.line));
        }
    }

    void anIdOfOnesOwnIsShownWithoutAQuery_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("shown"); // with # for each digit of a digest
        const QString digits(16, '#');
        QTest::newRow("a name") << "what? a/b"
                                << "what? a/b";
        QTest::newRow("a URL") << "http://h/a"
                               << "http://h/a";
        QTest::newRow("a URL with a query") << "http://h/a?key=secret"
                                            << "http://h/a?sha256:" + digits;
        QTest::newRow("a path with a query") << "/a?key=secret"
                                             << "/a?sha256:" + digits;
        QTest::newRow("a URL of another scheme") << "s3://h/a?key=secret"
                                                 << "s3://h/a?sha256:" + digits;
        QTest::newRow("one that cannot be read") << "http://h:port/a?key=secret"
                                                 << "http://h:port/a?sha256:" + digits;
        QTest::newRow("user information") << "http://u:secret@h/a"
                                          << "http://h/a";
        QTest::newRow("one that was shown before") << "http://h/a?sha256:0123456789abcdef"
                                                   << "http://h/a?sha256:0123456789abcdef";
    }
    void anIdOfOnesOwnIsShownWithoutAQuery()
    {
        QFETCH(QString, id);
        QFETCH(QString, shown);
        const Worklist worklist = parsed("{\"url\":\"http://h/\",\"id\":\"" + id.toStdString() + "\"}");
        QCOMPARE(worklist.items.size(), std::size_t{1});
        const QString is = QString::fromStdString(worklist.items[0].id);
        const QString pattern = QRegularExpression::escape(shown).replace(QRegularExpression{"(\\\\#)+"}, "[0-9a-f]{16}");
        QVERIFY2(QRegularExpression{QRegularExpression::anchoredPattern(pattern)}.match(is).hasMatch(), qPrintable(is));
        QCOMPARE(shownId(worklist.items[0].id), worklist.items[0].id);
    }
    void queriesTellIdsApart()
    {
        QCOMPARE(parsed("{'id':'/a?b','url':'http://h/'}\n{'id':'/a?c','url':'http://h/'}").items.size(), std::size_t{2});
    }

    void theFingerprintIsOfWhatIsAsked_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("same");
        const auto row
            = [](const char *name, const std::string &line, bool same) { QTest::newRow(name) << QByteArray::fromStdString(line) << same; };
        row("a comment before it", "# new\n\n" + kBase, true);
        row("another header's value, which may be a token that was renewed", withInstead("'1'", "'2'"), true);
        row("other units", withInstead("2}", "3}"), true);
        row("a bad line beside it", kBase + "\nfoo", true);
        row("another id", withInstead("'a'", "'b'"), false);
        row("another method", withInstead("POST", "PUT"), false);
        row("another URL", withInstead("/p", "/q"), false);
        row("another header", withInstead("X-A", "X-B"), false);
        row("another body", withInstead("'b'", "'c'"), false);
        row("one more", kBase + "\nhttp://h/", false);
    }
    void theFingerprintIsOfWhatIsAsked()
    {
        QFETCH(QByteArray, line);
        QFETCH(bool, same);
        QCOMPARE(fingerprint(parsed(line.toStdString()).items) == fingerprint(parsed(kBase).items), same);
    }
    void theFingerprintMindsTheOrder()
    {
        QVERIFY(fingerprint(parsed("http://h/a\nhttp://h/b").items) != fingerprint(parsed("http://h/b\nhttp://h/a").items));
    }

    void aServerIsHostAndPort_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("server");
        QTest::newRow("no port") << "http://Example.com/a"
                                 << "example.com";
        QTest::newRow("the scheme's own port") << "https://example.com:443/a"
                                               << "example.com";
        QTest::newRow("another port") << "https://example.com:80/a"
                                      << "example.com:80";
        QTest::newRow("IPv6") << "http://[::1]:8080/a"
                              << "[::1]:8080";
    }
    void aServerIsHostAndPort()
    {
        QFETCH(QString, url);
        QFETCH(QString, server);
        QCOMPARE(QString::fromStdString(net::serverName(QUrl{url})), server);
    }

    void aListThatIsNotThereIsAUsageError()
    {
        const auto worklist = readWorklist("/nowhere/list");
        QVERIFY(!worklist && worklist.error().kind == Problem::Kind::Usage);
    }
    void aUrlInPlaceOfAListIsShownWithoutItsSecrets()
    {
        const auto worklist = readWorklist("http://u:secret@h/a?key=secret");
        QVERIFY(!worklist);
        QVERIFY2(QString::fromStdString(worklist.error().text).startsWith("http://h/a?sha256:"), worklist.error().text.c_str());
        QVERIFY(!QString::fromStdString(worklist.error().text).contains("secret"));
    }

    void acknowledgedIdsAreThoseOfTheList()
    {
        QTemporaryDir folder;
        QFile file{folder.filePath("known")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("# known\nx\n http://h/a?q=secret\nhttp://h/b?q=secret\nnobody\n/own?secret\nhttp://u:secret@h/\n");
        file.close();
        const Worklist worklist = parsed("http://h/a?q=secret\n{'id':'x','url':'http://h/'}\n{'id':'/own?secret','url':'http://h/'}");
        const auto acknowledged = readAcknowledged(file.fileName().toStdString(), worklist.items);
        QVERIFY(acknowledged);
        QCOMPARE(acknowledged->ids, (std::set<std::string>{"x", worklist.items[0].id, worklist.items[2].id}));
        QCOMPARE(acknowledged->strangers.size(), std::size_t{3});
        for (const LoadError &stranger : acknowledged->strangers)
            QVERIFY(!QString::fromStdString(stranger.text).contains("secret"));
        QCOMPARE(acknowledged->strangers[1].text, std::string{"'nobody' is not in the worklist, expected an id of it"});
        QCOMPARE(acknowledged->strangers[1].mark, (Mark{5, 1}));
    }
};

QTEST_GUILESS_MAIN(TestFetchWorklist)
#include "tst_fetch_worklist.moc"
