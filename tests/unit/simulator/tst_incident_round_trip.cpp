// SPDX-License-Identifier: Apache-2.0
#include "incident_runs.h"
#include "incident_support.h"
#include "simulator/incident/limit_verdict.h"
#include "simulator/incident/operation_grouping.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::test;
using incident::Ending;
using incident::LogFormat;
using incident::RefusedBy;
using testing::LogDialect;
using testing::LoggedCall;

namespace {

constexpr std::uint64_t kScenarios = 200;
const std::uint64_t kFirst = qEnvironmentVariableIntValue("THROTTLESCOPE_FIRST_SEED"); ///< others, at a desk
constexpr double kMostRequests = 9'000; ///< of a log, about; what is more only takes time

/// A scenario, and the format its log is written in.
struct RoundTrip {
    std::uint64_t seed = 0;
    LogPlan plan;
    const LogDialect *dialect = nullptr;
    bool hasErrorLog = false; ///< beside the access log; only a bucket of `limit_req` has one
    bool isRotated = false;
};

RoundTrip roundTripOf(std::uint64_t seed)
{
    Dice dice{seed ^ 0x10c5};
    RoundTrip trip;
    trip.seed = seed;
    trip.dialect = &testing::logDialects()[seed % testing::logDialects().size()];
    trip.hasErrorLog = QByteArray{trip.dialect->name}.contains("error log");
    const bool isLines = trip.dialect->write && trip.dialect->format.format != LogFormat::Har;
    trip.isRotated = isLines && dice.chance(0.3);
    const bool isBucket = trip.hasErrorLog || dice.chance(0.05);
    if (isBucket) {
        trip.plan = bucketPlanOf(seed);
        trip.plan.limit.per.length = 1min;
        trip.plan.limit.quota = static_cast<std::uint64_t>(dice.oneOf({30, 60, 120}));
        trip.plan.periods = 40;
        trip.plan.load = dice.between(2.5, 5);
    } else {
        trip.plan = planOf(seed);
        trip.plan.limit.quota = std::min<std::uint64_t>(trip.plan.limit.quota, 100);
        trip.plan.periods = std::min(trip.plan.periods, 20);
        if (trip.plan.countsRefused) {
            trip.plan.countsRefused = false; // a client that goes on regardless would never get through
            trip.plan.load = dice.between(1.3, 3);
        }
    }
    if (trip.dialect->format.format == LogFormat::Har)
        trip.plan.clients = 1; // a browser's own
    trip.plan.perKey = trip.plan.perKey && trip.plan.clients > 1 && trip.dialect->tellsClient;
    if (trip.plan.perKey)
        trip.plan.limit.quota = std::min<std::uint64_t>(trip.plan.limit.quota, 10);
    if (trip.plan.retries == Retries::Backoff)
        trip.plan.load = std::min(trip.plan.load, 2.0);
    const double attempts = trip.plan.retries == Retries::Backoff ? 3 : trip.plan.retries == Retries::Told ? 2 : 1;
    const double each = trip.plan.load * static_cast<double>(trip.plan.limit.quota) * (trip.plan.perKey ? trip.plan.clients : 1) * attempts;
    trip.plan.periods = std::clamp(static_cast<int>(kMostRequests / each), 12, trip.plan.periods);
    trip.plan.precision = trip.dialect->precision;
    return trip;
}

QString described(const RoundTrip &trip)
{
    const Limit &limit = trip.plan.limit;
    return QStringLiteral("seed %1, %2%3: %4 per %5 s, %6%7, %8 clients%9")
        .arg(trip.seed)
        .arg(QString{trip.dialect->name}, QString{trip.isRotated ? ", rotated" : ""})
        .arg(limit.quota)
        .arg(secondsOf(limit.per.length))
        .arg(limit.window == WindowKind::Sliding          ? "sliding"
                : limit.window == WindowKind::TokenBucket ? "token bucket"
                : limit.align == Align::Calendar          ? "fixed, calendar"
                                                          : "fixed, from the first request",
            trip.plan.perKey ? ", per key" : "")
        .arg(trip.plan.clients)
        .arg(trip.plan.lost > 0 ? ", a line in 100 lost" : "");
}

/// In a folder of its own.
class Written {
public:
    explicit Written(const RoundTrip &trip)
        : m_sink(trip.dialect->format.format == LogFormat::Journal)
        , m_dice(trip.seed ^ 0xf11e)
    {
        play(trip.plan, trip.seed, m_sink);
        for (LoggedCall &call : m_sink.calls) {
            call.at += scaled(trip.plan.jitter, m_dice.between(-1, 1));
            if (trip.hasErrorLog && call.status == 429) {
                call.byThisProxy = true;
                call.status = 503;
            }
        }
        calls = m_sink.calls;
        std::stable_sort(calls.begin(), calls.end(),
            [&trip](const LoggedCall &a, const LoggedCall &b) { return trip.dialect->byStart ? a.at < b.at : a.end() < b.end(); });
        write(trip);
    }

