// SPDX-License-Identifier: Apache-2.0
#include "incident_log_writers.h"
#include "incident_support.h"
#include "simulator/incident/limit_inference.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <unistd.h>

using namespace throttlescope;
using namespace throttlescope::testing;
using namespace throttlescope::incident;

namespace {

/// The same text again and again, without holding it.
class EndlessBytes final : public ByteSource {
public:
    EndlessBytes(std::string head, std::string again, std::uint64_t size)
        : m_head(std::move(head))
        , m_again(std::move(again))
        , m_left(size)
    {
    }
    std::size_t read(std::span<char> into) override
    {
        const std::string &text = m_head.empty() ? m_again : m_head;
        const std::size_t count = std::min<std::uint64_t>({into.size(), text.size() - m_at, m_left});
        std::copy_n(text.data() + m_at, count, into.data());
        m_at += count;
        m_left -= count;
        if (m_at == text.size()) {
            m_at = 0;
            m_head.clear();
        }
        return count;
    }

private:
    std::string m_head;
    const std::string m_again;
    std::uint64_t m_left;
    std::size_t m_at = 0;
};

LoggedCall call(int index, int status = 200)
{
    LoggedCall made;
    made.at = utc(2026, 6, 2, 9) + index * 250ms;
    made.took = 40ms;
    made.status = status;
    made.told = 30s;
    made.client = static_cast<std::uint32_t>(index % 3);
    made.method = "POST";
    made.path = "/orders/" + std::to_string(index);
    made.size = 117;
    made.operation = static_cast<std::uint64_t>(index);
    return made;
}

std::string line(const LogDialect &dialect, const LoggedCall &call)
{
    std::string text;
    dialect.write(text, call);
    return text;
}

std::string combined(int count, int status = 200)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += line(logDialects().front(), call(i, status));
    return text;
}

struct Counted {
    QString error;
    LogSummary summary;
    std::size_t refused = 0;
};

Counted counted(std::unique_ptr<ByteSource> bytes, const LogReadOptions &options = {})
{
    Counted result;
    EntryBudget budget;
    std::vector<std::unique_ptr<LogStream>> streams;
    auto stream = LogStream::probe("big.log", std::move(bytes), options.stream, budget);
    if (!stream) {
        result.error = QString::fromStdString(stream.error());
        return result;
    }
    streams.push_back(std::move(*stream));
    const auto read
        = readStreams(std::move(streams), options, [&result](LogEntry &entry) { result.refused += entry.refusedBy != RefusedBy::Nobody; });
    if (read)
        result.summary = *read;
    else
        result.error = QString::fromStdString(read.error());
    return result;
}

constexpr std::int64_t kMostMegabytes = 300; ///< whatever the input

/// Of the whole test so far; 0 where a sanitizer's shadow would count.
std::int64_t peakMegabytes()
{
#ifdef THROTTLESCOPE_SANITIZED
    return 0;
#else
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss / 1024;
#endif
}

/// All that is said and kept of a log.
std::string everythingOf(const ReadLog &log)
{
    std::string all = log.error.toStdString();
    for (const LogEntry &entry : log.entries) {
        all += entry.method + '|' + entry.host + '|' + entry.path + '|' + entry.client + '|' + entry.correlation + '|' + entry.refusedHow;
        for (const auto &[name, value] : entry.limitHeaders)
            all += '|' + name + ':' + value;
    }
    for (const FileSummary &file : log.summary.files) {
        all += '|' + file.ending;
        for (const LineFault &fault : file.faults)
            all += '|' + fault.text;
    }
    return all;
}

/// Where a value begins and ends: between quotes, else between blanks, commas and brackets.
std::vector<std::pair<std::size_t, std::size_t>> valuesOf(const std::string &line)
{
    std::vector<std::pair<std::size_t, std::size_t>> values;
    const std::string marks = " \"{}[],:\n";
    for (std::size_t begin = 0; begin < line.size();) {
        const bool quoted = line[begin] == '"';
        const std::size_t from = begin + quoted;
        const std::size_t end = std::min(quoted ? line.find('"', from) : line.find_first_of(marks, from), line.size());
        const bool isKey = quoted && line.substr(end, 2) == "\":";
        if (end > from && !isKey)
            values.emplace_back(from, end);
        begin = end + 1;
    }
    return values;
}

bool holdsSecret(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text.find("s3cret") != std::string::npos;
}

} // namespace

