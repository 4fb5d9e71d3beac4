// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/credentials.h"
#include "app/cli/fetch/policy_choice.h"
#include "app/cli/fetch/trust.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::fetch;

namespace {

const std::vector<Item> kOneOrigin = parseWorklist("http://h/a\nhttp://h:80/b\n", "list").items;

QString firstError(const tl::expected<std::shared_ptr<const Policy>, std::vector<LoadError>> &chosen)
{
    return chosen ? QString{} : QString::fromStdString(chosen.error().front().format());
}

} // namespace

class TestFetchCredentials : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string file(const QByteArray &text, QFileDevice::Permissions more = {}) const
    {
        QFile file{m_folder.filePath("file.yaml")};
        file.remove();
        if (!file.open(QIODevice::WriteOnly))
            return {};
        file.write(text);
        file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | more);
        return file.fileName().toStdString();
    }

private Q_SLOTS:
    void cleanup() { qunsetenv("FETCH_TEST_TOKEN"); }

    void theyComeFromAFileAndTheEnvironment()
    {
        qputenv("FETCH_TEST_TOKEN", "hidden1");
        const auto read = readCredentials({file("# mine\n\n X-Key : hidden2 \r\nAccept:a:b\n"), "FETCH_TEST_TOKEN"}, kOneOrigin);
        QVERIFY(read && read->warnings.empty());
        QCOMPARE(read->headers, (Headers{{"X-Key", "hidden2"}, {"Accept", "a:b"}, {"Authorization", "Bearer hidden1"}}));
    }

    void secretsAreTheWordsOfWhatTellsWhoAsks()
    {
        using Secrets = std::vector<std::string>;
        QCOMPARE(secretsIn({{"Authorization", "Bearer hidden1"}, {"X-Key", "hidden2"}}, {}), (Secrets{"hidden1", "hidden2"}));
        QCOMPARE(secretsIn({{"accept", "text/html, */*"}, {"User-Agent", "fetch/1.0"}, {"Content-Type", "text/html"}}, {}), Secrets{});
        QCOMPARE(secretsIn({{"Cookie", "sid=abcdef; x=12"}}, {}), (Secrets{"abcdef", "sid=abcdef", "sid=abcdef; x=12", "x=12"}));
        QCOMPARE(secretsIn({{"X-Key", "abc"}, {"X-Pin", "1234"}}, {}), Secrets{"1234"}); // three characters are anywhere by chance
        Item item;
        item.headers = {{"X-Api-Key", "hidden3"}, {"X-Page", "hidden"}, {"Accept", "text/html"}};
        QCOMPARE(secretsIn({}, {item}), Secrets{"hidden3"});
    }

    void aFileThatOthersCanReadIsWarnedOf()
    {
        const auto read = readCredentials({file("X-Key: hidden\n", QFileDevice::ReadGroup), {}}, kOneOrigin);
        QVERIFY(read && read->warnings.size() == 1);
        QVERIFY(QString::fromStdString(read->warnings.front()).endsWith("others can read these credentials, expected mode 600"));
    }

    void whatIsNoCredentialIsRefusedWithoutBeingShown_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("token");
        QTest::addColumn<QString>("says");
        QTest::newRow("no colon") << QByteArray{"\nhidden\n"} << QByteArray{} << ":2:1: no header that can be sent, expected 'Name: value'";
        QTest::newRow("a name with a blank") << QByteArray{"hidden x: y"} << QByteArray{} << ":1:1: no header that can be sent";
        QTest::newRow("the client's own") << QByteArray{"Content-Length: 5"} << QByteArray{} << ":1:1: no header that can be sent";
        QTest::newRow("an empty variable") << QByteArray{} << QByteArray{""}
                                           << "--bearer-env: no such environment variable or an empty one, expected the name of one";
        QTest::newRow("a token of two lines") << QByteArray{} << QByteArray{"hidden\nhidden"} << "is no token, expected one line";
        QTest::newRow("two of them") << QByteArray{"authorization: hidden"} << QByteArray{"hidden"} << "has an Authorization of its own";
    }
    void whatIsNoCredentialIsRefusedWithoutBeingShown()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, token);
        QFETCH(QString, says);
        qputenv("FETCH_TEST_TOKEN", token);
        const auto refused = readCredentials({file(text), token.isNull() ? "" : "FETCH_TEST_TOKEN"}, kOneOrigin);
        QVERIFY(!refused && refused.error().kind == Problem::Kind::Usage);
        QVERIFY2(QString::fromStdString(refused.error().text).contains(says), refused.error().text.c_str());
        QVERIFY(!QString::fromStdString(refused.error().text).contains("hidden"));
    }

    void aSecretThatIsGivenInPlaceOfAFileOrAVariableIsNotShown()
    {
        for (const CredentialSources &wrong : {CredentialSources{"X-Key: hidden", {}}, CredentialSources{{}, "hidden"}}) {
            const auto refused = readCredentials(wrong, kOneOrigin);
            QVERIFY(!refused && refused.error().kind == Problem::Kind::Usage);
            QVERIFY2(!QString::fromStdString(refused.error().text).contains("hidden"), refused.error().text.c_str());
        }
    }

    void theyGoToOneOriginOnly()
    {
        for (const char *other : {"http://other/", "https://h/", "http://h:81/"}) {
            std::vector<Item> items = kOneOrigin;
            items.push_back(parseWorklist(other, "list").items.front());
            QVERIFY(readCredentials({}, items));
            const auto refused = readCredentials({file("X-Key: hidden"), {}}, items);
            QVERIFY(!refused && refused.error().kind == Problem::Kind::Usage);
            QVERIFY(QString::fromStdString(refused.error().text).startsWith("credentials would go to 2 servers (http://h, http"));
        }
    }

    void aPolicyIsAPresetOrAFile()
    {
        QCOMPARE((*choosePolicy("saia", {}))->maxAttempts, 8);
        QCOMPARE(
            (*choosePolicy("saia", {"max_attempts=2", "rate_limit.max_wait=5s", "pacer.requests_per_second=30/min"}))->rateLimit.maxWait,
            Duration{5s});
        const auto own = choosePolicy(file("preset: saia\nmax_wait: 7s\n"), {"max_attempts=3"});
        QVERIFY2(own, qPrintable(firstError(own)));
        QCOMPARE((*own)->name, std::string{"file"});
        QCOMPARE((*own)->rateLimit.maxWait, Duration{7s});
        QCOMPARE((*own)->maxAttempts, 3);
        QCOMPARE((*own)->attemptTimeout, Duration{60s}); // the preset's
        QVERIFY(choosePolicy(file("{}"), {}));
    }

    void aPolicyThatIsNoneSaysWhere()
    {
        QCOMPARE(
            firstError(choosePolicy("provder", {})), QString{"provder:1:1: no preset and no file of that name, did you mean 'provider'?"});
        const std::string wrong = file("max_attempts: 3\nmax_wat: 7s\n");
        QCOMPARE(
            firstError(choosePolicy(wrong, {})), QString::fromStdString(wrong) + ":2:1: unknown key 'max_wat', did you mean 'max_wait'?");
        QVERIFY(firstError(choosePolicy(file("- 1"), {})).contains(":1:1: a list, expected a map of policy keys"));
        for (const std::string &empty : {std::string{"/dev/null"}, file("# none\n\n")}) {
            const QString error = firstError(choosePolicy(empty, {}));
            QVERIFY2(error.contains(":1:1: no policy in this file, expected keys as they stand under policies.NAME"), qPrintable(error));
        }
        QVERIFY(firstError(choosePolicy("provider", {"max_attempts=0"})).startsWith("--set"));
        QVERIFY(firstError(choosePolicy("provider", {"nonsense"})).contains("no assignment"));
    }

    void aFileWithoutACertificateIsRefused()
    {
        const auto refused = trusting(file("no certificate"));
        QVERIFY(!refused && refused.error().kind == Problem::Kind::Usage);
        QVERIFY(!trusting("/nowhere/ca.pem"));
    }
};

QTEST_GUILESS_MAIN(TestFetchCredentials)
#include "tst_fetch_credentials.moc"