    std::vector<LoggedCall> calls;
    std::vector<std::string> files;

private:
    void write(const RoundTrip &trip)
    {
        std::vector<std::string> lines = std::move(m_sink.journal), errors;
        for (const LoggedCall &call : calls) {
            if (!trip.dialect->write)
                break;
            trip.dialect->write(lines.emplace_back(), call);
            if (trip.hasErrorLog)
                testing::dialects::nginxError(errors.emplace_back(), call);
        }
        std::erase_if(lines, [&](const std::string &) { return m_dice.chance(trip.plan.lost); });
        const std::size_t half = trip.isRotated ? lines.size() / 2 : 0;
        const bool isHar = trip.dialect->format.format == LogFormat::Har;
        std::string text, older;
        for (std::size_t i = 0; i < lines.size(); ++i)
            (i < half ? older : text) += (isHar && i > 0 ? "," : "") + lines[i];
        if (isHar)
            text = testing::json("{'log':{'version':'1.2','creator':{'name':'t','version':'1'},'entries':[") + text + "]}}";
        put("access.log", text);
        if (trip.isRotated)
            put("access.log.1.gz", testing::gzipped(older));
        if (trip.hasErrorLog)
            put("error.log", fmt::format("{}", fmt::join(errors, "")));
    }
    void put(const char *name, const std::string &text)
    {
        QFile file{m_folder.filePath(name)};
        if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0)
            qFatal("cannot write a log");
        files.push_back(file.fileName().toStdString());
    }

    QTemporaryDir m_folder;
    CallsSink m_sink;
    Dice m_dice;
};

struct Imported {
    incident::LogSummary summary;
    std::vector<incident::Arrival> arrivals;
    std::size_t refusals = 0, byThisProxy = 0, limitReq = 0;
    incident::GroupingTotals grouping;
    incident::Inference inference;
};

/// Numbers in order of appearance.
std::uint32_t numbered(std::map<std::string, std::uint32_t> &names, const std::string &name)
{
    return names.try_emplace(name, static_cast<std::uint32_t>(names.size())).first->second;
}

incident::LoggedRequest requestOf(const incident::LogEntry &entry, std::uint32_t key, std::uint32_t path)
{
    incident::LoggedRequest request;
    request.at = entry.at;
    request.took = entry.took;
    request.key = key;
    request.path = path;
    request.bodySize = entry.requestSize;
    request.ending = entry.refusedBy != RefusedBy::Nobody ? Ending::Refused
        : entry.status.value_or(500) >= 500               ? Ending::Failed
        : entry.status.value_or(0) < 400                  ? Ending::Succeeded
                                                          : Ending::Final;
    for (const auto &[name, value] : entry.limitHeaders) {
        if (name == "retry-after")
            request.told = std::chrono::seconds{std::stol(value)};
    }
    return request;
}

Imported imported(const std::vector<std::string> &files, const incident::LogReadOptions &options, Duration precision)
{
    Imported result;
    std::map<std::string, std::uint32_t> keys, paths;
    incident::OperationGrouping grouping{precision};
    const auto read = incident::readLogs(files, options, [&](incident::LogEntry &entry) {
        const bool refused = entry.refusedBy != RefusedBy::Nobody;
        const std::uint32_t key = numbered(keys, entry.client);
        result.arrivals.push_back({entry.at, refused, key});
        result.refusals += refused;
        result.byThisProxy += entry.refusedBy == RefusedBy::ThisProxy;
        result.limitReq += entry.refusedHow.starts_with("limit_req");
        grouping.take(requestOf(entry, key, numbered(paths, entry.path)));
    });
    if (!read)
        qFatal("%s", read.error().c_str());
    result.summary = *read;
    result.grouping = grouping.totals();
    const auto known
        = result.limitReq > 0 && result.limitReq == result.refusals ? std::optional{incident::WindowKind::TokenBucket} : std::nullopt;
    result.inference = incident::inferLimit(result.arrivals, precision, Duration{}, known);
    return result;
}

Imported imported(const RoundTrip &trip, const Written &log)
{
    incident::LogReadOptions options;
    options.stream.reader.logFormat = trip.dialect->logFormat;
    return imported(log.files, options, trip.plan.precision);
}

/// Of a bucket it is the rate: 60 a minute are one a second.
Recovered judgeBucket(const LogPlan &plan, const incident::Inference &said)
{
    if (!said.best)
        return Recovered::CannotTell;
    const incident::InferredLimit &limit = said.best->limit;
    const double truth = static_cast<double>(plan.limit.quota) / secondsOf(plan.limit.per.length);
    const double rate = static_cast<double>(limit.quota) / secondsOf(limit.per);
    const bool isBucket = limit.kind == incident::WindowKind::TokenBucket;
    if (std::abs(rate / truth - 1) > 0.0201 || (!isBucket && plan.limit.burst != 1u))
        return Recovered::Wrong;
    const bool sameBurst = isBucket && limit.burst == static_cast<std::int64_t>(*plan.limit.burst);
    return said.settled.burst && !sameBurst ? Recovered::Right : Recovered::Certain;
}

