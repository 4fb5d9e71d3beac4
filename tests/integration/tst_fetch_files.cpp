// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/fetch/output_folder.h"
#include "fetch_place.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace throttlescope::testing;

/// What `fetch` writes, and what it leaves alone.
class TestFetchFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noFileIsWrittenTwiceOrOverAnother_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, const QStringList &arguments, const char *says) { QTest::newRow(name) << arguments << says; };
        const QString body = "out/" + QString::fromStdString(throttlescope::fetch::fileName("x")) + ".body";
        const QString meta = "out/" + QString::fromStdString(throttlescope::fetch::fileName("x")) + ".json";
        row("a journal over the worklist", {"--journal", "./list"}, "./list would overwrite the worklist");
        row("a journal over a link to the worklist", {"--journal", "link"}, "link would overwrite the worklist");
        row("a journal over the headers", {"--journal", "headers", "--header-file", "headers"}, "would overwrite the headers' file");
        row("a journal over the policy", {"--journal", "policy", "--policy", "policy"}, "would overwrite the policy's file");
        row("a journal over the acknowledged", {"--journal", "ids", "--acknowledged", "ids"}, "would overwrite the acknowledged ids");
        row("a journal over the checkpoint", {"--journal", "c", "--checkpoint", "./c"}, "c would overwrite the checkpoint");
        row("a journal over what SQLite keeps", {"--journal", "c-journal", "--checkpoint", "c"},
            "would overwrite a file of the checkpoint");
        row("a journal where the folder will be", {"--journal", "out", "--out", "out"}, "would overwrite the folder of --out");
        row("a checkpoint over the headers", {"--checkpoint", "headers", "--header-file", "headers"}, "would overwrite the headers' file");
        row("a checkpoint that has the list beside it", {"--checkpoint", "li"}, "would overwrite the worklist");
        row("a checkpoint where the folder will be", {"--checkpoint", "out", "--out", "out"}, "would overwrite the checkpoint");
        row("a body over the journal", {"--out", "out/", "--journal", body}, "would overwrite the journal");
        row("a meta file over the checkpoint", {"--out", "out", "--checkpoint", meta}, "would overwrite the checkpoint");
    }
    void noFileIsWrittenTwiceOrOverAnother()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        ScriptedPeer peer;
        Place place{"{\"id\":\"x\",\"url\":\"" + peer.url("/").toEncoded() + "\"}\n"};
        place.write("headers", "X-Key: 1234\n");
        place.write("policy", "preset: none\n");
        place.write("ids", "x\n");
        QVERIFY(QFile::link(place.path("list"), place.path("link")));
        if (arguments.contains("li"))
            QVERIFY(QFile::rename(place.path("list"), place.path("li-journal")) && QFile::link("li-journal", place.path("list")));
        const QByteArray before = place.everything() + contentOf(place.path("list")) + contentOf(place.path("headers"));
        for (const QStringList &more : {QStringList{}, QStringList{"--dry-run"}}) {
            const Ran ran = place.fetch(arguments + more);
            QVERIFY2(ran.code == 2, ran.out + ran.err);
            QVERIFY2(ran.err.contains(says.toUtf8() + ", expected a file of its own\n"), ran.err);
            QCOMPARE(place.everything() + contentOf(place.path("list")) + contentOf(place.path("headers")), before);
        }
        QCOMPARE(peer.requests().size(), 0);
    }

    void aJournalIsEmptiedOnlyWhenEverythingElseIsGood_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("a pacing that takes too long") << QStringList{"--set", "pacer.requests_per_second=1/min", "--set",
            "total_timeout=50s"} << "the pacing lets item 2 go after 60s";
        QTest::newRow("a checkpoint that is none") << QStringList{"--checkpoint", "other"} << "other: no checkpoint or a damaged one";
        QTest::newRow("a folder that cannot be made") << QStringList{"--out", "list/out"} << "list/out: the folder cannot be made";
        QTest::newRow("a dry run") << QStringList{"--dry-run"} << "nothing was sent";
    }
    void aJournalIsEmptiedOnlyWhenEverythingElseIsGood()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        ScriptedPeer peer;
        Place place{listOf(peer, 2)};
        place.write("journal", "of an earlier run\n");
        place.write("other", "no checkpoint");
        const Ran ran = place.fetch(arguments + QStringList{"--journal", "journal"});
        QVERIFY2((ran.out + ran.err).contains(says.toUtf8()), ran.out + ran.err);
        QCOMPARE(contentOf(place.path("journal")), QByteArray{"of an earlier run\n"});
        QCOMPARE(peer.requests().size(), 0);
    }

    void aDryRunSendsAndMakesNothing()
    {
        ScriptedPeer peer;
        Place place{listOf(peer, 5) + peer.url("/6?key=hidden").toEncoded()};
        const QStringList arguments{"--checkpoint", "checkpoint", "--out", "out", "--journal", "journal", "--seed", "5"};
        const Ran ran = place.fetch(arguments + QStringList{"--dry-run"});
        QCOMPARE(ran.code, 0);
        // Two requests a second: six take 2.5 s.
        QVERIFY2(ran.out.contains(": 6 requests, the last after 2.5s\n"), ran.out);
        QVERIFY2(
            ran.out.contains("policy provider, 6 to ask, seed 5; nothing was sent, and what limits a server has is not known\n"), ran.out);
        QVERIFY(!ran.out.contains("hidden"));
        QCOMPARE(peer.requests().size(), 0);
        QCOMPARE(QDir{place.path("")}.entryList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot), QStringList{"list"});
        place.fetch(arguments + QStringList{"--set", "pacer=null", "--concurrency", "1"});
        QStringList asked, planned;
        for (const PeerRequest &request : peer.requests())
            asked << peer.url(request.target.left(2)).toEncoded();
        for (const QByteArray &line : ran.out.split('\n').mid(0, 6))
            planned << line.trimmed().split(' ').last().split('?').first();
        QCOMPARE(asked, planned);
    }

    void aDryRunSaysWhatIsLeftOut()
    {
        ScriptedPeer peer;
        Place place{listOf(peer, 5) + "foo\n"};
        place.write("checkpoint", {}); // as a kill may leave it
        const QStringList arguments{"--dry-run", "--checkpoint", "checkpoint", "--max-requests", "3", "--seed", "5"};
        const Ran ran = place.fetch(arguments);
        QCOMPARE(ran.code, 1);
        QVERIFY2(ran.out.contains(": 3 requests, the last after 1s\n"), ran.out);
        QVERIFY2(ran.out.contains("policy provider, 3 to ask, 2 over --max-requests, 1 line skipped, seed 5; "), ran.out);
        const QJsonObject json = QJsonDocument::fromJson(place.fetch(arguments + QStringList{"--json"}).out).object();
        QCOMPARE(json["to_ask"].toInt(), 3);
        QCOMPARE(json["over_max_requests"].toInt(), 2);
        QCOMPARE(json["skipped_lines"].toInt(), 1);
        QVERIFY(json.contains("server_limits") && json["server_limits"].isNull());
        QCOMPARE(json["servers"].toArray().size(), 1);
        QStringList planned;
        for (const QJsonValue &item : json["items"].toArray())
            planned << QString{"%1 %2"}.arg(item["start_seconds"].toDouble()).arg(item["url"].toString());
        QStringList printed;
        for (const QByteArray &line : ran.out.split('\n').mid(0, 3)) {
            const auto words = QString::fromUtf8(line.simplified()).split(' ');
            printed << QString{"%1 %2"}.arg(static_cast<double>(printed.size()) / 2).arg(words.last()); // two requests a second
        }
        QCOMPARE(planned, printed);
        QCOMPARE(contentOf(place.path("checkpoint")), QByteArray{});
        QCOMPARE(peer.requests().size(), 0);
    }
};

QTEST_GUILESS_MAIN(TestFetchFiles)
#include "tst_fetch_files.moc"
