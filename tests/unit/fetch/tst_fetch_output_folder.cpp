// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/digest.h"
#include "app/cli/fetch/output_folder.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <set>
#include <sys/resource.h>

using namespace throttlescope;
using namespace throttlescope::fetch;

namespace {

Item item(const std::string &id)
{
    Item item;
    item.id = id;
    item.line = 3;
    item.url = QUrl{"http://h/p?key=hidden"};
    return item;
}

net::Result answer(int status, const std::string &body, Headers headers = {})
{
    net::Result result;
    result.end = throttlescope::Result::Succeeded;
    result.attempts = 2;
    result.response = Response{status, std::move(headers), body};
    return result;
}

QByteArray contentOf(const QString &name)
{
    QFile file{name};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

} // namespace

class TestFetchOutputFolder : public QObject {
    Q_OBJECT

    static OrProblem<void> write(
        const QString &folder, const Item &item, const net::Result &result, const std::vector<std::string> &secrets = {})
    {
        const auto output = OutputFolder::open(folder.toStdString(), Redactor{secrets});
        return output ? output->write(item, judge(result, nullptr, false), result, WallTime{}) : tl::unexpected(output.error());
    }

private Q_SLOTS:
    void aNameIsSafeEverywhere_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("readable");
        QTest::newRow("a URL") << "http://h.example/a/b?sha256:1"
                               << "http_h.example_a_b_sha256_1-";
        QTest::newRow("a way out") << "../../etc/passwd"
                                   << "etc_passwd-";
        QTest::newRow("an absolute path") << "/etc/passwd"
                                          << "etc_passwd-";
        QTest::newRow("a hidden file") << ".."
                                       << "";
        QTest::newRow("letters of both cases") << "AbC"
                                               << "abc-";
        QTest::newRow("a name that Windows keeps to itself") << "con"
                                                             << "con-";
        QTest::newRow("other letters") << "äöü"
                                       << "";
        QTest::newRow("a long one") << QString(900, 'x') << QString(60, 'x') + '-';
    }
    void aNameIsSafeEverywhere()
    {
        QFETCH(QString, id);
        QFETCH(QString, readable);
        const QString name = QString::fromStdString(fileName(id.toStdString()));
        QCOMPARE(name, readable + QString::fromStdString(sha256(id.toStdString())).left(32));
        QVERIFY(QRegularExpression{"^[a-z0-9][a-z0-9._-]*$"}.match(name).hasMatch());
    }
    void idsThatLookAlikeHaveNamesOfTheirOwn()
    {
        const std::set<std::string> names{fileName("a/b"), fileName("a_b"), fileName("A_B"), fileName("a__b"),
            fileName(std::string(900, 'x')), fileName(std::string(901, 'x'))};
        QCOMPARE(names.size(), std::size_t{6});
    }

    void aBodyAndWhatIsKnownOfIt()
    {
        QTemporaryDir folder;
        const std::string body{"a\0\xff", 3};
        const Headers headers{{"Content-Type", "text/html"}, {"set-cookie", "hidden"}, {"WWW-Authenticate", "hidden"},
            {"X-Echo", "Bearer hidden-token"}, {"Location", "/next?a=hidden b=hidden,hidden"}, {"X-Where", "see /a?hidden now"},
            {"Deprecation", "?1"}};
        QVERIFY(write(folder.filePath("new/one"), item("x"), answer(201, body, headers), {"hidden-token"}));
        const QString base = folder.filePath("new/one/") + QString::fromStdString(fileName("x"));
        QCOMPARE(contentOf(base + ".body"), QByteArray::fromStdString(body));
        const QByteArray text = contentOf(base + ".json");
        QVERIFY2(!text.contains("hidden"), text);
        const QJsonObject meta = QJsonDocument::fromJson(text).object();
        const QJsonArray kept{QJsonObject{{"name", "Content-Type"}, {"value", "text/html"}},
            QJsonObject{{"name", "Location"}, {"value", "/next"}}, QJsonObject{{"name", "X-Where"}, {"value", "see /a now"}},
            QJsonObject{{"name", "Deprecation"}, {"value", "?1"}}};
        const QJsonObject expected{{"id", "x"}, {"line", 3}, {"method", "GET"}, {"url", "http://h/p"}, {"status", 201}, {"headers", kept},
            {"result", "agreed"}, {"attempts", 2}, {"digest", QString::fromStdString(sha256(body))},
            {"time", "1970-01-01T00:00:00.000000Z"}};
        QCOMPARE(meta, expected);
    }

    void anAnswerWithoutABodyOfItsOwnLeavesTheOneThatIsThere()
    {
        QTemporaryDir folder;
        QVERIFY(write(folder.path(), item("x"), answer(200, "body")));
        QVERIFY(write(folder.path(), item("x"), answer(304, "")));
        QCOMPARE(contentOf(folder.filePath(QString::fromStdString(fileName("x")) + ".body")), QByteArray{"body"});
    }

    void aFolderThatCannotBeMadeCouldNotRun()
    {
        for (const QString name : {"/dev/null/folder", "/proc/folder"}) {
            const auto refused = write(name, item("x"), answer(200, "body"));
            QVERIFY(!refused && refused.error().kind == Problem::Kind::CouldNotRun);
            QVERIFY(refused.error().text.find(name.toStdString()) == 0);
        }
    }

    void aFileThatCannotBeWrittenWholeIsNotThereAtAll()
    {
        QTemporaryDir folder;
        QVERIFY(write(folder.path(), item("x"), answer(200, "before")));
        struct rlimit before = {};
        getrlimit(RLIMIT_FSIZE, &before);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        const struct rlimit small = {1000, before.rlim_max}; // the same error path as a full disk
        for (const std::size_t size : {2'000U, 100'000U}) { // less than a buffer, and more
            setrlimit(RLIMIT_FSIZE, &small);
            const auto refused = write(folder.path(), item("x"), answer(200, std::string(size, 'y')));
            setrlimit(RLIMIT_FSIZE, &before);
            QVERIFY(!refused && refused.error().kind == Problem::Kind::CouldNotRun);
            QVERIFY2(QString::fromStdString(refused.error().text).contains(".body: cannot be written ("), refused.error().text.c_str());
            QCOMPARE(contentOf(folder.filePath(QString::fromStdString(fileName("x")) + ".body")), QByteArray{"before"});
            QCOMPARE(QDir{folder.path()}.entryList(QDir::Files).size(), 2); // nothing half is left
        }
        std::signal(SIGXFSZ, handler);
    }
};

QTEST_GUILESS_MAIN(TestFetchOutputFolder)
#include "tst_fetch_output_folder.moc"
