// SPDX-License-Identifier: GPL-3.0-or-later
#include "fetch_place.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSocketNotifier>
#include <QSslKey>
#include <QSslServer>
#include <QTest>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace throttlescope::testing;
namespace fetch = throttlescope::fetch;

namespace {

/// Thirty requests in each tenth of a second: a limit of 30 a minute, 600 times as fast.
class Limit {
public:
    Limit() { m_clock.start(); }
    PeerReply operator()(const PeerRequest &request)
    {
        const qint64 now = m_clock.elapsed(), window = now / 100;
        m_used = window == m_window ? m_used + 1 : 1;
        m_window = window;
        if (m_used > 30)
            return respond(429, "retry-after-ms: " + QByteArray::number(100 - now % 100) + "\r\n");
        return respond(200, {}, "body of " + request.target);
    }

private:
    QElapsedTimer m_clock;
    qint64 m_window = -1;
    int m_used = 0;
};

} // namespace

class TestFetchCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsKilledFiveTimesHasEveryAnswerOnceInTheEnd()
    {
        constexpr int items = 500;
        int answered = 0, killAfter = 0, served = 0;
        Limit limit;
        Place *running = nullptr;
        ScriptedPeer peer{[&](const PeerRequest &request) {
            if (++answered == killAfter)
                ::kill(static_cast<pid_t>(running->process().processId()), SIGKILL);
            const PeerReply reply = limit(request);
            served += reply.bytes.startsWith("HTTP/1.1 200") ? 1 : 0;
            return reply;
        }};
        Place place{listOf(peer, items)};
        running = &place;
        const QStringList arguments{"--unsettled-only", "--policy", "saia", "--set", "rate_limit.padding={add: 1ms, jitter: 2ms}",
            "--checkpoint", "checkpoint", "--out", "out", "--journal", "journal"};
        std::size_t before = 0;
        for (const int after : {1, 17, 60, 133, 41}) {
            answered = 0;
            killAfter = after;
            QCOMPARE(place.fetch(arguments).code, -1);
            const auto settled = place.settled();
            QVERIFY(settled.size() >= before && settled.size() <= before + static_cast<std::size_t>(after));
            before = settled.size();
        }
        QVERIFY(before > 0);
        killAfter = 0;
        const Ran last = place.fetch(arguments);
        QVERIFY2(last.code == 0, last.out + last.err);
        QCOMPARE(place.settled().size(), std::size_t{items});
        QCOMPARE(QDir{place.path("out")}.entryList({"*.body"}).size(), items);
        QCOMPARE(QDir{place.path("out")}.entryList({"*.json"}).size(), items);
        QVERIFY2(served <= items + 5 * 4, qPrintable(QString::number(served))); // a kill loses what was in flight, 4 at most
        const Ran again = place.fetch(arguments);
        QCOMPARE(again.code, 0);
        QVERIFY2(again.out.contains("500 items, 500 settled before, 0 requests"), again.out);
    }

    void exitCodes_data()
    {
        QTest::addColumn<QByteArray>("list");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, const QByteArray &list, const QStringList &arguments, int code, const QString &says) {
            QTest::newRow(name) << list << arguments << code << says;
        };
        row("all settled", "HOST/a\nHOST/404\n", {}, 0, "no_such          1");
        row("one is refused", "HOST/a\nHOST/429\n", {}, 1, "HOST/429  attempts_exhausted, status 429, come back in 2m");
        row("a redirect", "HOST/302\n", {}, 1, "HOST/302  redirect, status 302");
        row("a line that is no URL", "HOST/a\nfoo\n", {}, 1, "list:2:1: no http or https URL");
        row("only such lines", "foo\n", {}, 1, "0 items, 1 line skipped");
        row("nothing", "\n", {}, 2, "list: nothing to fetch");
        row("no such policy", "HOST/a\n", {"--policy", "nonsense"}, 2, "nonsense:1:1: no preset and no file of that name");
        row("no such key", "HOST/a\n", {"--set", "max_wat=3s"}, 2, "unknown key 'max_wat', did you mean 'max_wait'?");
        row("unsettled without a checkpoint", "HOST/a\n", {"--unsettled-only"}, 2, "--checkpoint");
        row("an option of curl's", "HOST/a\n", {"-H", "Authorization: hidden"}, 2, "credentials come from --header-file, --bearer-env");
        row("a header as an option's value", "HOST/a\n", {"--header=Authorization: hidden"}, 2, "an argument is not expected");
        row("an empty path, as of an unset variable", "HOST/a\n", {"--checkpoint", ""}, 2, "--checkpoint");
        row("a seed that is too large", "HOST/a\n", {"--seed", "9223372036854775808"}, 2, "--seed");
        row("no concurrency", "HOST/a\n", {"--concurrency", "0"}, 2, "--concurrency");
        row("more at a time than the pacing takes in time", "HOST/a\nHOST/b\n",
            {"--policy", "provider", "--set", "pacer.requests_per_second=1/min", "--set", "total_timeout=50s"}, 2,
            "--concurrency 4: the pacing lets item 2 go after 60s, expected no more than the policy's total_timeout of 50s");
        row("a later item that cannot go in time", "{\"url\":\"HOST/a\"}\n{\"url\":\"HOST/b\"}\n{\"url\":\"HOST/c\"}\n",
            {"--concurrency", "1", "--policy", "provider", "--set", "pacer.requests_per_second=1/min", "--set", "total_timeout=50s"}, 2,
            "--concurrency 1: the pacing lets item 2 go after 60s");
        row("a size that is none", "HOST/a\n", {"--max-body", "0"}, 2, "--max-body");
        row("a policy's file with nothing in it", "HOST/a\n", {"--policy", "/dev/null"}, 2, "/dev/null:1:1: no policy in this file");
        row("credentials for two origins", "HOST/a\nhttp://other.invalid/\n", {"--bearer-env", "HOME"}, 2,
            "expected a worklist of one origin");
        row("no certificates", "HOST/a\n", {"--ca-file", "list"}, 2, "list: no certificate, expected some in PEM form");
        row("a folder that cannot be made", "HOST/a\n", {"--out", "list/out"}, 3, "list/out: the folder cannot be made");
        row("a journal that cannot be opened", "HOST/a\n", {"--journal", "none/journal"}, 3, "none/journal: the journal cannot be written");
        row("a journal on a full disk", "HOST/a\n", {"--journal", "/dev/full"}, 3, "No space left on device");
        row("a checkpoint that cannot be made", "HOST/a\n", {"--checkpoint", "none/checkpoint"}, 3,
            "none/checkpoint: the checkpoint cannot be opened");
    }
    void exitCodes()
    {
        QFETCH(QByteArray, list);
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, says);
        ScriptedPeer peer{[](const PeerRequest &request) {
            const int status = request.target.mid(1).toInt();
            return respond(status > 0 ? status : 200, status == 429 ? "Retry-After: 120\r\n" : "");
        }};
        const QByteArray host = peer.url("").toEncoded();
        Place place{list.replace("HOST", host)};
        const bool ownPolicy = arguments.contains("--policy") || arguments.contains("--concurrency");
        const Ran ran = place.fetch((ownPolicy ? QStringList{} : kQuick) + arguments);
        QVERIFY2(ran.code == code, ran.out + ran.err);
        QVERIFY2((ran.out + ran.err).contains(says.replace("HOST", host).toUtf8()), ran.out + ran.err);
        QVERIFY2(!(ran.out + ran.err).contains("hidden"), ran.out + ran.err);
        if (code >= 2 && !arguments.contains("/dev/full"))
            QCOMPARE(peer.requests().size(), 0);
        QCOMPARE(contentOf(place.path("list")), list);
    }

    void noMoreRequestsThanAllowed()
    {
        ScriptedPeer peer{
            [](const PeerRequest &request) { return request.nth % 3 == 0 ? respond(429, "Retry-After: 0\r\n") : respond(200); }};
        Place place{listOf(peer, 30)};
        const Ran ran = place.fetch({"--policy", "relprim", "--max-requests", "17", "--json"});
        QCOMPARE(ran.code, 1);
        QCOMPARE(peer.requests().size(), 17);
        const QJsonObject json = QJsonDocument::fromJson(ran.out).object();
        QCOMPARE(json["requests"].toInt(), 17);
        QCOMPARE(json["items"].toArray().size(), 30);
    }

    void progressIsDrawnEachSecondAlsoWhereNothingEnds()
    {
        ScriptedPeer peer{[](const PeerRequest &) { return held(respond(200)); }};
        Place place{listOf(peer, 1)};
        const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
        QVERIFY(terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0);
        const QByteArray name = ::ptsname(terminal);
        place.process().setChildProcessModifier([name] { ::dup2(::open(name.constData(), O_WRONLY | O_NOCTTY), STDERR_FILENO); });
        QByteArray screen;
        QSocketNotifier written{terminal, QSocketNotifier::Read};
        connect(&written, &QSocketNotifier::activated, this, [&] {
            std::array<char, 1000> buffer{};
            const ssize_t size = ::read(terminal, buffer.data(), buffer.size());
            written.setEnabled(size > 0);
            screen.append(buffer.data(), std::max<ssize_t>(size, 0));
            if (screen.count("0/1  0.0/s  0 unchecked") == 2)
                peer.releaseHeld();
        });
        const Ran ran = place.fetch(kQuick);
        ::close(terminal);
        QVERIFY2(ran.code == 0, screen);
        QVERIFY2(screen.count("0/1  0.0/s  0 unchecked") >= 2, screen);
    }

    void aBodyIsNoLongerThanAllowed()
    {
        ScriptedPeer peer{
            [](const PeerRequest &) { return PeerReply{"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + QByteArray(5000, 'x')}; }};
        Place place{listOf(peer, 1)};
        const Ran ran = place.fetch(kQuick + QStringList{"--max-body", "4kB"});
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.out.contains("/0  body_too_large, status 200\n"), ran.out);
    }

    void credentialsAreSentAndAppearNowhere()
    {
        ScriptedPeer peer{[](const PeerRequest &request) {
            const QByteArray echo = "X-Echo: " + request.header("X-Key") + "\r\nSet-Cookie: hidden-cookie\r\n";
            const QByteArray key = request.header("X-Key");
            const QByteArray everywhere = echo + "RateLimit: \"" + key + "\";r=1;t=3\r\nX-RateLimit-Reset: " + key
                + "\r\nContent-Type: text/html\r\nX-Mine: " + request.header("X-Api-Key")
                + "\r\nLink: <http://a/?token=hidden-query>; rel=next\r\n";
            if (request.target.startsWith("/2"))
                return respond(429, everywhere + "Retry-After: " + key + "\r\n");
            return request.target.startsWith("/1") ? respond(429, echo + "Retry-After: 120\r\n") : respond(200, everywhere);
        }};
        Place place{listOf(peer, 3) + "{\"id\":\"/own?token=hidden-query\",\"url\":\"" + peer.url("/7?token=hidden-query").toEncoded()
            + "\",\"method\":\"PUT\",\"body\":\"hidden-body\",\"headers\":{\"X-Api-Key\":\"hidden-header\"}}\n"};
        place.write("headers", "X-Key: hidden-key\nAccept: */*, text/html\n");
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("FETCH_TOKEN", "hidden-token");
        place.process().setProcessEnvironment(environment);
        const QStringList credentials{"--header-file", "headers", "--bearer-env", "FETCH_TOKEN"};
        QByteArray said;
        for (const QStringList &more : {QStringList{"--dry-run"}, QStringList{"--json"}, QStringList{}}) {
            const Ran ran = place.fetch(
                kQuick + credentials + QStringList{"--checkpoint", "checkpoint", "--out", "out", "--journal", "journal"} + more);
            said += ran.out + ran.err;
        }
        QCOMPARE(peer.requests().size(), 8);
        for (const PeerRequest &request : peer.requests()) {
            QCOMPARE(request.header("X-Key"), QByteArray{"hidden-key"});
            QCOMPARE(request.header("Authorization"), QByteArray{"Bearer hidden-token"});
        }
        QVERIFY2(!said.contains("hidden"), said);
        QVERIFY(!place.everything().contains("hidden"));
        for (const QByteArray &line : contentOf(place.path("journal")).trimmed().split('\n'))
            QVERIFY2(QJsonDocument::fromJson(line).isObject(), line);
        QVERIFY(place.everything().contains("text/html")); // an answer's, which the request's Accept names
    }

    void aFullDiskEndsItWithoutARow()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return respond(200, {}, QByteArray(request.nth <= 3 ? 10 : 300'000, 'x')); }};
        Place place{listOf(peer, 10)};
        place.process().setChildProcessModifier([] { // the same way that a full disk goes: a write comes back short
            std::signal(SIGXFSZ, SIG_IGN);
            const struct rlimit small = {200'000, 200'000};
            setrlimit(RLIMIT_FSIZE, &small);
        });
        const Ran ran = place.fetch(kQuick + QStringList{"--checkpoint", "checkpoint", "--out", "out"});
        QVERIFY2(ran.code == 3, ran.out + ran.err);
        QVERIFY2(ran.err.contains(".body: cannot be written ("), ran.err);
        QCOMPARE(place.settled().size(), std::size_t{3});
        QCOMPARE(QDir{place.path("out")}.entryList(QDir::Files).size(), 6);
        QCOMPARE(peer.requests().size(), 4);
    }

    void anInterruptionFlushesCheckpointAndJournal_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
    }
    void anInterruptionFlushesCheckpointAndJournal()
    {
        QFETCH(int, signal);
        Place *running = nullptr;
        ScriptedPeer peer{[&](const PeerRequest &request) {
            if (request.nth == 5)
                ::kill(static_cast<pid_t>(running->process().processId()), signal);
            return request.nth < 5 ? respond(200) : silence();
        }};
        Place place{listOf(peer, 10)};
        running = &place;
        const Ran ran = place.fetch(kQuick + QStringList{"--checkpoint", "checkpoint", "--journal", "journal"});
        QCOMPARE(ran.code, 130);
        QVERIFY2(ran.out.contains("agreed           4\n") && ran.out.contains(", interrupted"), ran.out);
        QCOMPARE(place.settled().size(), std::size_t{4});
        QVERIFY(contentOf(place.path("journal")).trimmed().split('\n').last().contains("\"event\":\"run.finished\""));
    }

    void aSecondFetchOnTheSameCheckpointIsRefused()
    {
        ScriptedPeer peer;
        Place place{listOf(peer, 2)};
        QCOMPARE(place.fetch(kQuick + QStringList{"--checkpoint", "checkpoint"}).code, 0);
        const auto print = fetch::fingerprint(fetch::readWorklist(place.path("list").toStdString())->items);
        const auto held = fetch::Checkpoint::open(place.path("checkpoint").toStdString(), print);
        QVERIFY(held);
        const Ran ran = place.fetch({"--checkpoint", "checkpoint"});
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.err.contains("checkpoint: the checkpoint is in use by another fetch"), ran.err);
        QCOMPARE(peer.requests().size(), 2);
    }

    void acknowledgedOnesAreCountedApart()
    {
        ScriptedPeer peer{[](const PeerRequest &request) { return respond(request.target == "/9" ? 200 : 404); }};
        Place place{listOf(peer, 3)};
        place.write("known", peer.url("/1").toEncoded() + "\nnobody\n");
        const Ran ran = place.fetch(kQuick + QStringList{"--acknowledged", "known"});
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.out.contains("no_such          2   and 1 acknowledged\n"), ran.out);
        QCOMPARE(ran.err, QByteArray{"known:2:1: 'nobody' is not in the worklist, expected an id of it\n"});
    }

    void aPeerIsTrustedOnlyWithItsCertificate()
    {
        Place place;
        QProcess openssl;
        openssl.setWorkingDirectory(place.path(""));
        openssl.start("openssl",
            {"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj",
                "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"});
        if (!openssl.waitForFinished() || openssl.exitCode() != 0)
            QSKIP("no openssl to make a certificate with");
        QSslServer server;
        QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
        configuration.setLocalCertificate(QSslCertificate::fromData(contentOf(place.path("cert.pem"))).first());
        configuration.setPrivateKey(QSslKey{contentOf(place.path("key.pem")), QSsl::Rsa});
        server.setSslConfiguration(configuration);
        QVERIFY(server.listen(QHostAddress::LocalHost));
        connect(&server, &QTcpServer::pendingConnectionAvailable, this, [&server] {
            QTcpSocket *socket = server.nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, socket, [socket] { socket->write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); });
        });
        place.write("list", QString{"https://127.0.0.1:%1/\n"}.arg(server.serverPort()).toUtf8());
        const Ran stranger = place.fetch(kQuick);
        QVERIFY2(stranger.code == 1 && stranger.out.contains("  tls\n"), stranger.out + stranger.err);
        const Ran trusted = place.fetch(kQuick + QStringList{"--ca-file", "cert.pem"});
        QVERIFY2(trusted.code == 0, trusted.out + trusted.err);
    }
};

QTEST_GUILESS_MAIN(TestFetchCli)
#include "tst_fetch_cli.moc"