double trueAmplification(const std::vector<LoggedCall> &calls)
{
    std::map<std::uint64_t, std::pair<double, bool>> operations;
    for (const LoggedCall &call : calls) {
        auto &[attempts, refused] = operations[call.operation];
        ++attempts;
        refused = refused || call.isRefused();
    }
    double attempts = 0, refused = 0;
    for (const auto &[operation, told] : operations) {
        attempts += told.second ? told.first : 0;
        refused += told.second;
    }
    return refused > 0 ? attempts / refused : 1;
}

/// Who waits for hours because it was told to is found only where the log has what it was told.
bool canBeGrouped(const RoundTrip &trip)
{
    return trip.plan.retries != Retries::Told || trip.dialect->tellsRetryAfter || trip.plan.limit.per.length <= 10min;
}

/// What became of all scenarios.
struct Tally {
    struct Row {
        int scenarios = 0, right = 0;
    };
    std::map<std::string, Row> formats;
    int right = 0, certain = 0;
    int fine = 0; ///< nothing lost, and times finer than the clocks are
    int held = 0, ambiguous = 0; ///< amplification
    std::uint64_t lines = 0;
    QStringList wrong;
};

void take(Tally &tally, const RoundTrip &trip, const Imported &found)
{
    const incident::Inference &inference = found.inference;
    const bool isBucket = trip.plan.limit.window == WindowKind::TokenBucket;
    const Recovered recovered = isBucket ? judgeBucket(trip.plan, inference) : judge(trip.plan, inference);
    const QString said
        = described(trip) + "; said: " + QString::fromStdString(inference.best ? limitWords(inference.best->limit) : inference.why);
    const bool isRight = recovered <= Recovered::Right;
    Tally::Row &row = tally.formats[trip.dialect->name];
    ++row.scenarios;
    row.right += isRight;
    tally.right += isRight;
    tally.certain += recovered == Recovered::Certain;
    tally.lines += found.summary.lines;
    if (recovered == Recovered::Wrong)
        tally.wrong << "confident and wrong: " + said;
    if (recovered == Recovered::CannotTell)
        qInfo("%s", qPrintable("cannot tell: " + said));
    if (trip.plan.lost > 0 || isBucket || !isRight || trip.dialect->precision > 1ms)
        return;
    ++tally.fine;
    if (inference.best->limit.quota != static_cast<std::int64_t>(trip.plan.limit.quota))
        tally.wrong << "nothing is lost, and not to the unit: " + said;
}

void takeAmplification(Tally &tally, const RoundTrip &trip, const Written &log, const Imported &found)
{
    if (!canBeGrouped(trip) || found.grouping.ambiguity() >= 0.2) {
        ++tally.ambiguous;
        return;
    }
    ++tally.held;
    const double truth = trueAmplification(log.calls), told = found.grouping.amplification();
    if (std::abs(told / truth - 1) > 0.1)
        tally.wrong << described(trip) + QStringLiteral(": amplification %1, truth %2").arg(told).arg(truth);
}

} // namespace

class TestIncidentRoundTrip : public QObject {
    Q_OBJECT

private:
    static void compareRequests(const RoundTrip &trip, const Written &log, const Imported &found)
    {
        const auto refused = std::count_if(log.calls.begin(), log.calls.end(), [](const LoggedCall &call) { return call.isRefused(); });
        const QByteArray what = described(trip).toUtf8();
        QVERIFY2(found.summary.malformed == 0 && found.summary.otherFormats == 0 && found.summary.outOfOrder == 0, what);
        QVERIFY2(found.summary.files[0].format == trip.dialect->format, what);
        if (trip.plan.lost > 0)
            return;
        QVERIFY2(found.arrivals.size() == log.calls.size(), what);
        QVERIFY2(found.refusals == static_cast<std::size_t>(refused), what);
        QVERIFY2(!trip.hasErrorLog || (found.limitReq == found.refusals && found.summary.notesMatched == found.refusals), what);
    }

private Q_SLOTS:
    void knownLimitsComeBackFromEveryFormat()
    {
        Tally tally;
        for (std::uint64_t seed = kFirst; seed < kFirst + kScenarios; ++seed) {
            const RoundTrip trip = roundTripOf(seed);
            const Written log{trip};
            const Imported found = imported(trip, log);
            compareRequests(trip, log, found);
            take(tally, trip, found);
            takeAmplification(tally, trip, log, found);
        }
        for (const auto &[format, row] : tally.formats)
            qInfo("%-30s %d of %d", format.c_str(), row.right, row.scenarios);
        qInfo("recovered %d of %d (%.1f %%), %d of them certain of every word; %d whole logs of fine times to the unit; %d lines",
            tally.right, static_cast<int>(kScenarios), 100.0 * tally.right / kScenarios, tally.certain, tally.fine,
            static_cast<int>(tally.lines));
        qInfo("amplification: %d held against the truth, %d ambiguous or beyond what the log tells", tally.held, tally.ambiguous);
        QVERIFY2(tally.wrong.isEmpty(), qPrintable(tally.wrong.join('\n')));
        QVERIFY(tally.right * 100 >= static_cast<int>(kScenarios) * 95);
    }
};

QTEST_GUILESS_MAIN(TestIncidentRoundTrip)
#include "tst_incident_round_trip.moc"
