// SPDX-License-Identifier: Apache-2.0
#include "core/signals/delay_value.h"
#include "core/signals/http_date.h"
#include "core/signals/rate_limit_state.h"

#include <QDateTime>
#include <QLocale>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <ctime>
#include <map>

/// What reading costs, as ratios within one run: against the two ways that C++ programs on this platform read dates with.
using namespace throttlescope;

namespace {

const WallTime kNow{std::chrono::seconds{1'772'323'200}}; // 2026-03-01T00:00:00Z
constexpr std::size_t kTexts = 64;

/// 64 dates, a different day and second each, so that no branch predictor learns one text by heart.
std::vector<std::string> dates(void (*append)(std::string &, WallTime))
{
    std::vector<std::string> texts(kTexts);
    for (std::size_t i = 0; i < kTexts; ++i)
        append(texts[i], kNow + std::chrono::seconds{static_cast<std::int64_t>(i) * 2'345'678});
    return texts;
}

const char *const kImfFormat = "%a, %d %b %Y %H:%M:%S GMT";

std::int64_t withStrptime(const std::string &text, const char *format = kImfFormat)
{
    std::tm fields{};
    return strptime(text.c_str(), format, &fields) ? timegm(&fields) : -1;
}

void strptimeAndTimegm(benchmark::State &state)
{
    const auto texts = dates(signals::appendImfFixdate);
    for (std::size_t i = 0; auto _ : state)
        benchmark::DoNotOptimize(withStrptime(texts[i++ % kTexts]));
}

/// Qt 6.4 has a fast reader for RFC 2822's numeric zone. It refuses GMT, hence every IMF-fixdate; asctime's form it reads.
void qDateTimeAsctime(benchmark::State &state)
{
    std::vector<QString> texts;
    for (const std::string &text : dates(signals::appendAsctimeDate))
        texts.push_back(QString::fromStdString(text));
    if (!QDateTime::fromString(texts.front(), Qt::RFC2822Date).isValid())
        state.SkipWithError("Qt does not read this");
    for (std::size_t i = 0; auto _ : state)
        benchmark::DoNotOptimize(QDateTime::fromString(texts[i++ % kTexts], Qt::RFC2822Date).toSecsSinceEpoch());
}

void qDateTimeFormat(benchmark::State &state)
{
    std::vector<QString> texts;
    for (const std::string &text : dates(signals::appendImfFixdate))
        texts.push_back(QString::fromStdString(text));
    for (std::size_t i = 0; auto _ : state)
        benchmark::DoNotOptimize(QLocale::c().toDateTime(texts[i++ % kTexts], "ddd, dd MMM yyyy hh:mm:ss 'GMT'").toSecsSinceEpoch());
}

void ourDate(benchmark::State &state, void (*append)(std::string &, WallTime))
{
    const auto texts = dates(append);
    for (std::size_t i = 0; auto _ : state)
        benchmark::DoNotOptimize(signals::readHttpDate(texts[i++ % kTexts], kNow, signals::DateMode::Strict));
}
void ourImfFixdate(benchmark::State &state)
{
    ourDate(state, signals::appendImfFixdate);
}
void ourRfc850Date(benchmark::State &state)
{
    ourDate(state, signals::appendRfc850Date);
}
void ourAsctimeDate(benchmark::State &state)
{
    ourDate(state, signals::appendAsctimeDate);
}

void ourDelaySeconds(benchmark::State &state)
{
    std::vector<std::string> texts(kTexts);
    for (std::size_t i = 0; i < kTexts; ++i)
        texts[i] = std::to_string(i * i * 7);
    const signals::Clock clock{kNow, std::nullopt};
    for (std::size_t i = 0; auto _ : state)
        benchmark::DoNotOptimize(signals::looseRetryAfter(texts[i++ % kTexts], clock));
}

Response gitHub403()
{
    Response response;
    response.status = 403;
    response.headers
        = {{"server", "github.com"}, {"date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"content-type", "application/json; charset=utf-8"},
            {"x-ratelimit-limit", "60"}, {"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1780390859"},
            {"x-ratelimit-resource", "core"}, {"x-ratelimit-used", "60"}, {"x-github-request-id", "0401:6ECA:4D1E2:5A2F1:6A1B2C3D"},
            {"access-control-allow-origin", "*"}, {"content-length", "280"}, {"x-content-type-options", "nosniff"}};
    response.body = R"({"message":"API rate limit exceeded for 192.0.2.1."})";
    return response;
}

void readResponse(benchmark::State &state, const Response &response)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(signals::read(response, kNow));
}
void normaliserGitHub403(benchmark::State &state)
{
    readResponse(state, gitHub403());
}
void normaliserRetryAfter429(benchmark::State &state)
{
    readResponse(state, {429, {{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"Retry-After", "47"}}, {}, true, 0});
}
void normaliserPlain200(benchmark::State &state)
{
    readResponse(state,
        {200, {{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"Content-Type", "application/json"}, {"Content-Length", "512"}}, {}, true, 0});
}
void normaliserIetfList(benchmark::State &state)
{
    readResponse(state,
        {200, {{"RateLimit", R"("minute";r=0;t=11, "day";r=960)"}, {"RateLimit-Policy", R"("minute";q=30;w=60, "day";q=1000;w=86400)"}}, {},
            true, 0});
}

BENCHMARK(strptimeAndTimegm);
BENCHMARK(qDateTimeAsctime);
BENCHMARK(qDateTimeFormat);
BENCHMARK(ourImfFixdate);
BENCHMARK(ourRfc850Date);
BENCHMARK(ourAsctimeDate);
BENCHMARK(ourDelaySeconds);
BENCHMARK(normaliserGitHub403);
BENCHMARK(normaliserRetryAfter429);
BENCHMARK(normaliserPlain200);
BENCHMARK(normaliserIetfList);

/// The console's table, and what was measured.
class Collector : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run> &runs) override
    {
        for (const Run &run : runs) {
            if (!run.error_occurred)
                m_times[run.benchmark_name()] = run.GetAdjustedCPUTime();
        }
        ConsoleReporter::ReportRuns(runs);
    }
    double time(const std::string &name) const
    {
        const auto found = m_times.find(name);
        return found == m_times.end() ? 0 : found->second;
    }
    /// The fastest of those that ran.
    double fastest(std::initializer_list<const char *> names) const
    {
        double best = 0;
        for (const char *name : names)
            best = time(name) > 0 && (best == 0 || time(name) < best) ? time(name) : best;
        return best;
    }

private:
    std::map<std::string, double> m_times;
};

void ratio(const char *what, double theirs, double ours, double goal)
{
    if (theirs > 0 && ours > 0)
        std::printf("%-58s %7.1fx  (goal: %gx) %s\n", what, theirs / ours, goal, theirs / ours >= goal ? "ok" : "MISSED");
}

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);
    const double others = collector.fastest({"strptimeAndTimegm", "qDateTimeFormat"});
    std::printf("\nfaster than the faster of QDateTime::fromString and strptime + timegm, of those that read the form:\n");
    const double asctime = collector.fastest({"strptimeAndTimegm", "qDateTimeAsctime"});
    const double ours = collector.time("ourImfFixdate") + collector.time("ourRfc850Date") + collector.time("ourAsctimeDate");
    ratio("  HTTP-dates, the three forms in turn", 2 * others + asctime, ours, 40);
    ratio("  IMF-fixdate", others, collector.time("ourImfFixdate"), 40);
    ratio("  RFC 850", others, collector.time("ourRfc850Date"), 40);
    ratio("  asctime", asctime, collector.time("ourAsctimeDate"), 40);
    ratio("  delay-seconds", others, collector.time("ourDelaySeconds"), 40);
    ratio("one strptime + timegm against a GitHub 403 of 12 headers", collector.time("strptimeAndTimegm"),
        collector.time("normaliserGitHub403"), 1);
    return 0;
}
