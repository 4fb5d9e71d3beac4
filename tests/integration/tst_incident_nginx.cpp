// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_inference.h"
#include "simulator/incident/limit_verdict.h"
#include "simulator/incident/log_reader.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace throttlescope;
using namespace throttlescope::incident;

namespace {

/// Named, installed, or unpacked by ./dev.
QString nginxProgram()
{
    if (qEnvironmentVariableIsSet("NGINX_PROGRAM"))
        return qEnvironmentVariable("NGINX_PROGRAM");
    const QString installed = QStandardPaths::findExecutable("nginx", {"/usr/sbin", "/usr/local/sbin", "/usr/bin"});
    const QString unpacked = QStringLiteral(THROTTLESCOPE_SOURCE_DIR) + "/build/nginx/usr/sbin/nginx";
    return !installed.isEmpty() ? installed : QFile::exists(unpacked) ? unpacked : QString{};
}

const char *const kFormat = "$remote_addr [$time_local] \"$request\" $status $msec $request_time $upstream_status $host";
const char *const kFormatWithVerdict = "$remote_addr [$time_local] \"$request\" $status $msec $request_time $limit_req_status";

/// A server with a limit for each client, before another that answers everything. Sockets are files: no port is taken.
QString configuration(const QString &folder)
{
    const auto server = [&](const char *name, const char *zone, int burst) {
        return QStringLiteral("  server {\n"
                              "    listen unix:%1/%2.socket;\n"
                              "    access_log %1/%2.combined.log;\n"
                              "    access_log %1/%2.plain.log plain;\n"
                              "    access_log %1/%2.verdict.log verdict;\n"
                              "    error_log %1/%2.error.log error;\n"
                              "    location / { limit_req zone=%3 burst=%4 nodelay; proxy_pass http://unix:%1/behind.socket; }\n"
                              "  }\n")
            .arg(folder, QString{name}, QString{zone})
            .arg(burst);
    };
    return QStringLiteral("daemon off; master_process off; pid %1/pid; error_log %1/nginx.log;\n"
                          "events { worker_connections 64; }\n"
                          "http {\n"
                          "  log_format plain '%2';\n"
                          "  log_format verdict '%3';\n"
                          "  access_log off; keepalive_requests 1000000; set_real_ip_from unix:; real_ip_header X-Forwarded-For;\n"
                          "  client_body_temp_path %1/b; proxy_temp_path %1/p; fastcgi_temp_path %1/f; uwsgi_temp_path %1/u;\n"
                          "  scgi_temp_path %1/s;\n"
                          "  limit_req_zone $binary_remote_addr zone=per_second:1m rate=50r/s;\n"
                          "  limit_req_zone $binary_remote_addr zone=per_minute:1m rate=1800r/m;\n"
                          "  server { listen unix:%1/behind.socket; location / { return 200 'ok'; } }\n")
               .arg(folder, kFormat, kFormatWithVerdict)
        + server("second", "per_second", 20) + server("minute", "per_minute", 10) + "}\n";
}

/// One connection that asks and waits for the answer, as a curl loop does.
class Loop {
public:
    explicit Loop(const QString &socketFile)
        : m_file(socketFile.toUtf8())
    {
    }
    ~Loop() { disconnect(); }
    Loop(const Loop &) = delete;
    Loop &operator=(const Loop &) = delete;

    bool connect()
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (static_cast<std::size_t>(m_file.size()) >= sizeof(address.sun_path))
            return false;
        std::copy(m_file.begin(), m_file.end(), address.sun_path);
        m_socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::connect(m_socket, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0)
            return true;
        disconnect();
        return false;
    }

    /// The status; 0 where none came.
    int get(int path, const char *client)
    {
        const QByteArray request = QStringLiteral("GET /orders/%1?key=s3cret HTTP/1.1\r\nHost: api.example\r\nX-Forwarded-For: %2\r\n\r\n")
                                       .arg(path)
                                       .arg(client)
                                       .toUtf8();
        if (::send(m_socket, request.constData(), static_cast<std::size_t>(request.size()), MSG_NOSIGNAL) != request.size())
            return 0;
        m_answer.clear();
        while (!isWhole()) {
            char buffer[4096];
            const auto size = ::recv(m_socket, buffer, sizeof(buffer), 0);
            if (size <= 0)
                return 0;
            m_answer.append(buffer, static_cast<qsizetype>(size));
        }
        return m_answer.mid(9, 3).toInt();
    }

private:
    bool isWhole() const
    {
        const qsizetype head = m_answer.indexOf("\r\n\r\n"), length = m_answer.indexOf("Content-Length: ");
        return head > 0 && length > 0 && length < head
            && m_answer.size() >= head + 4 + m_answer.mid(length + 16, m_answer.indexOf('\r', length) - length - 16).toInt();
    }
    void disconnect()
    {
        if (m_socket >= 0)
            ::close(m_socket);
        m_socket = -1;
    }