/// What nobody should give to an importer, and everybody does.
class TestIncidentInput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSecretInAnyFieldIsKeptNowhere_data()
    {
        QTest::addColumn<int>("dialect");
        for (int i = 0; i < static_cast<int>(logDialects().size()); ++i) {
            if (logDialects()[static_cast<std::size_t>(i)].write)
                QTest::newRow(logDialects()[static_cast<std::size_t>(i)].name) << i;
        }
        QTest::newRow("nginx error log") << -1;
    }
    void aSecretInAnyFieldIsKeptNowhere()
    {
        QFETCH(int, dialect);
        LogDialect written = logDialects()[static_cast<std::size_t>(std::max(0, dialect))];
        LoggedCall refused = call(1, 429);
        if (dialect < 0) {
            written.format = {LogFormat::NginxError};
            written.write = dialects::nginxError;
            refused.byThisProxy = true;
        }
        LogReadOptions options;
        options.stream.format = written.format;
        options.stream.reader.logFormat = written.logFormat;
        options.stream.reader.correlate = "x-request-id";
        const bool isHar = written.format.format == LogFormat::Har;
        const auto read
            = [&](const std::string &text) { return readTexts({isHar ? json("{'log':{'entries':[") + text + "]}}" : text}, options); };
        const std::string good = line(written, refused);
        QCOMPARE(read(good).entries.size(), std::size_t{1});
        int tried = 0;
        for (const auto &[begin, end] : valuesOf(good)) {
            // What looks like a name is kept as one where a name is expected: a zone is one, and a host.
            for (const char *secret : {"?k=s3cret", "u:s3cret@h.example", "/a?k=s3cret", "Bearer s3cret", "sid=s3cret; Path=/",
                     "/a;sid=s3cret", "POST /a?k=s3cret HTTP/1.1", "https://u:s3cret@h.example/a?k=s3cret#s3cret"}) {
                std::string changed = good;
                changed.replace(begin, end - begin, secret);
                if (good.substr(begin, end - begin) == "per_ip")
                    continue; // out of nginx's own configuration
                const std::string all = everythingOf(read(good + (isHar ? "," : "") + changed));
                QVERIFY2(!holdsSecret(all), (good.substr(begin, end - begin) + " became " + secret + ": " + all).c_str());
                ++tried;
            }
        }
        QVERIFY(tried >= 64);
    }

    void aLineOfFiveGigabytesIsPassedOver()
    {
        const Counted found
            = counted(std::make_unique<EndlessBytes>(combined(200), std::string(1 << 20, 'a'), std::uint64_t{5'000'000'000}));
        QCOMPARE(found.error, QString{});
        QCOMPARE(found.summary.entries, std::uint64_t{200});
        QCOMPARE(found.summary.malformed, std::uint64_t{1});
        QCOMPARE(QString::fromStdString(found.summary.files[0].faults.at(0).text),
            QStringLiteral("longer than what is read of a line, passed over"));
        QCOMPARE(found.summary.files[0].faults[0].line, std::uint64_t{201});
        QVERIFY2(peakMegabytes() < kMostMegabytes, qPrintable(QString::number(peakMegabytes())));
    }

    void binaryIsSaidSo()
    {
        std::string bytes = "\x7F"
                            "ELF";
        for (int i = 0; i < 100'000; ++i)
            bytes.push_back(static_cast<char>(i * 7919 % 251));
        QVERIFY(readTexts({bytes}).error.startsWith("log1: is binary and no log"));
        QVERIFY(readTexts({gzipped(bytes)}).error.startsWith("log1: is binary and no log"));
    }

    void aCutArchiveGivesWhatItHas()
    {
        for (const auto &[packed, name] : {std::pair{gzipped(combined(20'000)), "gzip"}, std::pair{zstandard(combined(20'000)), "zstd"}}) {
            const ReadLog log = readTexts({packed.substr(0, packed.size() * 2 / 3)});
            QCOMPARE(log.error, QString{});
            QVERIFY(log.entries.size() > 5'000 && log.entries.size() < 20'000);
            const QString ending = QString::fromStdString(log.summary.files[0].ending);
            QVERIFY2(ending.contains(name) && ending.contains("in the middle") && ending.contains("after line"), qPrintable(ending));
        }
    }

    void aCutHarGivesWhatItHas()
    {
        std::string text = json("{'log':{'version':'1.2','entries':[");
        for (int i = 0; i < 500; ++i)
            text += (i > 0 ? "," : "")
                + line(*std::find_if(logDialects().begin(), logDialects().end(),
                           [](const LogDialect &each) { return each.format.format == LogFormat::Har; }),
                    call(i));
        const ReadLog log = readTexts({text.substr(0, text.size() / 2)});
        QCOMPARE(log.error, QString{});
        QVERIFY(log.entries.size() > 200 && log.entries.size() < 300);
        QVERIFY2(!log.summary.files[0].ending.empty(), "says nothing of its end");
        qInfo("%s", log.summary.files[0].ending.c_str());
    }

    void twoHundredThousandPathsTakeNoMemory()
    {
        std::string text;
        for (int i = 0; i < 200'000; ++i)
            text += line(logDialects().front(), call(i, i % 5 == 0 ? 429 : 200));
        QTemporaryDir folder;
        QFile file{folder.filePath("access.log")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.data(), static_cast<qint64>(text.size()));
        file.close();
        std::size_t refused = 0;
        const auto read = readLogs(
            {file.fileName().toStdString()}, {}, [&refused](LogEntry &entry) { refused += entry.refusedBy != RefusedBy::Nobody; });
        QVERIFY(read);
        QCOMPARE(read->entries, std::uint64_t{200'000});
        QCOMPARE(refused, std::size_t{40'000});
        QVERIFY2(peakMegabytes() < kMostMegabytes, qPrintable(QString::number(peakMegabytes())));
    }

    void timesOf1970And2106()
    {
        LoggedCall first = call(0), last = call(1);
        first.at = utc(1970, 1, 1, 0, 0, 10);
        last.at = utc(2106, 2, 7, 6, 28, 16); // 2^32 seconds
        for (const LogDialect &dialect : logDialects()) {
            if (!dialect.write || dialect.format.format == LogFormat::Har)
                continue;
            LogReadOptions options;
            options.stream.reader.logFormat = dialect.logFormat;
            const ReadLog log = readTexts({line(dialect, first) + line(dialect, last)}, options);
            QVERIFY2(log.entries.size() == 2, dialect.name);
            QVERIFY2(log.summary.first < utc(1970, 1, 1, 0, 0, 11) && log.summary.last > utc(2106, 2, 7, 6, 28, 15), dialect.name);
        }
        std::vector<Arrival> arrivals{{first.at, false, 0}};
        for (int i = 0; i < 1000; ++i)
            arrivals.push_back({last.at + i * 100ms, i % 3 == 0, 0});
        inferLimit(arrivals, 1s, Duration{}); // in its time
    }

    void withoutARefusalThereIsNothingToInfer()
    {
        std::vector<Arrival> arrivals;
        const ReadLog log = readTexts({combined(1204)});
        for (const LogEntry &entry : log.entries)
            arrivals.push_back({entry.at, entry.refusedBy != RefusedBy::Nobody, 0});
        QCOMPARE(inferLimit(arrivals, 1s, Duration{}).why, std::string{"nothing was refused: 0 of 1204"});
    }

    void mixedFormatsAreCountedUnderTheirNames()
    {
        std::string text;
        for (int i = 0; i < 300; ++i) {
            const LogDialect &dialect = logDialects()[i % 10 == 3 ? 5 : i % 10 == 7 ? 7 : 0];
            text += line(dialect, call(i, i % 2 == 0 ? 200 : 429));
        }
        const ReadLog log = readTexts({text});
        QCOMPARE(log.entries.size(), std::size_t{240});
        QCOMPARE(log.summary.otherFormats, std::uint64_t{60});
        QCOMPARE(log.summary.files[0].otherFormats[static_cast<std::size_t>(LogFormat::EnvoyJson)], std::uint64_t{30});
        QCOMPARE(log.summary.files[0].otherFormats[static_cast<std::size_t>(LogFormat::Caddy)], std::uint64_t{30});
        QCOMPARE(log.summary.malformed, std::uint64_t{0});
        // Each in its own file is no matter.
        QCOMPARE(readTexts({line(logDialects()[5], call(1)), line(logDialects()[7], call(2)), combined(3)}).entries.size(), std::size_t{5});
    }

    void whatCannotBeOpenedIsNamed()
    {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        const auto errorOf = [](const std::string &file) {
            std::size_t given = 0;
            const auto read = readLogs({file}, {}, [&given](LogEntry &) { ++given; });
            return given > 0 || read ? QString{} : QString::fromStdString(read.error());
        };
        QVERIFY(errorOf(path).startsWith(folder.path() + ": "));
        qInfo("%s", qPrintable(errorOf(path)));
        QVERIFY(errorOf(path + "/none.log").contains("No such file"));
        QFile file{folder.filePath("locked.log")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(combined(3).c_str());
        file.close();
        file.setPermissions({});
        if (::access(file.fileName().toUtf8().constData(), R_OK) != 0) // root may read everything
            QVERIFY(errorOf(file.fileName().toStdString()).contains("Permission denied"));
        // One of several: nothing is given.
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        std::size_t given = 0;
        QVERIFY(!readLogs({file.fileName().toStdString(), path + "/none.log"}, {}, [&given](LogEntry &) { ++given; }));
        QCOMPARE(given, std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestIncidentInput)
#include "tst_incident_input.moc"
