// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

namespace {

struct Served {
    int exitCode = -1;
    QByteArray out;
    QByteArray err;
    QByteArray all() const { return out + err; }
};

Served serve(const QString &scenario, const QStringList &client)
{
    QProcess process;
    process.setWorkingDirectory(CLIENTS_DIR);
    process.start(THROTTLESCOPE_BINARY, QStringList{"serve", scenario, "--"} + client);
    const bool finished = process.waitForFinished(60'000);
    return {finished ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

/// Debian's own Python: urllib3 is a package of that one.
QString python()
{
    const QString debians = "/usr/bin/python3";
    return QFile::exists(debians) ? debians : QStandardPaths::findExecutable("python3");
}

bool succeeds(const QString &program, const QStringList &arguments, const QString &folder = {})
{
    QProcess process;
    process.setWorkingDirectory(folder.isEmpty() ? QDir::tempPath() : folder);
    process.start(program, arguments);
    return process.waitForFinished(90'000) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
}

} // namespace

/// What clients that nobody here wrote really do. See the README beside this.
class TestClients : public QObject {
    Q_OBJECT

private:
    /// Empty, or why not.
    QString missing(const QString &needs)
    {
        if (needs == "curl")
            return QStandardPaths::findExecutable("curl").isEmpty() ? "no curl" : "";
        if (needs == "python")
            return python().isEmpty() ? "no python3" : "";
        if (needs == "urllib3")
            return !python().isEmpty() && succeeds(python(), {"-c", "import urllib3"}) ? "" : "no python3-urllib3";
        return undici();
    }

    /// The package is unpacked into the build folder once, from whichever registry npm knows.
    QString undici()
    {
        if (QStandardPaths::findExecutable("node").isEmpty() || QStandardPaths::findExecutable("npm").isEmpty())
            return "no node and npm";
        QDir{}.mkpath(m_work);
        for (const QString file : {"package.json", "package-lock.json", "client.mjs"}) {
            QFile::remove(m_work + '/' + file);
            QFile::copy(QStringLiteral(CLIENTS_DIR "/undici/") + file, m_work + '/' + file);
        }
        const bool there = QFile::exists(m_work + "/node_modules/undici/package.json")
            || succeeds("npm", {"ci", "--no-audit", "--no-fund", "--prefer-offline"}, m_work);
        return there ? "" : "npm could not fetch undici";
    }

    const QString m_work = QStringLiteral(CLIENTS_WORK "/undici");

private Q_SLOTS:
    void keepsToWhatItsScenarioPins_data()
    {
        QTest::addColumn<QString>("needs");
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<QStringList>("client");
        const QString twice = "curl -sf --retry %1 $THROTTLESCOPE_URL/first && curl -sf --retry %1 $THROTTLESCOPE_URL/second";
        QTest::newRow("curl obeys seconds") << "curl"
                                            << "seconds.yaml" << QStringList{"sh", "-c", twice.arg("3")};
        QTest::newRow("curl obeys a date") << "curl"
                                           << "date.yaml" << QStringList{"sh", "-c", twice.arg("3")};
        QTest::newRow("curl with --retry-max-time gives up at once")
            << "curl"
            << "curl-max-time.yaml" << QStringList{"sh", "-c", twice.arg("3 --retry-max-time 5").replace("&&", ";") + "; test $? -eq 22"};
        QTest::newRow("urllib3 obeys seconds") << "urllib3"
                                               << "seconds.yaml" << QStringList{python(), "urllib3_get.py"};
        QTest::newRow("urllib3 obeys a date") << "urllib3"
                                              << "date.yaml" << QStringList{python(), "urllib3_get.py"};
        QTest::newRow("urllib3 repeats no POST") << "urllib3"
                                                 << "urllib3-post.yaml" << QStringList{python(), "urllib3_post.py"};
        QTest::newRow("undici obeys seconds") << "undici"
                                              << "seconds.yaml" << QStringList{"node", m_work + "/client.mjs"};
        QTest::newRow("undici cannot read a date") << "undici"
                                                   << "undici-date.yaml" << QStringList{"node", m_work + "/client.mjs", "2"};
    }
    void keepsToWhatItsScenarioPins()
    {
        QFETCH(QString, needs);
        QFETCH(QString, scenario);
        QFETCH(QStringList, client);
        if (const QString why = missing(needs); !why.isEmpty())
            QSKIP(qPrintable(why));
        const Served served = serve(scenario, client);
        QVERIFY2(served.exitCode == 0, served.all());
        QVERIFY2(served.out.startsWith("ok "), served.all());
    }

    void millisecondsForSecondsAreCaughtAndTheRequestIsNamed()
    {
        if (const QString why = missing("python"); !why.isEmpty())
            QSKIP(qPrintable(why));
        const Served served = serve("seconds.yaml", {python(), "careless.py"});
        QCOMPARE(served.exitCode, 1);
        QVERIFY2(served.out.contains("early_returns: expected 0, got "), served.all());
        QVERIFY2(served.out.contains("GET /second, attempt 2, 1.9"), served.all()); // 2 s told, some milliseconds waited
        QVERIFY2(served.out.contains("before it was due"), served.all());
    }
};

QTEST_GUILESS_MAIN(TestClients)
#include "tst_clients.moc"