    const QByteArray m_file;
    QByteArray m_answer;
    int m_socket = -1;
};

constexpr int kFewest = 1500; ///< requests to each: several times as many as pass

struct Limited {
    LogSummary summary;
    std::vector<Arrival> arrivals;
    std::map<std::string, int> refusals; ///< by whom, and how
    int refused = 0;
    Inference inference;
};

} // namespace

/// What Debian's nginx really writes where `limit_req` refuses.
class TestIncidentNginx : public QObject {
    Q_OBJECT

private:
    QString file(const char *name) const { return m_folder.filePath(QString{name}); }

    Limited imported(std::initializer_list<const char *> names, const char *logFormat, Duration precision)
    {
        Limited found;
        std::vector<std::string> files;
        for (const char *name : names)
            files.push_back(file(name).toStdString());
        LogReadOptions options;
        options.stream.reader.logFormat = logFormat;
        std::map<std::string, std::uint32_t> keys;
        const auto read = readLogs(files, options, [&](LogEntry &entry) {
            const bool refused = entry.refusedBy != RefusedBy::Nobody;
            found.refused += refused;
            found.refusals[entry.refusedHow] += entry.refusedBy == RefusedBy::ThisProxy;
            const auto key = keys.try_emplace(entry.client, static_cast<std::uint32_t>(keys.size())).first->second;
            found.arrivals.push_back({entry.at, refused, key});
        });
        if (!read)
            qFatal("%s", read.error().c_str());
        found.summary = *read;
        found.inference = inferLimit(found.arrivals, precision, Duration{}, WindowKind::TokenBucket);
        return found;
    }

    static bool isTruth(const InferredLimit &limit, double truth)
    {
        return limit.kind == WindowKind::TokenBucket && limit.perKey
            && std::abs(static_cast<double>(limit.quota) / secondsOf(limit.per) / truth - 1) <= 0.02;
    }

    /// How fast the loop is, is the machine's affair. A slow one may leave two limits that explain the log; the true one is
    /// then among them.
    static void compareRate(const Limited &found, double truth)
    {
        if (!found.inference.best) {
            const auto &candidates = found.inference.candidates;
            const auto isTrue = [truth](const Candidate &each) { return isTruth(each.limit, truth); };
            QVERIFY2(std::any_of(candidates.begin(), candidates.end(), isTrue), found.inference.why.c_str());
            return qInfo("cannot tell: %s", found.inference.why.c_str());
        }
        const InferredLimit &limit = found.inference.best->limit;
        const double rate = static_cast<double>(limit.quota) / secondsOf(limit.per);
        qInfo("%s: %.3f/s of %.0f/s", limitWords(limit).c_str(), rate, truth);
        QVERIFY2(isTruth(limit, truth), limitWords(limit).c_str());
        QVERIFY(found.inference.settled.perKey);
    }

    QTemporaryDir m_folder;
    QProcess m_nginx;
    int m_sent = 0; ///< to each of the two
    int m_refusedSecond = 0, m_refusedMinute = 0;

private Q_SLOTS:
    /// Both limits at once, two clients each: some four seconds of a loop.
    void initTestCase()
    {
        const QString program = nginxProgram();
        if (program.isEmpty())
            QSKIP("no nginx (./dev test unpacks one; NGINX_PROGRAM names another)");
        QFile conf{file("nginx.conf")};
        QVERIFY(conf.open(QIODevice::WriteOnly));
        conf.write(configuration(m_folder.path()).toUtf8());
        conf.close();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("TZ", "UTC"); // its error log writes no zone
        m_nginx.setProcessEnvironment(environment);
        m_nginx.start(program, {"-p", m_folder.path(), "-c", conf.fileName(), "-e", file("nginx.log")});
        Loop second{file("second.socket")}, minute{file("minute.socket")};
        QElapsedTimer timer;
        timer.start();
        while (!second.connect() && timer.elapsed() < 20'000 && m_nginx.state() != QProcess::NotRunning)
            m_nginx.waitForFinished(10);
        QVERIFY2(minute.connect(), m_nginx.readAllStandardError().constData());
        // A busy machine takes longer for as many.
        for (timer.start(); timer.elapsed() < 4'000 || (m_sent < kFewest && timer.elapsed() < 15'000); ++m_sent) {
            // The second comes and goes: two that always come look like one limit of twice the rate.
            const char *const client = m_sent % 3 == 0 && timer.elapsed() / 600 % 2 == 1 ? "192.0.2.8" : "192.0.2.7";
            const int fromSecond = second.get(m_sent % 50, client), fromMinute = minute.get(m_sent % 50, client);
            QVERIFY(fromSecond > 0 && fromMinute > 0);
            m_refusedSecond += fromSecond == 503;
            m_refusedMinute += fromMinute == 503;
            QTest::qWait(1); // some hundreds a second, as far as the machine lets it
        }
        m_nginx.terminate();
        QVERIFY(m_nginx.waitForFinished(20'000));
        qInfo("%d requests to each, %d and %d refused", m_sent, m_refusedSecond, m_refusedMinute);
        if (m_sent < kFewest)
            QSKIP("this machine is too busy to exceed the limit by enough");
    }

    void theRateAsNginxItselfSays()
    {
        const Limited second = imported({"second.verdict.log"}, kFormatWithVerdict, std::chrono::milliseconds{1});
        QCOMPARE(second.summary.entries, static_cast<std::uint64_t>(m_sent));
        QCOMPARE(second.refused, m_refusedSecond);
        QCOMPARE(second.refusals.at("limit_req"), m_refusedSecond);
        compareRate(second, 50);
        const Limited minute = imported({"minute.verdict.log"}, kFormatWithVerdict, std::chrono::milliseconds{1});
        QCOMPARE(minute.refusals.at("limit_req"), m_refusedMinute);
        compareRate(minute, 30);
    }

    void theRateWithoutItsVerdict()
    {
        // A 503 that nobody behind it gave.
        const Limited minute = imported({"minute.plain.log"}, kFormat, std::chrono::milliseconds{1});
        QCOMPARE(minute.refused, m_refusedMinute);
        QCOMPARE(minute.refusals.at("no upstream"), m_refusedMinute);
        compareRate(minute, 30);
        compareRate(imported({"second.plain.log"}, kFormat, std::chrono::milliseconds{1}), 50);
    }

    void theErrorLogNamesTheZone()
    {
        const Limited both = imported({"second.error.log", "second.plain.log"}, kFormat, std::chrono::milliseconds{1});
        QCOMPARE(both.summary.entries, static_cast<std::uint64_t>(m_sent));
        QCOMPARE(both.summary.notesMatched, static_cast<std::uint64_t>(m_refusedSecond));
        QCOMPARE(both.refusals.at("limit_req zone \"per_second\""), m_refusedSecond);
        compareRate(both, 50);
    }

    void wholeSecondsAloneNeverMislead()
    {
        for (const auto &[name, error, zone, refused, truth] :
            {std::tuple{"second.combined.log", "second.error.log", "limit_req zone \"per_second\"", m_refusedSecond, 50.0},
                std::tuple{"minute.combined.log", "minute.error.log", "limit_req zone \"per_minute\"", m_refusedMinute, 30.0}}) {
            const Limited found = imported({name, error}, "", std::chrono::seconds{1});
            QCOMPARE(found.summary.entries, static_cast<std::uint64_t>(m_sent));
            QCOMPARE(found.refused, refused);
            QCOMPARE(found.refusals.at(zone), refused);
            if (found.inference.best)
                compareRate(found, truth);
            else
                qInfo("%s", found.inference.why.c_str());
        }
    }

    void nothingOfTheQueryIsKept()
    {
        readLogs({file("second.combined.log").toStdString()}, {}, [](LogEntry &entry) {
            QVERIFY(entry.path.starts_with("/orders/") && entry.path.find("s3cret") == std::string::npos);
            QVERIFY(entry.client == "192.0.2.7" || entry.client == "192.0.2.8");
        });
    }
};

QTEST_GUILESS_MAIN(TestIncidentNginx)
#include "tst_incident_nginx.moc"
